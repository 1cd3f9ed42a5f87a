"""The model of the joints that a recording has, and what is unknown without the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.algorithms.crba import mass_matrix
from robot_dynamics_ros.core.algorithms.rnea import gravity_torque
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.model.tree import Joint
from robot_dynamics_ros.recordings.joint_names import offered_renaming, rename_options

Flags = npt.NDArray[np.bool_]

# A joint moves little if that is at most this share of the mass that the recorded ones carry:
# fingers of a gripper do.
LIGHT = 0.02
# Poses that are tried.
POSES = 16
# A change below this share of the largest torque, or of the inertia, is an inaccurate model.
CHANGED = 0.05
# A gravity torque that is a smaller share of the largest of the robot is not one.
NO_GRAVITY = 0.005


def compared_model(model: RobotModel, recorded: Sequence[str]) -> RobotModel:
    """The robot whose independent joints are those that were recorded; others are locked.

    They are locked at zero, or at the limit nearest to it.

    Args:
        model: the whole robot.
        recorded: names of joints, in any order; those that the robot has not do not matter.

    Raises:
        ParameterError: the robot has none of them.
    """
    kept = [name for name in model.joint_names if name in recorded]
    if not kept:
        raise ParameterError(
            f'the recording has the joints {", ".join(recorded)}, the robot {model.name} has '
            f'{", ".join(model.joint_names)}: map the names with --rename'
        )
    joints = [joint for joint in model.independent_joints if joint.name not in kept]
    return model.reduced(kept, {one.name: _locked(one) for one in joints}) if joints else model


def unused_joints(model: RobotModel, names: Mapping[str, str]) -> str:
    """That joints were recorded which the robot has not, and what they may be; or empty.

    Args:
        model: the whole robot.
        names: of the recorded joints after renaming, by recorded ones.
    """
    robot = {joint.name for joint in model.joints}
    others = [old for old, new in names.items() if new not in robot]
    if not others:
        return ''
    # A finger that was not recorded is not what another name stands for.
    recorded = [name for name in model.joint_names if name in names.values()]
    absent = joints_that_matter(model, recorded) if recorded else model.joint_names
    offer = rename_options(offered_renaming(tuple(names), absent))
    return (
        'Recorded and not used, as the URDF has no moving joint of that name: '
        f'{", ".join(others)}.{f" Perhaps {offer}." if offer else ""}'
    )


def _locked(joint: Joint) -> float:
    """Where a joint is taken to be that was not recorded [rad or m]."""
    return min(max(0.0, joint.limits.lower), joint.limits.upper)


def moved_bodies(model: RobotModel) -> Flags:
    """Whether each independent joint moves each body, (n, bodies)."""
    moves = np.zeros((model.size, len(model.joints)), bool)
    for body, joint in enumerate(model.joints):
        if joint.parent >= 0:
            moves[:, body] = moves[:, joint.parent]
        moves[model.joint_names.index(joint.mimicked or joint.name), body] = True
    return moves


def joints_that_matter(model: RobotModel, recorded: Sequence[str]) -> tuple[str, ...]:
    """Joints that were not recorded, but whose position changes the torque of one that was.

    They carry a recorded joint, or a recorded one carries them with a mass that is not light.
    """
    moves, known = moved_bodies(model), np.isin(model.joint_names, recorded)
    own = np.isin([joint.mimicked or joint.name for joint in model.joints], recorded)
    carried = moves & moves[known].any(axis=0)
    matters = (moves & own).any(axis=1) | _are_heavy(model, carried, known)
    return _named(model, matters & ~known)


def heavy_joints(model: RobotModel, recorded: Sequence[str]) -> tuple[str, ...]:
    """Other joints that move a mass that is not light against what the recorded ones carry."""
    known = np.isin(model.joint_names, recorded)
    return _named(model, _are_heavy(model, moved_bodies(model), known) & ~known)


def _are_heavy(model: RobotModel, moved: Flags, known: Flags) -> Flags:
    """Whether bodies (n, bodies) are together not light against what recorded joints carry."""
    masses = np.array([joint.inertia.mass for joint in model.joints])
    carried = masses @ moved_bodies(model)[known].any(axis=0)
    return moved @ masses > LIGHT * carried


def _named(model: RobotModel, chosen: Flags) -> tuple[str, ...]:
    return tuple(np.array(model.joint_names)[chosen].tolist())


def joints_that_depend(
    robot: RobotModel,
    recorded: Sequence[str],
    missing: Sequence[str],
    gravity: Sequence[float] = STANDARD_GRAVITY,
) -> tuple[str, ...]:
    """Recorded joints whose gravity torque or own inertia depends on where missing joints are."""
    if not missing:
        return ()
    known, absent = (np.isin(robot.joint_names, names) for names in (recorded, missing))
    held = np.array([state.q for state in random_states(robot, POSES)])
    moved = held.copy()
    held[:, ~known] = np.array([_locked(joint) for joint in robot.independent_joints])[~known]
    moved[:, ~absent] = held[:, ~absent]
    (gravity, inertia), (gravity_moved, inertia_moved) = (
        _gravity_and_inertia(robot, poses, gravity) for poses in (held, moved)
    )
    change, size = (np.abs(one).max(axis=0) for one in (gravity_moved - gravity, gravity))
    changed = (change > CHANGED * size) & (change > NO_GRAVITY * size.max())
    changed |= (np.abs(inertia_moved - inertia) > CHANGED * inertia).any(axis=0)
    return _named(robot, changed & known)


def _gravity_and_inertia(
    robot: RobotModel, poses: Array, gravity: Sequence[float]
) -> tuple[Array, Array]:
    """Gravity torques and the diagonals of the mass matrix (N, n) at poses (N, n)."""
    torques = [gravity_torque(robot, q.tolist(), tuple(gravity)) for q in poses]
    inertia = [np.diag(np.array(mass_matrix(robot, q.tolist()), float)) for q in poses]
    return np.array(torques, float), np.array(inertia)
