"""The ten parameters of a body as its pseudo-inertia, a matrix, and back.

Wensing, Kim, Slotine, "Linear matrix inequalities for physically consistent inertial parameter
identification" (2018): a body can exist if P = [[S, m c], [m c^T, m]] is positive semidefinite,
with S = integral p p^T dm its second moment. P is linear in the parameters, and has as many.
"""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS, body_of

BODY = len(PARAMETERS)
SIZE = 4


def pseudo_inertia(parameters: Array) -> Array:
    """P (4, 4) of `PARAMETERS` (10,)."""
    body = body_of(parameters.tolist())
    matrix = np.empty((SIZE, SIZE))
    matrix[:3, :3] = body.second_moment
    matrix[:3, 3] = matrix[3, :3] = body.first_moment
    matrix[3, 3] = body.mass
    return matrix


# (16, 10): the entries of P, row by row, are ENTRIES @ parameters.
ENTRIES = np.stack([pseudo_inertia(unit).ravel() for unit in np.eye(BODY)], axis=1)
# (10, 16): of a symmetric P.
PARAMETERS_OF = np.linalg.pinv(ENTRIES)
# (16, 10): the entries of a symmetric matrix from those on and above its diagonal, row by row.
UPPER = np.triu_indices(SIZE)
SYMMETRIC = np.zeros((SIZE * SIZE, BODY))
for _k, (_i, _j) in enumerate(zip(*UPPER, strict=True)):
    SYMMETRIC[[SIZE * _i + _j, SIZE * _j + _i], _k] = 1.0


def congruence(root: Array) -> Array:
    """(10, 10): the parameters of L X L^T, from the entries of X on and above its diagonal.

    Args:
        root: L (4, 4).
    """
    matrix: Array = PARAMETERS_OF @ np.kron(root, root) @ SYMMETRIC
    return matrix
