"""Collisions and pushes from the residual of an external-force observer."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from .contact_state import FREE, ContactState
from .contact_thresholds import ContactThresholds
from .residual_bands import ACCELERATION, BANDS, COLLISION, CUTOFF, PUSH, SPEED, ResidualBands

# Of the threshold: below it, a joint that was touched is free again.
RELEASE = 0.5
# How long all joints have to be below it until the contact is over [s].
HOLD = 0.1


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

    def __init__(
        self,
        thresholds: ContactThresholds,
        cutoff: float = CUTOFF,
        *,
        release: float = RELEASE,
        hold: float = HOLD,
    ) -> None:
        """Without a contact.

        Args:
            thresholds: for this cutoff.
            cutoff: between the bands [Hz].
            release: share of the threshold, from 0 to 1.
            hold: see above [s].
        """
        self.bands = ResidualBands(thresholds.size, cutoff)
        self.state = FREE
        self.limits = np.empty((2, thresholds.size))
        self._parts = np.empty((2, 2, thresholds.size))
        self._of_speed, self._of_acceleration = self._parts[:, SPEED], self._parts[:, ACCELERATION]
        self._size = np.empty((2, thresholds.size))
        self._touched = np.zeros((2, thresholds.size), bool)
        self._release, self._hold = release, hold
        self._last = math.nan
        self.use(thresholds)

    def use(self, thresholds: ContactThresholds) -> None:
        """Compare with other thresholds of the same joints from now on."""
        coefficients = thresholds.coefficients
        self._constant = coefficients[:, 0].copy()
        self._slopes = coefficients[:, 1:].copy()

    def reset(self) -> None:
        """Forget the contact and what was filtered, after a discontinuity."""
        self.bands.reset()
        self._touched.fill(False)
        self.state = FREE

    def pause(self) -> None:
        """Forget the contact, and go on after some time without residuals."""
        self.bands.pause()
        self._touched.fill(False)
        self.state = FREE

    def step(self, r: Array, v: Array, time: float) -> ContactState:
        """The state with a new residual.

        Args:
            r: (n,) residual [N m or N].
            v: (n,) velocities [rad/s or m/s].
            time: of both [s]; what is not newer than the last is ignored.

        Raises:
            StateError: a residual or velocity is not finite; the detector has been reset.
        """
        # The fastest test of all values; NumPy would warn of infinities that cancel.
        if not math.isfinite(sum(r.tolist()) + sum(v.tolist())):
            self.reset()
            raise StateError('the external torque or a velocity is not finite')
        bands, limits = self.bands, self.limits
        bands.step(r, v, time)
        np.multiply(self._slopes, bands.motion, self._parts)
        np.add(self._of_speed, self._of_acceleration, limits)
        limits += self._constant
        below = np.absolute(bands.values, self._size) <= limits
        # A tenth of the time that all() takes.
        if self.state is FREE and 0 not in below.tobytes():
            return FREE
        return self._touch(r, time)

    def _touch(self, r: Array, time: float) -> ContactState:
        """The state while something touches the robot, or has touched it just now."""
        size = np.abs(np.clip(self.bands.values, np.minimum(r, 0.0), np.maximum(r, 0.0)))
        self._touched &= size > self._release * self.limits
        self._touched |= size > self.limits
        collides, pushes = self._touched[COLLISION], self._touched[PUSH]
        joints = tuple(np.flatnonzero(collides | pushes).tolist())
        if joints:
            self._last = time
        elif not self.state or time - self._last >= self._hold:
            self.state = FREE
            return FREE
        before = self.state
        fast = before.kind == BANDS[COLLISION] or bool(collides.any())
        kind = BANDS[COLLISION if fast else PUSH]
        if (joints, kind) != (before.joints, before.kind):
            self.state = ContactState(joints, before.since if before else time, kind)
        return self.state
