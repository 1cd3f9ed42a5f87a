"""`robot_dynamics identify`: from recordings to the model of the arm that was recorded."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.identification import Identifier
from robot_dynamics_ros.identification.identification_report import identification_report
from robot_dynamics_ros.identification.identified import READ_AGAIN
from robot_dynamics_ros.identification.identifier import EFFORTS
from robot_dynamics_ros.joint_model import read_joint_model
from robot_dynamics_ros.scheduling import outcome

from .options import RECORDINGS, subcommand
from .output import Output, ToWrite, exit_code, named_values, word_or_number, writes
from .recordings import Recordings, named_files
from .view import view_recording


@subcommand('identify', *RECORDINGS, 'cutoff')
@click.option('--output', 'target', type=ToWrite(file_okay=False), metavar='DIR', required=True,
              help='Folder of the results; it is made.')  # fmt: skip
@click.option('--held-out', multiple=True, metavar='BAG',
              help='Recording to validate by; may be repeated. [default: quarters]')  # fmt: skip
@click.option('--effort', type=click.Choice(EFFORTS), default='torque', show_default=True,
              help='Recorded efforts; torque-sensor: behind the gears.')  # fmt: skip
@click.option('--gain', 'gains', multiple=True, metavar='JOINT=VALUE',
              help='Known gain of a drive, N m/A or N/A; may be repeated.')  # fmt: skip
@click.option('--load', 'loads', multiple=True, metavar='FRAME=KG@BAG',
              help='Known mass that one recording carries; may be repeated.')  # fmt: skip
@click.option('--effort-delay', 'delay', type=word_or_number('auto'), default='auto',
              show_default=True, metavar='auto|SECONDS',
              help='Delay of the efforts behind the states; 0: they are not shifted.')  # fmt: skip
@click.option('--friction', type=word_or_number('auto', 'asymmetric'), default='auto',
              show_default=True, metavar='auto|asymmetric|V0',
              help='The law that explains most; the same for each direction, without offset; or '
              'viscous and Coulomb alone with this v_0, rad/s or m/s.')  # fmt: skip
@click.option('--doubtful', is_flag=True,
              help='Write a doubtful model too, or one worse than the URDF.')  # fmt: skip
@click.option('--view', is_flag=True, help='Then show the first BAG in a browser, beside what was '
              'identified.')  # fmt: skip
def identify_command(
    recordings: Recordings,
    target: Path,
    held_out: tuple[str, ...],
    gains: tuple[str, ...],
    loads: tuple[str, ...],
    doubtful: bool,
    view: bool,
    output: Output,
    **asked: Any,
) -> int:
    """Identify a robot from recordings: inertia, friction, rotors and offsets.

    All recordings are of one robot. Residuals are those of motion that was not fitted: each
    quarter of the time, or what is held out; what is written is fitted to everything.

    Examples:
      robot_dynamics identify bag/ --urdf arm.urdf --output identified/
      robot_dynamics identify monday/ --held-out tuesday/ --urdf arm.urdf --output identified/
      robot_dynamics identify bag/ --urdf arm.urdf --effort current --gain elbow=11.2 --output out/
    """
    writes('--output', *(target / name for name in READ_AGAIN))
    known = named_values('--gain', 'JOINT=VALUE', gains)
    masses = named_values('--load', 'FRAME=KG@BAG', loads)
    groups = recordings.files, named_files(held_out)
    both = replace(recordings, files={**groups[0], **groups[1]})
    robots = {name: outcome(both.robot, name) for name in both.files}
    failed = {name: one.error for name, one in robots.items() if one.error}
    for files in groups:
        if files and failed.keys() >= files.keys():
            raise RecordingError('; '.join(failed[name] for name in files))
    opens = {
        name: partial(both.open, name, *one.result[1:])
        for name, one in robots.items()
        if not one.error
    }
    fitted, others = ({name: opens[name] for name in files if name in opens} for files in groups)
    urdf, *_ = robots[next(iter(opens))].result
    identifier = Identifier(
        urdf, gains=known, loads=[(frame, mass, name) for (frame, name), mass in masses.items()],
        progress=output.progress, gravity=recordings.gravity, **asked,
    )  # fmt: skip
    found = identifier.fit(fitted, others)
    found = replace(found, errors={**failed, **found.errors})
    output.write_json(found.as_json())
    output.show(identification_report(found))
    if found.doubts and not doubtful:
        output.error(f'{target} is not written: read the findings; --doubtful writes it anyway')
    else:
        command = ['robot_dynamics', *sys.argv[1:]]
        for file in found.save(target, doubtful=doubtful, command=command):
            output.line(f'written: {file}')
    for error in found.errors.values():
        output.error(error)
    code = exit_code([*found.doubts, *found.findings], found.errors.values())
    if view:
        shown = replace(recordings, files={name: recordings.files[name] for name in fitted})
        if not found.doubts or doubtful:
            urdf, law = (target / name for name in ('identified.urdf', 'friction.yaml'))
            shown = replace(
                shown, urdf=urdf.read_text(encoding='utf-8'), joint_model=read_joint_model(law)
            )
        view_recording(shown, output)
    return code
