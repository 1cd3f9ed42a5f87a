"""`robot_dynamics identify`: from recordings to the model of the arm that was recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
from click.core import ParameterSource

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.identification.regression.equation_options import Form

from ..exit_codes import CANNOT_BE_USED, FINDINGS, GOOD
from ..fleet_options import Fleet, fleet_options
from ..output import Output, output_options
from ..recording_files import inputs, named_recordings
from ..recording_options import options_of, parameters_option, recording_options
from ..written_folder import check_folder
from .effort_options import effort_delay, equations_of, friction_smoothing
from .fitted_model import FitOptions
from .identification_tables import show
from .identify_run import Identified, identified
from .payload_command import KnownRobot, identify_payload
from .surveys import check_held_out
from .written_results import objections, results_in, write_results

HELP = """Identify a robot from recordings: inertia, friction, rotors and offsets.

Each BAG is a rosbag2 folder, an .mcap, .db3 or .csv file, or a ROS 1 bag; CSV files that are one
recording together are joined by +. All recordings are of one robot. The last third of each
recording is not fitted: on it the measured effort is compared with the torques of the URDF
and of the identified model. A xacro file takes arguments, name:=value.

DIR gets identified.urdf, a parameter file for dynamics_node, friction.yaml, identification.json,
report.html and report.png. A model that is worse than the URDF on the held-out part, or
that findings make doubtful, is not written without --force.

\b
Examples:
  robot_dynamics identify bag/ --urdf arm.urdf --output identified/
  robot_dynamics identify monday/ --held-out tuesday/ --urdf arm.urdf --output identified/
  robot_dynamics identify panda.db3 --urdf panda.urdf --rename fer_=panda_ --output identified/
  robot_dynamics identify bag/ --urdf arm.urdf --effort current --gain joint2=11.2 --output out/
  robot_dynamics identify loaded/ --without empty/ --urdf arm.urdf --payload tool0
  robot_dynamics identify loaded/ --urdf identified/identified.urdf \\
    --parameters identified/friction.yaml --payload tool0

Exit code 1: there is at least one finding, or the model is not written. 2: a recording cannot be
used.
"""

# Options that have an effect with --payload.
OF_PAYLOAD = (
    '--payload', '--without', '--parameters', '--urdf', '--topic', '--rename', '--cutoff',
    '--json', '--debug',
)  # fmt: skip


@click.command('identify', help=HELP)
@click.argument('words', nargs=-1, metavar='BAG... [NAME:=VALUE]...')
@recording_options
@click.option(
    '--output', 'target', type=click.Path(file_okay=False, path_type=Path), metavar='DIR',
    help='Folder of the results; it is made.',
)  # fmt: skip
@click.option(
    '--held-out', multiple=True, metavar='BAG',
    help='Recording to judge by; may be repeated. [default: the last third of each BAG]',
)  # fmt: skip
@click.option(
    '--effort', type=click.Choice(['torque', 'current']), default='torque', show_default=True,
    help='Kind of the recorded efforts.',
)  # fmt: skip
@click.option(
    '--gain', 'gains', multiple=True, metavar='JOINT=VALUE',
    help='Known gain of a drive, N m/A or N/A; may be repeated.',
)  # fmt: skip
@click.option(
    '--effort-delay', 'delay', default='auto', show_default=True, metavar='auto|SECONDS',
    help='Delay of the efforts behind the states; 0: they are not shifted.',
)  # fmt: skip
@click.option(
    '--friction-smoothing', 'smoothing', default='auto', show_default=True, metavar='auto|V0',
    help='Speed v_0 of the friction law, rad/s or m/s.',
)  # fmt: skip
@click.option(
    '--load', 'loads', multiple=True, metavar='FRAME=KG@BAG',
    help='Load of known mass that one of the recordings has; may be repeated.',
)  # fmt: skip
@click.option(
    '--asymmetric', is_flag=True, help='Friction that differs between the directions; no offset.'
)
@click.option('--springs', is_flag=True, help='Joints have springs.')
@click.option(
    '--form', type=click.Choice(['torque', 'power']), default='torque', show_default=True,
    help='Equations: one for each joint, or one for the power of all.',
)  # fmt: skip
@click.option(
    '--payload', 'frame', metavar='FRAME',
    help='Estimate what this link carries, and nothing else; print what ~/set_payload takes.',
)  # fmt: skip
@click.option(
    '--without', multiple=True, metavar='BAG',
    help='With --payload: a recording without the payload; may be repeated.',
)  # fmt: skip
@parameters_option
@click.option('--force', is_flag=True, help='Write a doubtful model.')
@fleet_options
@output_options
def identify_command(
    words: tuple[str, ...],
    urdf: Path | None,
    topic: str | None,
    rename: tuple[str, ...],
    cutoff: float | None,
    target: Path | None,
    held_out: tuple[str, ...],
    effort: str,
    gains: tuple[str, ...],
    delay: str,
    smoothing: str,
    loads: tuple[str, ...],
    asymmetric: bool,
    springs: bool,
    form: Form,
    frame: str | None,
    without: tuple[str, ...],
    parameters: Path | None,
    force: bool,
    scheduler: str | None,
    jobs: int | None,
    resume: Path | None,
    output: Output,
) -> int:
    """Estimate, judge, print, and write."""
    files, arguments = named_recordings(words)
    options = options_of(urdf, arguments, topic, rename, cutoff, parameters)
    if frame is not None:
        _check_payload()
        references = named_recordings(without)[0] if without else {}
        output.check_files(inputs({**files, **references}, urdf, parameters))
        known = KnownRobot(urdf, parameters, references)
        return identify_payload(options, files, frame, known, output)
    for option, given in (('--without', without), ('--parameters', parameters)):
        if given:
            raise ParameterError(
                f'{option} is for --payload FRAME: name the link, or leave it out'
            )
    if target is None:
        raise ParameterError('name the folder of the results with --output DIR')
    check_folder(target)
    others = named_recordings(held_out)[0] if held_out else {}
    check_held_out(files, others)
    output.check_files(inputs({**files, **others}, urdf), {'--output': results_in(target)})
    equations = equations_of(
        effort=effort, gains=gains, loads=loads, asymmetric=asymmetric, springs=springs, form=form
    )
    fleet = Fleet(scheduler, jobs, resume)
    fit = FitOptions(effort_delay(delay), friction_smoothing(smoothing))
    found = identified(options, equations, files, others, fleet, output, fit)
    doubts = objections(found)
    found = replace(found, identification=replace(found.identification, objections=tuple(doubts)))
    output.write_json(found.identification.as_json())
    show(found.identification, output)
    return _written(found, doubts, target, urdf, force, output)


def _check_payload() -> None:
    """Refuse options that have no effect on the estimate of a payload."""
    context = click.get_current_context()
    given = [
        option.opts[0]
        for option in context.command.params
        if isinstance(option, click.Option)
        and option.opts[0] not in OF_PAYLOAD
        and context.get_parameter_source(option.name or '') is ParameterSource.COMMANDLINE
    ]
    if given:
        raise ParameterError(
            f'--payload estimates what a link carries, and nothing else: leave out '
            f'{", ".join(given)}'
        )


def _written(
    found: Identified,
    doubts: list[str],
    target: Path,
    urdf: Path | None,
    force: bool,
    output: Output,
) -> int:
    """Write the results where nothing speaks against them; the exit code."""
    for doubt in doubts:
        output.error(doubt)
    written = not doubts or force
    if written:
        write_results(found, target, urdf, output)
    else:
        output.error(f'{target} is not written: read the findings; --force writes it anyway')
    judgement = found.identification.judgement
    failed = [one.error for one in judgement.recordings if one.error]
    for error in failed:
        output.error(error)
    if failed:
        return CANNOT_BE_USED
    return GOOD if written and not doubts and not judgement.findings else FINDINGS
