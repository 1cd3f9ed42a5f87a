"""The mean of the residual of an arm at rest, which is taken off it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from ..torque_text import torque_text

# A joint that is faster moves [rad/s or m/s].
SLOWEST = 0.02
# Largest residual that may be taken off: share of the effort limit of the joint [-]. It is 20 N at
# the tip of a stretched UR5.
LARGEST = 0.1
# Stands for the limit of a joint without any [N m or N].
UNKNOWN_LIMIT = 10.0
# While it is averaged, a residual may leave its mean by that share of the effort limit [-].
STEADY = 0.05
# What to do where the error of the model seems to be a contact.
WITHOUT_THRESHOLDS = (
    'its error is above the thresholds: set collision_threshold and push_threshold to [], and '
    'call again'
)
# States that a mean needs.
FEWEST = 10


class ResidualAverage:
    """Averages residuals, and says why the mean must not be taken off.

    Attributes:
        samples: number of residuals.
    """

    def __init__(
        self,
        joints: Sequence[str],
        units: Sequence[str],
        limits: Array,
        touch: Callable[[Array], str],
    ) -> None:
        """Without residuals.

        Args:
            joints: names of the joints, k of them.
            units: (k) of their torques or forces: 'N m' or 'N'.
            limits: (k,) effort limits of the joints [N m or N]; infinite for none.
            touch: what touches the robot, in words, from its residual (k,); empty for nothing.
        """
        self._joints, self._units, self._touch = tuple(joints), tuple(units), touch
        self._limited = np.isfinite(limits)
        self._limits = np.where(self._limited, limits, UNKNOWN_LIMIT)
        self._begins = 0
        self.reset()

    @property
    def remark(self) -> str:
        """What to add to an answer where residuals before a discontinuity are not in the mean."""
        if self._begins <= 1:
            return ''
        return (
            '; the estimate began anew meanwhile: the mean is that of the last '
            f'{self.samples} states'
        )

    def reset(self) -> None:
        """Begin anew, after a discontinuity."""
        self.samples, self._touched = 0, ''
        self._begins += 1
        self._sum, self._fastest = np.zeros((2, len(self._joints)))
        self._lowest, self._highest = np.full((2, len(self._joints)), np.inf)
        self._highest *= -1.0

    def step(self, r: Array, v: Array, time: float) -> None:
        """Take a residual.

        Args:
            r: (k,) residual [N m or N].
            v: (k,) velocities [rad/s or m/s].
            time: of both [s].
        """
        self.samples += 1
        self._touched = self._touched or self._touch(r)
        self._sum += r
        np.maximum(self._fastest, np.abs(v), out=self._fastest)
        np.minimum(self._lowest, r, out=self._lowest)
        np.maximum(self._highest, r, out=self._highest)

    def mean(self, taken: Array) -> Array:
        """The mean residual (k,), if it may be taken off [N m or N].

        Args:
            taken: (k,) what has been taken off the residuals before [N m or N].

        Raises:
            StateError: there are too few residuals, the arm moved, or something touches it.
        """
        if self.samples < FEWEST:
            raise StateError(
                f'only {self.samples} external torques were estimated meanwhile, {FEWEST} are '
                'needed'
            )
        self._refuse(
            self._fastest > SLOWEST,
            lambda i: (
                f'the arm moves: {self._joints[i]} at {self._fastest[i]:.3g} {self._speed_unit(i)}'
                f', allowed are {SLOWEST:g}'
            ),
        )
        if self._touched:
            raise StateError(
                f'{self._touched}: nothing may touch the arm; if nothing does, '
                f'{WITHOUT_THRESHOLDS}'
            )
        mean: Array = self._sum / self.samples
        spread = np.maximum(self._highest - mean, mean - self._lowest)
        self._refuse(
            spread > STEADY * self._limits,
            lambda i: (
                f'the external torque of {self._joints[i]} varies by '
                f'{self._text(i, spread[i])}, allowed are '
                f'{self._text(i, STEADY * self._limits[i])}: something touches the '
                f'arm{self._remedy(i)}'
            ),
        )
        total = np.abs(mean + taken)
        self._refuse(
            total > LARGEST * self._limits,
            lambda i: (
                f'the external torque of {self._joints[i]} is {self._text(i, total[i])}, '
                f'allowed are {self._text(i, LARGEST * self._limits[i])}: something touches the '
                f'arm, or a payload is not set{self._remedy(i)}'
            ),
        )
        return mean

    def _text(self, index: int, torque: float) -> str:
        return torque_text(torque, self._units[index])

    def _speed_unit(self, index: int) -> str:
        return 'm/s' if self._units[index] == 'N' else 'rad/s'

    def _remedy(self, index: int) -> str:
        """What to do about the limit of a joint that has none."""
        return '' if self._limited[index] else '; it has no effort limit: set effort_limits'

    def _refuse(self, wrong: npt.NDArray[np.bool_], words: Callable[[int], str]) -> None:
        if wrong.any():
            raise StateError(words(int(wrong.argmax())))
