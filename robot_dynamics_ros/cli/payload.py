"""`robot_dynamics payload`: what a link carries, from recordings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from robot_dynamics_ros.comparison.evidence import Reach
from robot_dynamics_ros.comparison.motion_findings import check_motion
from robot_dynamics_ros.comparison.recorded_joints import compared_model, joints_that_matter
from robot_dynamics_ros.core import RobotModel, parse_urdf
from robot_dynamics_ros.core.errors import ParameterError, RecordingError
from robot_dynamics_ros.identification.payload import estimate_recorded_payload
from robot_dynamics_ros.identification.result_files import FRICTION
from robot_dynamics_ros.joint_model import read_joint_model
from robot_dynamics_ros.recordings import Motion

from .output import FINDINGS, GOOD, Output, Subcommand, output_options
from .recorded_robot import recorded_robot
from .recording_options import (
    RecordingOptions,
    inputs,
    named_recordings,
    options_of,
    parameters_option,
    recording_options,
)

HELP = """Estimate what a link carries: mass, centre of mass and inertia, with 95 % intervals.

Each BAG is a rosbag2 folder, an .mcap, .db3 or .csv file, or a ROS 1 bag, of the arm that moves
with the payload; CSV files that are one recording together are joined by +. The estimate is of
everything that the link carries and the URDF does not have; it is printed with the command that
sets it in a running node. A xacro file takes arguments, name:=value.

With --without, recordings of the same arm without the payload, errors of the model cancel.

\b
Examples:
  robot_dynamics payload with_tool/ --urdf arm.urdf --frame tool0
  robot_dynamics payload with_tool/ --urdf arm.urdf --frame tool0 --without empty/
  robot_dynamics payload with_tool/ --urdf identified/identified.urdf \\
      --parameters identified/friction.yaml --frame tool0 --json -

Exit code 1: the data do not determine the payload. 2: a recording cannot be used.
"""


@click.command('payload', cls=Subcommand, help=HELP)
@click.argument('words', nargs=-1, metavar='BAG... [NAME:=VALUE]...')
@recording_options
@parameters_option
@click.option('--frame', required=True, metavar='LINK', help='Link that carries the payload.')
@click.option(
    '--without', multiple=True, metavar='BAG',
    help='Recording of the arm without the payload; may be repeated.',
)  # fmt: skip
@output_options
def payload_command(
    words: tuple[str, ...],
    urdf: Path | None,
    topic: str | None,
    rename: tuple[str, ...],
    cutoff: float | None,
    parameters: Path | None,
    frame: str,
    without: tuple[str, ...],
    output: Output,
) -> int:
    """Estimate, and print the estimate with the command that sets it."""
    files, arguments = named_recordings(words)
    references = named_recordings(without)[0] if without else {}
    output.check_files(inputs({**files, **references}, urdf, parameters))
    options = options_of(urdf, arguments, topic, rename, cutoff, parameters)
    text, joints, _ = recorded_robot(options, next(iter(files.values())))
    robot = parse_urdf(text)
    robot.frame(frame)
    if missing := joints_that_matter(robot, joints):
        raise RecordingError(
            f'joints {", ".join(missing)} are not in the recording, and their position changes '
            'the torque of those that are: record all joints of the arm'
        )
    options.parameters.check_joints(robot)
    model = compared_model(robot, joints)
    estimate = estimate_recorded_payload(
        model,
        frame,
        _motions(options, files, model, output),
        _motions(options, references, model, output) if references else None,
        options.parameters,
    )
    given = f' with {parameters}, other' if parameters else ', its'
    against = ', '.join(references) or f'the model {robot.name}{given} friction estimated'
    beside = '' if references or parameters else _rotors_beside(urdf, robot)
    output.write_json({'against': against, 'remark': beside, **estimate.as_json()})
    output.line(f'against {against}:')
    if beside:
        output.line(beside)
    output.line(estimate.sentence())
    if estimate.refusal:
        return FINDINGS
    output.line(estimate.service_call())
    return GOOD


def _rotors_beside(urdf: Path | None, robot: RobotModel) -> str:
    """That rotors of an identified model are missing, which would be payload; or empty."""
    if urdf is None or not (beside := urdf.parent / FRICTION).is_file():
        return ''
    try:
        found = read_joint_model(beside)
        found.check_joints(robot)
    except (ParameterError, OSError):
        return ''
    if not any(value for _, value in found.armature):
        return ''
    return (
        f'{beside} lies beside the URDF and has rotor inertias, which a URDF does not hold: '
        f'without them they are part of the inertia of the payload. Name it with --parameters '
        f'{beside}.'
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
            options.open(paths, model, model.joint_names) as recording,
            output.progress(name, recording.size, 'states') as advance,
        ):
            reach = Reach.of_nothing(model.size)
            for motion in recording.motions():
                reach.add(motion)
                yield motion
                advance(len(motion))
            for joint, efforts in recording.quality.implausible.items():
                output.warning(f'{name}: {efforts.sentence(joint)}')
            check_motion(name, model, reach, recording.quality)
