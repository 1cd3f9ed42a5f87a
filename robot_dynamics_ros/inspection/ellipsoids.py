"""Boxes and ellipsoids that show inertia, mobility, and the force that joints can hold."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.spatial import Inertia

# Share of the largest load below which a direction has no lever: only the structure limits it.
NO_LEVER = 1e-3


def equal_box(inertia: Inertia) -> tuple[Array, Array, Array]:
    """Centre (3,), sides (3,) [m] and directions, as columns, of the uniform box with an inertia.

    It has the second moments m s^2 / 12; a side is 0 where the inertia allows none.
    """
    rotational = np.array(inertia.rotational_at_center_of_mass)
    moments, axes = np.linalg.eigh(0.5 * rotational.trace() * np.eye(3) - rotational)
    sides = np.sqrt(np.maximum(12.0 * moments / inertia.mass, 0.0))
    return np.array(inertia.center_of_mass), sides, axes


def mobility(dynamics: RobotDynamics, q: Array, frame: str) -> tuple[Array, Array]:
    """Semi-axes (3,) [1/kg] and directions, as columns, of the acceleration of a unit force.

    The eigenvalues of J M^-1 J^T (Hogan, "Impedance control", 1985).
    """
    inertia, axes = np.linalg.eigh(dynamics.task_inertia(q, frame, rows=(0, 1, 2)).inertia)
    return 1.0 / np.maximum(inertia, np.finfo(float).tiny), axes


def largest_force(dynamics: RobotDynamics, q: Array, frame: str) -> tuple[Array, Array]:
    """Semi-axes (3,) [N] and directions, as columns, of the forces f with |J^T f / limits| = 1."""
    J = dynamics.jacobian(q, frame)[:3] / dynamics.model.effort_bounds
    loads, axes = np.linalg.eigh(J @ J.T)
    least = NO_LEVER * loads.max() + np.finfo(float).tiny
    return 1.0 / np.sqrt(np.maximum(loads, least)), axes
