"""Recorded joints whose torque is unknown without the positions of joints that were not recorded.

The position of a joint changes the gravity torque of the joints that carry it, and of those that
it carries and tilts; and the inertia that the joints before it feel. It does not change what a
joint behind it feels of its own inertia. So behind a base that turns about a vertical axis nothing
depends on it, and before an elbow everything does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.algorithms.crba import mass_matrix
from robot_dynamics_ros.core.algorithms.rnea import gravity_torque
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.sampling import random_states

from .compared_model import locked_position

# Poses that are tried.
POSES = 16
# A change below this share of the largest torque, or of the inertia, is an inaccurate model.
CHANGED = 0.05
# A gravity torque that is a smaller share of the largest of the robot is not one.
NO_GRAVITY = 0.005


def joints_that_depend(
    robot: RobotModel, recorded: Sequence[str], missing: Sequence[str]
) -> tuple[str, ...]:
    """Recorded joints whose gravity torque or own inertia depends on where missing joints are.

    Args:
        robot: the whole robot.
        recorded: names of joints.
        missing: names of joints that were not recorded, see `joints_that_matter`.
    """
    if not missing:
        return ()
    joints = robot.independent_joints
    moved = np.array([state.q for state in random_states(robot, POSES)])
    for index, joint in enumerate(joints):
        if joint.name not in recorded and joint.name not in missing:
            moved[:, index] = locked_position(joint)
    held = moved.copy()
    for index, joint in enumerate(joints):
        if joint.name in missing:
            held[:, index] = locked_position(joint)
    changed = _gravity_changes(robot, held, moved) | _inertia_changes(robot, held, moved)
    return tuple(
        joint.name
        for joint, one in zip(joints, changed, strict=True)
        if one and joint.name in recorded
    )


def _gravity_changes(robot: RobotModel, held: Array, moved: Array) -> npt.NDArray[np.bool_]:
    """Whose gravity torque differs (n,) at poses (N, n)."""
    before, after = (
        np.array([gravity_torque(robot, q.tolist(), STANDARD_GRAVITY) for q in poses], float)
        for poses in (held, moved)
    )
    change, size = (np.abs(values).max(axis=0) for values in (after - before, before))
    changes: npt.NDArray[np.bool_] = (change > CHANGED * size) & (change > NO_GRAVITY * size.max())
    return changes


def _inertia_changes(robot: RobotModel, held: Array, moved: Array) -> npt.NDArray[np.bool_]:
    """Whose own inertia, on the diagonal of the mass matrix, differs (n,) at poses (N, n)."""
    before, after = (
        np.array([np.diag(np.array(mass_matrix(robot, q.tolist()), float)) for q in poses])
        for poses in (held, moved)
    )
    changes: npt.NDArray[np.bool_] = (np.abs(after - before) > CHANGED * before).any(axis=0)
    return changes
