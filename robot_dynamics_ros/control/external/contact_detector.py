"""Collisions and pushes from the residual of an external-force observer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array, all_finite
from robot_dynamics_ros.core.errors import StateError

from .thresholds import BANDS, ContactThresholds

COLLISION, PUSH = 0, 1
# What a threshold depends on first, beside its constant.
SPEED = 0
# Between the bands, f [Hz]: above most of what the error of a model is in a motion, below an
# impact.
CUTOFF = 5.0
# Of the derivative of the velocity [Hz]: faster than the fast band has to rise.
ACCELERATION_CUTOFF = 20.0
# After a longer pause, what was felt before it says nothing [s].
MAX_PAUSE = 2.0
# Of the threshold: below it, a joint that was touched is free again.
RELEASE = 0.5
# How long all joints have to be below it until the contact is over [s].
HOLD = 0.1


@dataclass(frozen=True)
class ContactState:
    """What a detector says at one time.

    Attributes:
        joints: indices of those that feel the contact now; empty without a contact.
        since: when it began [s]; NaN without a contact.
        kind: 'collision' if the fast band has exceeded its threshold since then, else 'push'; ''
            without a contact.
    """

    joints: tuple[int, ...] = ()
    since: float = math.nan
    kind: str = ''

    def __bool__(self) -> bool:
        return bool(self.kind)


FREE = ContactState()


class ResidualBands:
    """Splits residuals by a first-order low pass, and filters the motion for their thresholds.

    Push: s_k = s_(k-1) + w (r_k - s_(k-1)), w = 1 - exp(-2 pi f dt), the low pass. Collision:
    r - s. The observer itself is the upper edge of the fast band, which so is a band pass.

    A model whose error is at most c_0 + c_1 |v| + c_2 |a| gives a slow band of at most the low
    pass of that, since the low pass has weights that are not negative: so the speed and the
    acceleration of a threshold are low-passed too. Of the fast band they are the larger of the
    present and the low-passed one: it rises at once, and decays as the low pass does. The
    acceleration is the filtered derivative of the velocity.

    Both low passes begin at zero: so the slow band has its bound from the first residual on. An
    observer begins at zero too, and rises to the error of the model as if something hit the arm:
    so the fast band is zero for the first 1 / f seconds. A collision is a push then.

    After a pause both go on from the low-passed values before it: what began in the pause is fast,
    what was there before it is not.

    Attributes:
        values: (2, n) collision and push [N m or N].
        motion: (2, 2, n), of each band the speed [rad/s or m/s] and the absolute acceleration
            [rad/s^2 or m/s^2] that its threshold depends on.
    """

    def __init__(self, size: int) -> None:
        """Without a residual yet, of that many joints (n)."""
        self.values, self.motion = np.zeros((2, size)), np.zeros((2, 2, size))
        # Low-passed: residual, speed and acceleration; the velocity, for its derivative.
        self._low, self._velocity = np.zeros((3, size)), np.zeros(size)
        self.reset()

    def reset(self) -> None:
        """Begin again, after a discontinuity of the residual or of time."""
        self._time = self._begin = self._paused = math.nan

    def pause(self) -> None:
        """Go on after some time without residuals, which have no step of their own in it."""
        if self._time - self._begin >= 1.0 / CUTOFF:
            self._time, self._paused = math.nan, self._time
        elif not math.isnan(self._time):
            self.reset()

    def step(self, r: Array, v: Array, time: float) -> None:
        """Take a residual, in `values` and `motion`; one that is not newer is ignored.

        Args:
            r: (n,) residual [N m or N].
            v: (n,) velocities [rad/s or m/s].
            time: of both [s].
        """
        elapsed = time - self._time
        if elapsed <= 0.0:
            return
        self._time = time
        present = np.array([r, np.abs(v), np.zeros_like(v)])
        if elapsed > 0.0:
            # The change of the low-passed velocity in its time is the filtered derivative.
            change = _weight(ACCELERATION_CUTOFF, elapsed) * (v - self._velocity)
            self._velocity += change
            present[2] = np.abs(change) / elapsed
            self._low += _weight(CUTOFF, elapsed) * (present - self._low)
        else:
            # The first one, at the begin or after a pause.
            self._velocity[:] = v
            if not 0.0 < time - self._paused <= MAX_PAUSE:
                self._low.fill(0.0)
                self._begin = time
        self.values[PUSH], self.motion[PUSH] = self._low[0], self._low[1:]
        rising = time - self._begin < 1.0 / CUTOFF
        self.values[COLLISION] = 0.0 if rising else present[0] - self._low[0]
        np.maximum(present[1:], self._low[1:], out=self.motion[COLLISION])


def _weight(cutoff: float, elapsed: float) -> float:
    """Of a new value in a low pass [-], from its cutoff [Hz] and the time since the last [s]."""
    return -math.expm1(-2.0 * math.pi * cutoff * elapsed)


class ContactDetector:
    """Compares both bands of the residual with thresholds that grow with the motion.

    A joint is touched from the first sample on in which one of its bands exceeds its threshold,
    until both are below a share of it. The contact is over when no joint has been touched for some
    time: so one contact is not many.

    A band counts only as far as the residual itself goes, from zero on: where something lets go,
    the residual is zero at once, while the slow band decays and the fast one has the other sign.

    Source: S. Haddadin, A. De Luca, A. Albu-Schaeffer, Robot collisions: a survey on detection,
    isolation, and identification, IEEE Transactions on Robotics 33, 2017.

    Attributes:
        state: of the last step.
        bands: the residual and the motion, filtered.
        limits: (2, n) thresholds of collision and push at the last step [N m or N].
    """

    def __init__(self, thresholds: ContactThresholds) -> None:
        """Without a contact; thresholds of all joints."""
        self.bands, self.state = ResidualBands(thresholds.size), FREE
        self._touched, self._last = np.zeros((2, thresholds.size), bool), math.nan
        self.use(thresholds)

    def use(self, thresholds: ContactThresholds) -> None:
        """Compare with other thresholds of the same joints from now on."""
        self._thresholds, self.limits = thresholds, thresholds.limits(self.bands.motion)

    def reset(self) -> None:
        """Forget the contact and what was filtered, after a discontinuity."""
        self.bands.reset()
        self._forget()

    def pause(self) -> None:
        """Forget the contact, and go on after some time without residuals."""
        self.bands.pause()
        self._forget()

    def step(self, r: Array, v: Array, time: float) -> ContactState:
        """The state with a new residual.

        Args:
            r: (n,) residual [N m or N].
            v: (n,) velocities [rad/s or m/s].
            time: of both [s]; what is not newer than the last is ignored.

        Raises:
            StateError: a residual or velocity is not finite; the detector has been reset.
        """
        if not (all_finite(r) and all_finite(v)):
            self.reset()
            raise StateError('the external torque or a velocity is not finite')
        self.bands.step(r, v, time)
        self.limits = self._thresholds.limits(self.bands.motion)
        if self.state is FREE and (np.abs(self.bands.values) <= self.limits).all():
            return FREE
        return self._touch(r, time)

    def _forget(self) -> None:
        self._touched.fill(False)
        self.state = FREE

    def _touch(self, r: Array, time: float) -> ContactState:
        """The state while something touches the robot, or has touched it just now."""
        size = np.abs(np.clip(self.bands.values, np.minimum(r, 0.0), np.maximum(r, 0.0)))
        self._touched &= size > RELEASE * self.limits
        self._touched |= size > self.limits
        collides, pushes = self._touched[COLLISION], self._touched[PUSH]
        joints = tuple(np.flatnonzero(collides | pushes).tolist())
        if joints:
            self._last = time
        elif not self.state or time - self._last >= HOLD:
            self.state = FREE
            return FREE
        before = self.state
        fast = before.kind == BANDS[COLLISION] or bool(collides.any())
        kind = BANDS[COLLISION if fast else PUSH]
        if (joints, kind) != (before.joints, before.kind):
            self.state = ContactState(joints, before.since if before else time, kind)
        return self.state
