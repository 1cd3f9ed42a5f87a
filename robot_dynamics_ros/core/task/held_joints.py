"""The acceleration of some joints while the others are held where they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..checks import Array
from ..errors import SingularMassMatrixError, StateError
from ..scaled_eigenvalues import ScaledEigenvalues, mass_matrix_scale
from .task_space import NEARLY_MASSLESS


def acceleration_of_moving_joints(M: Array, torque: Array, joints: Sequence[str]) -> Array:
    """a (k,) with M a = torque [rad/s^2 or m/s^2].

    Args:
        M: (k, k) rows and columns of the mass matrix of the joints that move.
        torque: (k,) what is left of their torques after gravity and velocity terms [N m or N].
        joints: names of the joints that move.

    Raises:
        StateError: the acceleration is not finite.
        SingularMassMatrixError: M is singular.
    """
    eigenvalues = ScaledEigenvalues.of(M, mass_matrix_scale(M))
    if eigenvalues.below(NEARLY_MASSLESS).any():
        raise SingularMassMatrixError(
            f'the mass matrix is singular here: some motion of {", ".join(joints)} moves no mass, '
            'so that no torque determines its acceleration; give every moving link an inertial, '
            'or hold more joints'
        )
    scale, values, vectors = eigenvalues.scale, eigenvalues.values, eigenvalues.vectors
    with np.errstate(over='ignore', invalid='ignore'):
        acceleration: Array = vectors @ ((torque / scale) @ vectors / values) / scale
    if not np.isfinite(acceleration).all():
        raise StateError('forward_dynamics has no finite value at this state and torque')
    return acceleration
