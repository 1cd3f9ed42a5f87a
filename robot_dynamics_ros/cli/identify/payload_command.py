"""`robot_dynamics identify --payload FRAME`: what a link carries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from robot_dynamics_ros.comparison.compared_model import compared_model, joints_that_matter
from robot_dynamics_ros.comparison.evidence.excerpts import Excerpts
from robot_dynamics_ros.comparison.velocity_findings import check_velocities
from robot_dynamics_ros.core import RobotModel, parse_urdf
from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.identification.payload import estimate_recorded_payload
from robot_dynamics_ros.identification.results.result_files import FRICTION
from robot_dynamics_ros.joint_model import read_joint_model
from robot_dynamics_ros.recordings import Motion, motions, open_recording

from ..exit_codes import FINDINGS, GOOD
from ..output import Output
from ..recorded_robot import recorded_robot
from ..recording_options import RecordingOptions


@dataclass(frozen=True)
class KnownRobot:
    """What is known of a robot without its payload.

    Attributes:
        urdf: file of the description; None for a recorded one.
        parameters: file of friction, offsets and rotors; None: there is none.
        without: files of each recording without the payload, by its name; may be empty.
    """

    urdf: Path | None = None
    parameters: Path | None = None
    without: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)

    def against(self, robot: RobotModel) -> str:
        """What the payload is relative to."""
        if self.without:
            return ', '.join(self.without)
        if self.parameters is not None:
            return f'the model {robot.name} with {self.parameters}, other friction estimated'
        return f'the model {robot.name}, its friction estimated'

    def remark(self, robot: RobotModel) -> str:
        """That rotors of an identified model are missing, which would be payload; or empty."""
        if self.urdf is None or self.parameters is not None or self.without:
            return ''
        beside = self.urdf.parent / FRICTION
        if not _has_rotors(beside, robot):
            return ''
        return (
            f'{beside} lies beside the description and has rotor inertias, which a URDF does not '
            'hold: without them they are part of the inertia of the payload. Name it with '
            f'--parameters {beside}.'
        )


def _has_rotors(file: Path, robot: RobotModel) -> bool:
    """Whether a file has rotor inertias of the joints of a robot."""
    if not file.is_file():
        return False
    try:
        found = read_joint_model(file)
        found.check_joints(robot)
    except (ParameterError, OSError):
        return False
    return any(value for _, value in found.armature)


def identify_payload(
    options: RecordingOptions,
    files: Mapping[str, tuple[Path, ...]],
    frame: str,
    known: KnownRobot,
    output: Output,
) -> int:
    """Estimate what a link carries, and print it with the command that sets it.

    Args:
        options: of the recordings.
        files: of each recording with the payload, by its name.
        frame: name of the link.
        known: of the robot without the payload.
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
    options.parameters.check_joints(robot)
    without = known.without
    estimate = estimate_recorded_payload(
        model,
        frame,
        _motions(options, files, model, output),
        _motions(options, without, model, output) if without else None,
        options.parameters,
    )
    against, remark = known.against(robot), known.remark(robot)
    output.write_json({'against': against, 'remark': remark, **estimate.as_json()})
    output.line(f'against {against}:')
    if remark:
        output.line(remark)
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
    """The motions of one recording after the other.

    Raises:
        RecordingError: a recording cannot be used, as with velocities of something else.
    """
    for name, paths in files.items():
        with (
            open_recording(
                paths, topic=options.topic, rename=options.rename, joints=model.joint_names
            ) as recording,
            output.progress(name, recording.size, 'states') as advance,
        ):
            recording.judge_efforts(model)
            excerpts = Excerpts()
            for motion in motions(recording, cutoff=options.cutoff):
                excerpts.add(motion)
                yield motion
                advance(len(motion))
            for joint, efforts in recording.quality.implausible.items():
                output.warning(f'{name}: {efforts.sentence(joint)}')
            check_velocities(name, model, excerpts)
