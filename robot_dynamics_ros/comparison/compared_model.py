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
    masses = [joint.inertia.mass for joint in model.joints]
    carried = [bool(chain & set(recorded)) for chain in chains]
    light = LIGHT * sum(mass for mass, one in zip(masses, carried, strict=True) if one)
    result = []
    for name in model.joint_names:
        moved = [body for body, chain in enumerate(chains) if name in chain]
        carries = any(model.joints[body].name in recorded for body in moved)
        driven = sum(masses[body] for body in moved if carried[body]) > light
        if name not in recorded and (carries or driven):
            result.append(name)
    return tuple(result)


def _chain(model: RobotModel, body: int) -> set[str]:
    """Names of the independent joints that move a body."""
    names = set()
    while body >= 0:
        names.add(model.joints[body].mimicked or model.joints[body].name)
        body = model.joints[body].parent
    return names
