"""`robot_dynamics identify --payload FRAME`: what a link carries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from robot_dynamics_ros.comparison.compared_model import compared_model, joints_that_matter
from robot_dynamics_ros.core import RobotModel, parse_urdf
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.identification.payload import estimate_recorded_payload
from robot_dynamics_ros.recordings import Motion, motions, open_recording

from ..exit_codes import FINDINGS, GOOD
from ..output import Output
from ..recorded_robot import recorded_robot
from ..recording_options import RecordingOptions


def identify_payload(
    options: RecordingOptions,
    files: Mapping[str, tuple[Path, ...]],
    frame: str,
    without: Mapping[str, tuple[Path, ...]],
    output: Output,
) -> int:
    """Estimate what a link carries, and print it with the command that sets it.

    Args:
        options: of the recordings.
        files: of each recording with the payload, by its name.
        frame: name of the link.
        without: files of each recording without the payload, by its name; may be empty.
        output: where the result goes.

    Returns:
        The exit code: 1 where the estimate must not be used.

    Raises:
        RecordingError: a recording cannot be used.
        ModelError: the description cannot be used.
        UnknownNameError: no link has that name.
        ParameterError: no recorded joint moves the link.
    """
    urdf, joints, _ = recorded_robot(options, next(iter(files.values())))
    robot = parse_urdf(urdf)
    _require_joints(robot, joints, frame)
    model = compared_model(robot, joints)
    reference = _motions(options, without, model, output) if without else None
    estimate = estimate_recorded_payload(
        model, frame, _motions(options, files, model, output), reference
    )
    against = ', '.join(without) if without else f'the model {robot.name}, its friction estimated'
    output.write_json({'against': against, **estimate.as_json()})
    output.line(f'against {against}:')
    output.line(estimate.sentence())
    if estimate.refusal:
        return FINDINGS
    output.line(estimate.service_call())
    return GOOD


def _require_joints(robot: RobotModel, recorded: tuple[str, ...], frame: str) -> None:
    """Refuse recordings without a joint whose position changes the torque of the recorded ones.

    Raises:
        RecordingError: one is missing.
    """
    robot.frame(frame)
    if missing := joints_that_matter(robot, recorded):
        raise RecordingError(
            f'joints {", ".join(missing)} are not in the recording, and their position changes '
            'the torque of those that are: record all joints of the arm'
        )


def _motions(
    options: RecordingOptions,
    files: Mapping[str, tuple[Path, ...]],
    model: RobotModel,
    output: Output,
) -> Iterator[Motion]:
    """The motions of one recording after the other."""
    for name, paths in files.items():
        with (
            open_recording(
                paths, topic=options.topic, rename=options.rename, joints=model.joint_names
            ) as recording,
            output.progress(name, recording.size, 'states') as advance,
        ):
            for motion in motions(recording, cutoff=options.cutoff):
                yield motion
                advance(len(motion))
