"""From which residual on a joint is touched."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

BANDS = ('collision', 'push')
PARTS = ('constant', 'velocity', 'acceleration')
# Threshold of a band in which nothing is detected [N m or N].
NEVER = 1e300


@dataclass(frozen=True)
class ContactThresholds:
    """c_0 + c_1 |v| + c_2 |a| of each joint, for both bands of the residual.

    Attributes:
        coefficients: (2, 3, n) of collision and push: c_0 [N m or N], c_1 [N m s/rad or N s/m]
            and c_2 [kg m^2 or kg]; c_0 is `NEVER` where nothing is detected.
    """

    coefficients: Array

    def __post_init__(self) -> None:
        """Check the coefficients.

        Raises:
            ParameterError: one is not finite, negative, or a constant part that is not positive.
        """
        values = self.coefficients
        good = np.isfinite(values) & (values >= 0.0)
        good[:, 0] &= values[:, 0] > 0.0
        if not good.all():
            band, part, joint = np.argwhere(~good)[0].tolist()
            raise ParameterError(
                f'{BANDS[band]} threshold: {PARTS[part]} of joint {joint} is '
                f'{values[band, part, joint]}, it must be finite and '
                f'{"not negative" if part else "positive"}'
            )

    @classmethod
    def of(
        cls, size: int, collision: npt.ArrayLike = NEVER, push: npt.ArrayLike = NEVER
    ) -> ContactThresholds:
        """Constant thresholds; a number stands for all joints, and without one nothing is found.

        Args:
            size: number of joints, n.
            collision: (n,) positive [N m or N].
            push: (n,) likewise.

        Raises:
            ParameterError: a value is not finite and positive.
        """
        coefficients = np.zeros((2, 3, size))
        coefficients[0, 0], coefficients[1, 0] = collision, push
        return cls(coefficients)

    @property
    def size(self) -> int:
        """Number of joints, n."""
        return len(self.coefficients[0, 0])

    @property
    def detects(self) -> tuple[bool, bool]:
        """Whether collisions, and pushes, are detected at all."""
        collision, push = self.coefficients[:, 0] < NEVER
        return bool(collision.any()), bool(push.any())

    def limits(self, motion: Array) -> Array:
        """Thresholds of collision and push (..., 2, n) [N m or N].

        Args:
            motion: (..., 2, 2, n) speed and absolute acceleration of each band.
        """
        coefficients = self.coefficients
        return coefficients[:, 0] + (coefficients[:, 1:] * motion).sum(axis=-2)
