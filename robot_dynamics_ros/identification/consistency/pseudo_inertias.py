"""Bodies as linear matrix inequalities: the pseudo-inertia is positive definite.

Source: P. M. Wensing, S. Kim, J.-J. E. Slotine, Linear matrix inequalities for physically
consistent inertial parameter identification, IEEE Robotics and Automation Letters 3, 2018.
"""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..parameters.parameter_layout import BODY


def pseudo_inertia_basis() -> Array:
    """(10, 4, 4): the pseudo-inertia [[S, h], [h^T, m]] of each unit parameter.

    S = tr(I) / 2 - I is the second moment, h the first one: it is linear in the parameters m, h,
    Ixx, Ixy, Iyy, Ixz, Iyz, Izz.
    """
    basis = np.zeros((BODY, 4, 4))
    basis[0, 3, 3] = 1.0
    for axis in range(3):
        basis[1 + axis, axis, 3] = basis[1 + axis, 3, axis] = 1.0
    for index, axis in ((4, 0), (6, 1), (9, 2)):
        basis[index, :3, :3] = 0.5 * np.eye(3)
        basis[index, axis, axis] -= 1.0
    for index, (row, column) in ((5, (0, 1)), (7, (0, 2)), (8, (1, 2))):
        basis[index, row, column] = basis[index, column, row] = -1.0
    return basis


def scaled_basis(mass: float, length: float) -> Array:
    """The same (10, 4, 4) in units of a mass and a length: entries of order one.

    Args:
        mass: [kg].
        length: [m].
    """
    units = np.array([1.0 / length, 1.0 / length, 1.0 / length, 1.0])
    result: Array = pseudo_inertia_basis() * np.outer(units, units) / mass
    return result
