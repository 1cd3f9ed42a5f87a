"""`robot_dynamics payload`: what a link carries, from recordings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import click

from robot_dynamics_ros.comparison.recorded_joints import compared_model, joints_that_matter
from robot_dynamics_ros.comparison.sample_findings import check_motion
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.identification.payload import estimate_recorded_payload
from robot_dynamics_ros.identification.result_files import FRICTION
from robot_dynamics_ros.recordings import Motion, Recording
from robot_dynamics_ros.regression.rows import motions_cutoff

from .options import RECORDINGS, subcommand
from .output import Output, exit_code
from .recordings import Recordings, named_files


@subcommand('payload', *RECORDINGS, 'cutoff', 'parameters')
@click.option('--frame', required=True, metavar='LINK', help='Link that carries the payload.')
@click.option('--without', multiple=True, metavar='BAG',
              help='Recording of the arm without the payload; may be repeated.')  # fmt: skip
def payload_command(
    recordings: Recordings, frame: str, without: tuple[str, ...], output: Output
) -> int:
    """Estimate what a link carries: mass, centre of mass and inertia, with 95 % intervals.

    The arm moves with the payload: everything that the link carries and the URDF does not have.
    With --without, recordings of the same arm without it, errors of the model cancel.

    Examples:
      robot_dynamics payload with_tool/ --urdf arm.urdf --frame tool0 --without empty/
      robot_dynamics payload tool/ --urdf arm.urdf --parameters friction.yaml --frame tool0
    """
    references = replace(recordings, files=named_files(without))
    _, robot, joints = recordings.robot(next(iter(recordings.files)))
    robot.frame(frame)
    if missing := joints_that_matter(robot, joints):
        raise RecordingError(
            f'joints {", ".join(missing)} are not in the recording, and their position changes '
            'the torque of those that are: record all joints of the arm'
        )
    recordings.joint_model.check_joints(robot)
    model = compared_model(robot, joints)
    opened = [
        {name: one.open(name, model, model.joint_names) for name in one.files}
        for one in (recordings, references)
    ]
    cutoff = min(one.usual_cutoff() for group in opened for one in group.values())
    with_payload, empty = (_motions(group, model, output, cutoff) for group in opened)
    estimate = estimate_recorded_payload(
        model, frame, with_payload, empty if without else None, recordings.joint_model,
        gravity=recordings.gravity, cutoff=cutoff,
    )  # fmt: skip
    parameters = recordings.parameters
    given = f' with {parameters}, other' if parameters else ', its'
    against = ', '.join(without) or f'the model {robot.name}{given} friction estimated'
    beside = recordings.urdf_file and recordings.urdf_file.parent / FRICTION
    remark = ''
    if beside and beside.is_file() and not (without or parameters):
        # A URDF holds no rotors: without them they are part of the inertia of the payload.
        remark = f'{beside} lies beside the URDF: name it with --parameters {beside}'
    output.write_json({'against': against, 'remark': remark, **estimate.as_json()})
    call = '' if estimate.refusal else estimate.service_call()
    for line in filter(None, [f'against {against}:', remark, estimate.sentence(), call]):
        output.line(line)
    return exit_code(estimate.refusal)


def _motions(
    opened: Mapping[str, Recording], model: RobotModel, output: Output, cutoff: float
) -> Iterator[Motion]:
    """The motions of one recording after the other, for equations with a cutoff [Hz]."""
    for name, recording in opened.items():
        check_motion(name, model, recording)
        yield from recording.motions(cutoff=motions_cutoff(cutoff, 1.0 / recording.interval))
        for joint, efforts in recording.quality.implausible.items():
            output.warning(f'{name}: {efforts.sentence(joint)}')
