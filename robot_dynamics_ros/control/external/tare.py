"""What is taken off the external torques of an arm at rest that nothing touches."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from ..settings import UNKNOWN_LIMIT
from ..torque_text import torque_text

# Over which external torques are averaged [s].
AVERAGED = 0.5
# A joint that is faster moves [rad/s or m/s].
SLOWEST = 0.02
# Largest residual that may be taken off: share of the effort limit of the joint [-]. It is 20 N at
# the tip of a stretched UR5.
LARGEST = 0.1
# While it is averaged, a residual may leave its mean by that share of the effort limit [-].
STEADY = 0.05


class Tare:
    """The mean of the residual of a while, which is the error of one model at one pose.

    It belongs to the model, the payload and the gravity that it was measured with: with others,
    nothing is taken off.

    Attributes:
        torque: (k,) what is taken off [N m or N].
        dropped: what was changed since then, so that nothing is taken off any more; else empty.
        averaging: whether a new mean is being measured.
    """

    def __init__(self, joints: Sequence[str], units: Sequence[str]) -> None:
        """Nothing is taken off.

        Args:
            joints: names of the joints, k of them.
            units: (k) of their torques or forces: 'N m' or 'N'.
        """
        self._joints, self._units = tuple(joints), tuple(units)
        self.torque, self.dropped, self.averaging = np.zeros(len(self._joints)), '', False

    @property
    def complete(self) -> bool:
        """Whether the mean is one of `AVERAGED` seconds."""
        return self.averaging and self._last - self._first >= AVERAGED

    def begin(self, limits: Array) -> None:
        """Measure the mean of the residuals that come.

        Args:
            limits: (k,) effort limits of the joints [N m or N]; infinite for none.

        Raises:
            StateError: that goes on already.
        """
        if self.averaging:
            raise StateError('another call of ~/zero_external is being answered: call again')
        self._limits = np.where(np.isfinite(limits), limits, UNKNOWN_LIMIT)
        self.averaging, self._first, self._last = True, math.nan, math.nan
        self._samples, self._touched = 0, ''
        self._sum, self._fastest = np.zeros((2, len(self._joints)))
        self._lowest, self._highest = np.full((2, len(self._joints)), np.inf)
        self._highest *= -1.0

    def stop(self) -> None:
        """Measure no mean any more: what comes is not of the same kind."""
        self.averaging = False

    def step(self, r: Array, v: Array, time: float, touched: str) -> None:
        """Take a residual, while a mean is measured.

        Args:
            r: (k,) residual, nothing taken off [N m or N].
            v: (k,) velocities [rad/s or m/s].
            time: of both [s].
            touched: what touches the arm, as a phrase; empty for nothing.
        """
        self._first, self._last = time if math.isnan(self._first) else self._first, time
        self._samples += 1
        self._touched = self._touched or touched
        self._sum += r
        np.maximum(self._fastest, np.abs(v), out=self._fastest)
        np.minimum(self._lowest, r, out=self._lowest)
        np.maximum(self._highest, r, out=self._highest)

    def take_off(self) -> None:
        """Take the mean off from now on, in place of what was taken off before.

        Raises:
            StateError: the mean is not complete, the arm moved, or something touches it.
        """
        if not self.complete:
            raise StateError('the estimate of external torques was interrupted: call again')
        self.stop()
        mean: Array = self._sum / self._samples
        if (self._fastest > SLOWEST).any():
            i = int(self._fastest.argmax())
            raise StateError(
                f'the arm moves: {self._joints[i]} at {self._fastest[i]:.3g} '
                f'{"m/s" if self._units[i] == "N" else "rad/s"}, allowed are {SLOWEST:g}'
            )
        if self._touched:
            raise StateError(
                f'{self._touched}: nothing may touch the arm; if nothing does, its model is wrong '
                'by more than the thresholds: remove these and call again'
            )
        self._limit('varies by', np.maximum(self._highest - mean, mean - self._lowest), STEADY)
        self._limit('is', np.abs(mean), LARGEST)
        self.torque, self.dropped = mean, ''

    def drop(self, changed: str) -> None:
        """Take nothing off any more: it was measured with something else.

        Args:
            changed: what has changed, as a noun.
        """
        self.stop()
        if self.torque.any():
            self.torque, self.dropped = np.zeros_like(self.torque), changed

    def _limit(self, what: str, torques: Array, share: float) -> None:
        """Refuse torques (k,) above a share of the effort limits."""
        allowed = share * self._limits
        if (torques > allowed).any():
            i = int((torques > allowed).argmax())
            raise StateError(
                f'the external torque of {self._joints[i]} {what} '
                f'{torque_text(torques[i], self._units[i])}, allowed are '
                f'{torque_text(allowed[i], self._units[i])}: something touches the arm, or a '
                'payload is not set'
            )
