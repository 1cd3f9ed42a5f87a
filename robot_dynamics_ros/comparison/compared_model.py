"""The model of the joints that a recording has."""

from __future__ import annotations

from collections.abc import Sequence

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.errors import ParameterError


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
        joint.name: min(max(0.0, joint.limits.lower), joint.limits.upper)
        for joint in model.independent_joints
        if joint.name not in kept
    }
    return model.reduced(kept, locked) if locked else model


def joints_before(model: RobotModel, recorded: Sequence[str]) -> tuple[str, ...]:
    """Joints that were not recorded, but carry one that was: their position matters.

    Args:
        model: the whole robot.
        recorded: names of joints.
    """
    carriers = set()
    for joint in model.joints:
        if joint.name in recorded:
            parent = joint.parent
            while parent >= 0:
                carriers.add(model.joints[parent].mimicked or model.joints[parent].name)
                parent = model.joints[parent].parent
    return tuple(name for name in model.joint_names if name in carriers and name not in recorded)
