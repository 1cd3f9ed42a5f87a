"""The model of the joints that a recording has."""

from __future__ import annotations

from collections.abc import Sequence

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.tree import Joint

# A joint moves little if that is at most this share of the mass that the recorded ones carry:
# fingers of a gripper do.
LIGHT = 0.02


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
    locked = {
        joint.name: locked_position(joint)
        for joint in model.independent_joints
        if joint.name not in kept
    }
    return model.reduced(kept, locked) if locked else model


def locked_position(joint: Joint) -> float:
    """Where a joint is taken to be that was not recorded [rad or m]."""
    return min(max(0.0, joint.limits.lower), joint.limits.upper)


def joints_that_matter(model: RobotModel, recorded: Sequence[str]) -> tuple[str, ...]:
    """Joints that were not recorded, but whose position changes the torque of one that was.

    They carry a recorded joint, or a recorded one carries them with a mass that is not light.

    Args:
        model: the whole robot.
        recorded: names of joints.
    """
    chains = [_chain(model, body) for body in range(len(model.joints))]
    light = _light(model, recorded)
    result = []
    for name in model.joint_names:
        moved = [body for body, chain in enumerate(chains) if name in chain]
        carries = any(model.joints[body].name in recorded for body in moved)
        carried = [body for body in moved if chains[body] & set(recorded)]
        driven = _mass(model, carried) > light
        if name not in recorded and (carries or driven):
            result.append(name)
    return tuple(result)


def carriers(
    model: RobotModel, recorded: Sequence[str], missing: Sequence[str]
) -> tuple[str, ...]:
    """Recorded joints that carry one that is missing, and so what may be fixed behind it.

    Args:
        model: the whole robot.
        recorded: names of joints.
        missing: names of joints that were not recorded, see `joints_that_matter`.
    """
    before: set[str] = set()
    for body, joint in enumerate(model.joints):
        if (joint.mimicked or joint.name) in missing:
            before |= _chain(model, body)
    return tuple(name for name in model.joint_names if name in before and name in recorded)


def heavy_joints(model: RobotModel, recorded: Sequence[str]) -> tuple[str, ...]:
    """Other joints that move a mass that is not light against what the recorded ones carry.

    Args:
        model: the whole robot.
        recorded: names of joints.
    """
    chains = [_chain(model, body) for body in range(len(model.joints))]
    moved = {
        name: _mass(model, [body for body, chain in enumerate(chains) if name in chain])
        for name in model.joint_names
        if name not in recorded
    }
    light = _light(model, recorded)
    return tuple(name for name, mass in moved.items() if mass > light)


def _light(model: RobotModel, recorded: Sequence[str]) -> float:
    """The most mass that is light against what the recorded joints carry [kg]."""
    bodies = range(len(model.joints))
    return LIGHT * _mass(model, [b for b in bodies if _chain(model, b) & set(recorded)])


def _mass(model: RobotModel, bodies: Sequence[int]) -> float:
    """Of some bodies together [kg]."""
    return sum(model.joints[body].inertia.mass for body in bodies)


def _chain(model: RobotModel, body: int) -> set[str]:
    """Names of the independent joints that move a body."""
    names = set()
    while body >= 0:
        names.add(model.joints[body].mimicked or model.joints[body].name)
        body = model.joints[body].parent
    return names
