"""`robot_dynamics identify`: from recordings to the model of the arm that was recorded."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from robot_dynamics_ros.comparison.findings import advised
from robot_dynamics_ros.core.errors import RecordingError, RobotDynamicsError, error_line
from robot_dynamics_ros.core.model.findings import counted, listed
from robot_dynamics_ros.identification import Identified, Identifier
from robot_dynamics_ros.identification.identified import READ_AGAIN
from robot_dynamics_ros.identification.identifier import EFFORTS
from robot_dynamics_ros.identification.recorded_rows import Opens
from robot_dynamics_ros.joint_model import read_joint_model

from .output import (
    Output,
    ToWrite,
    WordOrNumber,
    exit_code,
    named_values,
    number_text,
    output_options,
    percent_text,
    writes,
)
from .recordings import Recordings, named_files, recording_options
from .view import server_options, view_recording


@click.command('identify')
@recording_options('cutoff')
@click.option('--output', 'target', type=ToWrite(file_okay=False), metavar='DIR', required=True,
              help='Folder of the results; it is made.')  # fmt: skip
@click.option('--held-out', multiple=True, metavar='BAG',
              help='Recording to validate by; may be repeated. [default: quarters of the time of '
              'all BAGs]')  # fmt: skip
@click.option('--effort', type=click.Choice(EFFORTS), default='torque', show_default=True,
              help='Kind of the recorded efforts; torque-sensor: behind the gears, no rotor is '
              'felt.')  # fmt: skip
@click.option('--gain', 'gains', multiple=True, metavar='JOINT=VALUE',
              help='Known gain of a drive, N m/A or N/A; may be repeated.')  # fmt: skip
@click.option('--load', 'loads', multiple=True, metavar='FRAME=KG@BAG',
              help='Load of known mass that one of the recordings has; may be '
              'repeated.')  # fmt: skip
@click.option('--effort-delay', 'delay', type=WordOrNumber('auto'), default='auto',
              show_default=True, metavar='auto|SECONDS',
              help='Delay of the efforts behind the states; 0: they are not shifted.')  # fmt: skip
@click.option('--friction', type=WordOrNumber('auto', 'asymmetric'), default='auto',
              show_default=True, metavar='auto|asymmetric|V0',
              help='Friction: the law of each joint that explains most; the same with '
              'coefficients for each direction, and no offset; or viscous and Coulomb alone with '
              'this v_0, rad/s or m/s.')  # fmt: skip
@click.option('--doubtful', is_flag=True, help='Write a doubtful model too.')
@click.option('--view', is_flag=True, help='Then show the first BAG in a browser, beside what was '
              'identified.')  # fmt: skip
@server_options
@output_options
def identify_command(
    recordings: Recordings,
    target: Path,
    held_out: tuple[str, ...],
    gains: tuple[str, ...],
    loads: tuple[str, ...],
    doubtful: bool,
    view: bool,
    host: str,
    port: int,
    output: Output,
    **asked: Any,
) -> int:
    """Identify a robot from recordings: inertia, friction, rotors and offsets.

    All recordings are of one robot. Each quarter of the time, or what is held out, is predicted by
    a model that was fitted to the rest: the residuals are those of motion that was not fitted.
    What is written is fitted to everything.

    DIR gets identified.urdf, identified.xml for MuJoCo, dynamics_node.yaml, friction.yaml,
    identification.json and report.html. A model that predicts worse than the URDF, or that
    findings make doubtful, is written with --doubtful only.

    Examples:
      robot_dynamics identify bag/ --urdf arm.urdf --output identified/
      robot_dynamics identify monday/ --held-out tuesday/ --urdf arm.urdf --output identified/
      robot_dynamics identify bag/ --urdf arm.urdf --effort current --gain elbow=11.2 --output out/

    Exit code 1: there is a finding, or the model is not written. 2: a recording cannot be used.
    """
    writes('--output', *(target / name for name in READ_AGAIN))
    known = named_values('--gain', 'JOINT=VALUE', gains)
    masses = named_values('--load', 'FRAME=KG@BAG', loads)
    groups = recordings, replace(recordings, files=named_files(held_out))
    (fitted, others), failed, text = _opened(*groups)
    identifier = Identifier(
        text, gains=known, loads=[(frame, mass, name) for (frame, name), mass in masses.items()],
        progress=output.progress, gravity=recordings.gravity, **asked,
    )  # fmt: skip
    found = identifier.fit(fitted, others)
    found = replace(found, errors={**failed, **found.errors})
    output.write_json(found.as_json())
    _show(found, output)
    for doubt in found.doubts:
        output.error(doubt)
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
        view_recording(shown, host, port, output)
    return code


def _opened(*groups: Recordings) -> tuple[list[dict[str, Opens]], dict[str, str], str]:
    """What opens the recordings of each group, why some cannot be, and the text of the URDF."""
    opened: list[dict[str, Opens]] = []
    errors: dict[str, str] = {}
    text = ''
    for group in groups:
        opened.append({})
        for name in group.files:
            try:
                urdf, robot, joints = group.robot(name)
                opened[-1][name] = partial(group.open, name, robot, joints)
                text = text or urdf
            except (RobotDynamicsError, OSError) as error:  # noqa: PERF203
                errors[name] = error_line(error)
        if group.files and not opened[-1]:
            raise RecordingError('; '.join(errors[name] for name in group.files))
    return opened, errors, text


def _show(found: Identified, output: Output) -> None:
    """Print an identification."""
    used = [one for one in found.recordings if not one.error]
    output.line(
        f'{found.name}: {counted(len(used), "recording")}, '
        f'{sum(one.samples for one in used)} samples, low pass {found.recorded.cutoff:.3g} Hz; '
        f'{found.summary}'
    )
    columns = 'joint', 'measured RMS', 'residual: URDF', 'identified', 'ratio', '95 % interval'
    rows = []
    for name, joint in found.validation.items():
        ends = f'{percent_text(joint.gain_low)} to {percent_text(joint.gain_high)}'
        rows.append((
            name,
            number_text(joint.rms_measured, 4, joint.unit),
            number_text(joint.rms_nominal, 3, joint.unit),
            number_text(joint.rms_identified, 3, joint.unit),
            percent_text(joint.gain),
            ends if math.isfinite(joint.gain_low) else '-',
        ))  # fmt: skip
    output.table(columns, rows, 'motion that was not fitted')
    rows = []
    for row in found.parameters.joints:
        values = (row.nominal, row.value, row.low, row.high)
        rows.append((row.name, *(number_text(value, 4) for value in values), row.unit))
    columns = 'parameter', 'URDF', 'identified', '95 % from', 'to', 'unit'
    output.table(columns, rows, 'friction, rotor and offset; 95 % interval')
    if found.locked:
        output.line(f'not recorded, locked at zero or the nearest limit: {listed(found.locked)}')
    for text in found.remarks:
        output.line(text)
    output.findings((one.head, one.text) for one in advised(found.findings))
    if not found.doubts:
        output.line('it can be loaded')
