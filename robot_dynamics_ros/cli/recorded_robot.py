"""The robot of a recording: its description, and which of its joints were recorded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from robot_dynamics_ros.comparison.model_torques import ModelTorques
from robot_dynamics_ros.comparison.recorded_joints import heavy_joints, joints_that_matter
from robot_dynamics_ros.core import ParameterError, RobotModel, parse_urdf
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Recording

from .recording_options import RecordingOptions

# Times the usual interval: what comes more rarely would take samples from the others.
MORE_RARELY = 1.1


def recorded_robot(
    options: RecordingOptions, files: Sequence[Path]
) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """URDF, joints that were recorded, and joints of the robot that were not.

    Args:
        options: of the recording.
        files: that together are the recording.

    Raises:
        RecordingError: the recording cannot be used.
        ModelError: the description cannot be used.
        ParameterError: the robot has no moving joint.
    """
    with options.open(files) as recording:
        model, urdf = options.model_of(recording)
        if not model.size:
            raise ParameterError(f'robot {model.name!r} has no moving joint: nothing to compute')
        joints = needed_joints(model, recording)
        if not joints:
            # A renaming is offered.
            with options.open(files, joints=model.joint_names):
                joints = model.joint_names
    return urdf, joints, tuple(name for name in model.joint_names if name not in joints)


def needed_joints(model: RobotModel, recording: Recording) -> tuple[str, ...]:
    """Joints of the robot that are to be read, in the order of the robot.

    They are those of the messages that have most joints. Those of other messages, such as of
    another driver, are merged with them if a joint there matters to these, or moves much mass and
    does not come more rarely: neither holds for a finger.

    Args:
        model: of the whole robot.
        recording: of its joints.
    """
    read = tuple(name for name in model.joint_names if name in recording.joints)
    matter = set(joints_that_matter(model, read) if read else model.joint_names)
    heavy = set(heavy_joints(model, read))
    joints = set(read)
    for kind, interval in recording.kinds.items():
        as_often = interval < MORE_RARELY * recording.interval
        if matter.intersection(kind) or (as_often and heavy.intersection(kind)):
            joints.update(kind)
    return tuple(name for name in model.joint_names if name in joints)


@lru_cache(maxsize=4)
def model_torques(
    urdf: str, joints: tuple[str, ...], parameters: JointModel = AS_DESCRIBED
) -> ModelTorques:
    """Torques of a robot whose other joints are locked; compiled once in a process."""
    return ModelTorques(parse_urdf(urdf), joints, parameters)
