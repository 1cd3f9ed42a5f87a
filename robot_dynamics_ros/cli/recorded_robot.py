"""The robot of a recording: its description, and which of its joints were recorded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from robot_dynamics_ros.comparison.evidence.model_torques import ModelTorques
from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.recordings import open_recording
from robot_dynamics_ros.recordings.joint_names import offered_renaming, rename_options
from robot_dynamics_ros.scheduling import once

from .recording_options import RecordingOptions


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
        joints = tuple(name for name in model.joint_names if name in recording.joints)
        if not joints:
            # They may be in other messages; if not, a renaming is offered.
            with open_recording(
                files, topic=options.topic, rename=options.rename, joints=model.joint_names
            ):
                joints = model.joint_names
    return urdf, joints, tuple(name for name in model.joint_names if name not in joints)


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


@once
def model_torques(urdf: str, joints: tuple[str, ...]) -> ModelTorques:
    """Torques of a robot whose other joints are locked; compiled once in a process."""
    return ModelTorques.of_joints(parse_urdf(urdf), joints)
