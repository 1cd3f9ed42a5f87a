"""Sums of products of what was measured and what the model says: all figures come from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Names of the columns whose products are summed, for each joint.
COLUMNS = (
    'measured', 'gravity', 'coriolis', 'inertia', 'friction', 'velocity', 'direction', 'one',
)  # fmt: skip
MEASURED, GRAVITY, CORIOLIS, INERTIA, FRICTION, VELOCITY, DIRECTION, ONE = range(len(COLUMNS))
# Coefficients of the torque of the model.
MODEL = np.array([0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
RESIDUAL = np.array([1.0, -1.0, -1.0, -1.0, -1.0, 0.0, 0.0, 0.0])
CONSTANT = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Moments:
    """Sums over samples, which add up over chunks and recordings.

    Samples of a joint whose effort is not finite do not count for it.

    Attributes:
        products: (n, 8, 8) sums of products of `COLUMNS`.
    """

    products: Array

    @classmethod
    def zero(cls, size: int) -> Moments:
        """Those of no sample, for n joints."""
        return cls(np.zeros((size, len(COLUMNS), len(COLUMNS))))

    @classmethod
    def of(cls, measured: Array, terms: Array, velocities: Array) -> Moments:
        """Those of some samples.

        Args:
            measured: (N, n) efforts [N m or N].
            terms: (4, N, n) parts of the torque of the model [N m or N].
            velocities: (N, n) [rad/s or m/s].
        """
        valid = np.isfinite(measured)
        ones = np.ones_like(measured)
        columns = [np.nan_to_num(measured), *terms, velocities, np.sign(velocities), ones]
        stacked = np.stack(columns) * valid
        by_joint = np.ascontiguousarray(stacked.transpose(2, 0, 1))
        return cls(by_joint @ by_joint.transpose(0, 2, 1))

    def __add__(self, other: Moments) -> Moments:
        """The moments of both sets of samples."""
        return Moments(self.products + other.products)

    def product(self, left: Array, right: Array) -> Array:
        """Sums of products of two combinations of the columns, (n,).

        Args:
            left: coefficients (8,), or (n, 8) with those of each joint.
            right: the same.
        """
        sums: Array = np.einsum('...i,...il,...l->...', left, self.products, right)
        return sums

    @property
    def counts(self) -> Array:
        """(n,) samples with an effort."""
        counts: Array = self.products[:, ONE, ONE]
        return counts
