"""`robot_dynamics payload`: what a link carries, from recordings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from robot_dynamics_ros.comparison.recorded_joints import compared_model, joints_that_matter
from robot_dynamics_ros.comparison.sample_findings import Reach, check_motion
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.identification.payload import estimate_recorded_payload
from robot_dynamics_ros.identification.result_files import FRICTION
from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.recordings.low_pass import checked_cutoff
from robot_dynamics_ros.regression.rows import motions_cutoff

from .output import Output, exit_code, output_options
from .recordings import (
    BAGS,
    Files,
    NamedRecordings,
    RecordingOptions,
    named_files,
    recorded_robot,
    recording_options,
)

HELP = f"""Estimate what a link carries: mass, centre of mass and inertia, with 95 % intervals.

The arm moves with the payload. The estimate is of everything that the link carries and the URDF
does not have; it is printed with the command that sets it in a running node. With --without,
recordings of the same arm without the payload, errors of the model cancel. {BAGS}

\b
Examples:
  robot_dynamics payload with_tool/ --urdf arm.urdf --frame tool0
  robot_dynamics payload with_tool/ --urdf arm.urdf --frame tool0 --without empty/
  robot_dynamics payload with_tool/ --urdf arm.urdf --frame tool0 --gravity 0,0,9.81
  robot_dynamics payload with_tool/ --urdf identified/identified.urdf \\
      --parameters identified/friction.yaml --frame tool0 --json -

Exit code 1: the data do not determine the payload. 2: a recording cannot be used.
"""


@click.command('payload', help=HELP)
@recording_options('cutoff', 'parameters')
@click.option('--frame', required=True, metavar='LINK', help='Link that carries the payload.')
@click.option(
    '--without', multiple=True, metavar='BAG',
    help='Recording of the arm without the payload; may be repeated.',
)  # fmt: skip
@output_options
def payload_command(
    recordings: NamedRecordings, frame: str, without: tuple[str, ...], output: Output
) -> int:
    """Estimate, and print the estimate with the command that sets it."""
    files, references = recordings.files, named_files(without)
    options = recordings.options()
    _, robot, joints = recorded_robot(options, next(iter(files.values())))
    robot.frame(frame)
    if missing := joints_that_matter(robot, joints):
        raise RecordingError(
            f'joints {", ".join(missing)} are not in the recording, and their position changes '
            'the torque of those that are: record all joints of the arm'
        )
    options.parameters.check_joints(robot)
    model = compared_model(robot, joints)
    cutoff = min(_cutoff(options, paths, model) for paths in {**files, **references}.values())
    estimate = estimate_recorded_payload(
        model,
        frame,
        _motions(options, files, model, output, cutoff),
        _motions(options, references, model, output, cutoff) if references else None,
        options.parameters,
        gravity=options.gravity,
        cutoff=cutoff,
    )
    parameters = recordings.parameters
    given = f' with {parameters}, other' if parameters else ', its'
    against = ', '.join(references) or f'the model {robot.name}{given} friction estimated'
    beside = recordings.urdf.parent / FRICTION if recordings.urdf else None
    remark = ''
    if beside and beside.is_file() and not (references or parameters):
        # A URDF holds no rotors: without them they are part of the inertia of the payload.
        remark = f'{beside} lies beside the URDF: name it with --parameters {beside}'
    output.write_json({'against': against, 'remark': remark, **estimate.as_json()})
    output.line(f'against {against}:')
    if remark:
        output.line(remark)
    output.line(estimate.sentence())
    if not estimate.refusal:
        output.line(estimate.service_call())
    return exit_code(estimate.refusal)


def _cutoff(options: RecordingOptions, files: Sequence[Path], model: RobotModel) -> float:
    """That which is asked for, or of the spectrum of a recording [Hz].

    Raises:
        RecordingError: the recording cannot be read, or the cutoff is not possible.
    """
    recording = options.open(files, model, model.joint_names)
    if recording.cutoff is None:
        return recording.usual_cutoff()
    return checked_cutoff(recording.cutoff, 1.0 / recording.interval)


def _motions(
    options: RecordingOptions, files: Files, model: RobotModel, output: Output, cutoff: float
) -> Iterator[Motion]:
    """The motions of one recording after the other, for equations with a cutoff [Hz].

    Raises:
        RecordingError: a recording cannot be used, as with velocities of something else.
    """
    for name, paths in files.items():
        recording = options.open(paths, model, model.joint_names)
        with output.progress(name, recording.size, 'states') as advance:
            reach = Reach(model.size)
            wide = motions_cutoff(cutoff, 1.0 / recording.interval)
            for motion in recording.motions(cutoff=wide):
                reach.add(motion.averaged(cutoff))
                yield motion
                advance(len(motion))
            for joint, efforts in recording.quality.implausible.items():
                output.warning(f'{name}: {efforts.sentence(joint)}')
            check_motion(name, model, reach, recording.quality)
