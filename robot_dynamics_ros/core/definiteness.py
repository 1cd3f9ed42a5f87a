"""Symmetric matrices whose rows have different units: eigenvalues that can be compared.

And whether the mass matrix of a robot is possible: positive semi-definite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .algorithms.crba import SMALLEST_PIVOT, largest_inertias
from .checks import Array
from .errors import InertiaError
from .model.robot import RobotModel
from .model.sampling import random_states

# A matrix of zeros has no largest eigenvalue: what stands for it has an inverse, and sums of such
# are finite.
LEAST = 1e-290
# Share of the largest eigenvalue by which rounding may leave a zero one below zero.
ROUNDING = 1e-12


@dataclass(frozen=True)
class ScaledEigenvalues:
    """Eigenvalues of S^-1 A S^-1, with S a diagonal matrix.

    An eigenvalue of A itself mixes the units of its rows (kg with kg m^2): whether it is small
    depends on the units. With a scale in the units of each row no eigenvalue has a unit.

    Attributes:
        scale: (n,) diagonal of S, in the units of the rows.
        values: (n,) eigenvalues, ascending.
        vectors: (n, n) unit eigenvectors, as columns.
    """

    scale: Array
    values: Array
    vectors: Array

    @classmethod
    def of(cls, matrix: Array, scale: Array) -> ScaledEigenvalues:
        """Decompose a symmetric matrix (n, n), its rows in the units of `scale` (n,)."""
        return cls(scale, *np.linalg.eigh(matrix / scale / scale[:, None]))

    def below(self, share: float) -> npt.NDArray[np.bool_]:
        """Whether each eigenvalue is below this share of the largest one, (n,)."""
        return self.values < self._floor(share)

    def inverse(self, share: float) -> Array:
        """A^-1 (n, n), with eigenvalues raised to this share of the largest one: finite."""
        raised = np.maximum(self.values, self._floor(share))
        roots = self.vectors / self.scale[:, None]
        inverse: Array = (roots / raised) @ roots.T
        return 0.5 * (inverse + inverse.T)

    def _floor(self, share: float) -> float:
        return max(share * float(self.values[-1]), LEAST)


def without_rounding_noise(M: Array, noise: Array) -> Array:
    """The mass matrix, with zeros for the joints that move nothing but rounding.

    The inertia of a point mass about an axis through it is 1e-17 kg m^2 instead of 0: its row,
    scaled to a unit diagonal, would pass for that of a light joint.

    Args:
        M: (n, n) mass matrix.
        noise: (n,) largest entries of its diagonal that rounding may have left, in their units.
    """
    moves_mass = np.abs(M.diagonal()) > noise
    return np.where(np.outer(moves_mass, moves_mass), M, 0.0)


def mass_matrix_scale(M: Array) -> Array:
    """(n,) scale of each joint: with it M has a unit diagonal.

    A joint that moves no mass has no scale of its own: it gets the mean of the others.

    Args:
        M: (n, n) mass matrix.
    """
    diagonal = np.abs(M.diagonal())
    mean = diagonal.sum() / max(1, np.count_nonzero(diagonal)) or 1.0
    return np.sqrt(np.where(diagonal > 0.0, diagonal, mean))


def twist_scale(matrix: Array, rows: Sequence[int]) -> Array:
    """(m,) scale of each row of a twist: one for the linear rows, one for the angular ones.

    Rows of one kind have the same unit, and are compared as they are; so the result does not
    depend on the directions of the axes. Rows of a kind that are all zero have no scale: 1 in SI.

    Args:
        matrix: (m, m) J M^-1 J^T of these rows.
        rows: entries of the twist, 0 to 2 linear, 3 to 5 angular.
    """
    linear = np.array(rows) < 3
    squares = (linear[:, None] == linear) @ matrix.diagonal()
    return np.sqrt(np.where(squares > 0.0, squares, 1.0))


def check_mass_matrix(
    model: RobotModel, mass_matrix: Callable[[Array], Array], samples: int = 100
) -> None:
    """Refuse a robot whose kinetic energy can be negative: torques for it make no sense.

    A singular mass matrix (a tip without mass) is accepted: gravity compensation needs no inverse.

    Args:
        model: the robot.
        mass_matrix: gives M(q), (n, n), of q, (n,).
        samples: number of random positions to evaluate.

    Raises:
        InertiaError: M(q) is indefinite, or not finite, at one of the sampled positions.
    """
    for state in random_states(model, samples):
        matrix = mass_matrix(state.q)
        if not np.isfinite(matrix).all():
            raise InertiaError(
                'the mass matrix is not finite: masses or lengths are too large, check the units'
            )
        largest = np.array(largest_inertias(model, state.q.tolist()), np.float64)
        M = without_rounding_noise(matrix, SMALLEST_PIVOT * largest)
        # With a unit diagonal a light joint is not hidden by a heavy one, nor by its unit.
        eigenvalues = ScaledEigenvalues.of(M, mass_matrix_scale(M))
        if eigenvalues.values[0] < -ROUNDING * abs(eigenvalues.values[-1]):
            direction = eigenvalues.vectors[:, 0]
            velocity = direction / eigenvalues.scale
            velocity /= np.linalg.norm(velocity)
            joint = model.joint_names[int(np.abs(direction).argmax())]
            findings = '; '.join(str(finding) for finding in model.findings)
            raise InertiaError(
                f'the mass matrix M is indefinite: v^T M v is {velocity @ M @ velocity:.3g} for a '
                f'unit velocity v, mostly of joint {joint!r}; it must not be negative. Correct '
                f'the inertials; findings: {findings or "none"}'
            )
