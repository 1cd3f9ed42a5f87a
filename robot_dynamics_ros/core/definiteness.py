"""Whether the mass matrix of a robot is possible: positive semi-definite."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .algorithms.crba import rounding_of_inertias
from .checks import Array
from .errors import InertiaError
from .model.robot import RobotModel
from .model.sampling import random_states
from .scaled_eigenvalues import ScaledEigenvalues, mass_matrix_scale, without_rounding_noise

# Share of the largest eigenvalue by which rounding may leave a zero one below zero.
ROUNDING = 1e-12


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
        M = without_rounding_noise(matrix, rounding_of_inertias(model, state.q))
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
