"""From which residual on a joint is touched."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

PARTS = ('constant', 'velocity', 'acceleration')
# Threshold of a band in which nothing is detected [N m or N].
NEVER = 1e300


@dataclass(frozen=True)
class BandThreshold:
    """c_0 + c_1 |v| + c_2 |a| of each joint, for one band of the residual.

    Attributes:
        constant: c_0 (n,) [N m or N].
        velocity: c_1 (n,) [N m s/rad or N s/m].
        acceleration: c_2 (n,) [N m s^2/rad or N s^2/m].
    """

    constant: Array
    velocity: Array
    acceleration: Array

    @classmethod
    def of(
        cls,
        constant: npt.ArrayLike,
        velocity: npt.ArrayLike = 0.0,
        acceleration: npt.ArrayLike = 0.0,
    ) -> BandThreshold:
        """A threshold, checked; a number stands for all joints.

        Args:
            constant: (n,) positive.
            velocity: (n,) or a number, not negative.
            acceleration: (n,) or a number, not negative.

        Raises:
            ParameterError: a value is not finite or too small, or the sizes differ.
        """
        first = np.atleast_1d(np.array(constant, float))
        parts = [first]
        for name, given in zip(PARTS[1:], (velocity, acceleration), strict=True):
            values = np.array(given, float)
            if values.shape not in ((), first.shape):
                raise ParameterError(
                    f'threshold: {name} has the shape {values.shape}, constant {first.shape}'
                )
            parts.append(np.broadcast_to(values, first.shape).copy())
        for name, values in zip(PARTS, parts, strict=True):
            least = 'positive' if name == PARTS[0] else 'not negative'
            good = values > 0.0 if name == PARTS[0] else values >= 0.0
            if bad := np.flatnonzero(~(good & np.isfinite(values))).tolist():
                raise ParameterError(
                    f'threshold: {name} of joint {bad[0]} is {values[bad[0]]}, it must be finite '
                    f'and {least}'
                )
        return cls(*parts)

    @property
    def coefficients(self) -> Array:
        """The three parts, (3, n)."""
        return np.stack([self.constant, self.velocity, self.acceleration])


@dataclass(frozen=True)
class ContactThresholds:
    """Thresholds of both bands, see `ResidualBands`.

    Attributes:
        collision: of the fast band.
        push: of the slow band.
        false_alarms_per_hour: of both bands and all joints together; NaN where nothing is known.
        seconds: of the recording that they were learned from; 0 where they were not.
    """

    collision: BandThreshold
    push: BandThreshold
    false_alarms_per_hour: float = field(default=math.nan, compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def size(self) -> int:
        """Number of joints, n."""
        return len(self.push.constant)

    @property
    def coefficients(self) -> Array:
        """Constant, velocity and acceleration of collision and push, (2, 3, n)."""
        return np.stack([self.collision.coefficients, self.push.coefficients])

    def limits(self, motion: Array) -> Array:
        """Thresholds of collision and push (..., 2, n) [N m or N].

        Args:
            motion: (..., 2, 2, n) speed and absolute acceleration of each band.
        """
        coefficients = self.coefficients
        limits: Array = coefficients[:, 0] + (coefficients[:, 1:] * motion).sum(axis=-2)
        return limits

    @classmethod
    def of_coefficients(
        cls, coefficients: Array, false_alarms_per_hour: float, seconds: float
    ) -> ContactThresholds:
        """The inverse of `coefficients`.

        Raises:
            ParameterError: a value is not finite or too small.
        """
        collision, push = (BandThreshold.of(*parts) for parts in coefficients)
        return cls(collision, push, false_alarms_per_hour, seconds)
