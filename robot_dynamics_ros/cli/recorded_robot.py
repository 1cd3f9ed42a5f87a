"""The robot of a recording: its description, and which of its joints were recorded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from robot_dynamics_ros.comparison.compared_model import heavy_joints, joints_that_matter
from robot_dynamics_ros.comparison.evidence.model_torques import ModelTorques
from robot_dynamics_ros.core import ParameterError, RobotModel, parse_urdf
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel
from robot_dynamics_ros.recordings import Recording, open_recording
from robot_dynamics_ros.recordings.joint_names import offered_renaming, rename_options
from robot_dynamics_ros.scheduling import once

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
    with open_recording(files, topic=options.topic, rename=options.rename) as recording:
        model, urdf = options.model_of(recording)
        if not model.size:
            raise ParameterError(f'robot {model.name!r} has no moving joint: nothing to compute')
        joints = needed_joints(model, recording)
        if not joints:
            # A renaming is offered.
            with open_recording(
                files, topic=options.topic, rename=options.rename, joints=model.joint_names
            ):
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


def renaming_hint(
    options: RecordingOptions, files: Sequence[Path], missing: Sequence[str], robot: Sequence[str]
) -> str:
    """What --rename could do about joints that are missing; empty where nothing is.

    Args:
        options: of the recording.
        files: that together are the recording.
        missing: names of joints of the robot.
        robot: names of all joints of the robot.
    """
    if not missing:
        return ''
    with open_recording(files, topic=options.topic, rename=options.rename) as recording:
        names = recording.names
    others = [old for old, new in names.items() if new not in robot]
    if not others:
        return ''
    offer = rename_options(offered_renaming(tuple(names), missing)) or '--rename RECORDED=NAME'
    return f'The recording has joints that the robot has not, {", ".join(others)}: perhaps {offer}'


def unused_joints(model: RobotModel, recording: Recording) -> str:
    """A remark on joints of a recording that the robot has not; empty without any.

    Args:
        model: of the whole robot.
        recording: of its joints.
    """
    robot = [joint.name for joint in model.joints]
    others = [old for old, new in recording.names.items() if new not in robot]
    if not others:
        return ''
    text = (
        'Recorded and not used, as the description has no moving joint of that name: '
        f'{", ".join(others)}.'
    )
    absent = [name for name in model.joint_names if name not in recording.names.values()]
    offer = rename_options(offered_renaming(tuple(recording.names), absent))
    return f'{text} Perhaps {offer}' if offer else text


@once
def model_torques(
    urdf: str, joints: tuple[str, ...], parameters: JointModel = AS_DESCRIBED
) -> ModelTorques:
    """Torques of a robot whose other joints are locked; compiled once in a process."""
    return ModelTorques.of_joints(parse_urdf(urdf), joints, parameters)
