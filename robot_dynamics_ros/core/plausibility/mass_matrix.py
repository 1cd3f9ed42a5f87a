"""Whether the mass matrix of a robot is possible: without negative eigenvalues."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..checks import Array
from ..errors import InertiaError
from ..model.robot import RobotModel
from ..model.sampling import random_states

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
        eigenvalues, directions = np.linalg.eigh(matrix)
        if eigenvalues[0] < -ROUNDING * abs(eigenvalues[-1]):
            joint = model.joint_names[int(np.abs(directions[:, 0]).argmax())]
            findings = '; '.join(str(finding) for finding in model.findings)
            raise InertiaError(
                f'the mass matrix has the eigenvalue {eigenvalues[0]:.3g}, mostly along joint '
                f'{joint!r}: none may be negative. Correct the inertials; findings: '
                f'{findings or "none"}'
            )
