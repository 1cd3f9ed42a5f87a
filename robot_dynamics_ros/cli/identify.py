"""`robot_dynamics identify`: from recordings to the model of the arm that was recorded."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

import click

from robot_dynamics_ros.comparison.findings import advised
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError
from robot_dynamics_ros.core.model.findings import counted
from robot_dynamics_ros.core.urdf_xml import is_xacro, read_xml
from robot_dynamics_ros.identification import Identified, Identifier
from robot_dynamics_ros.identification.identified import READ_AGAIN
from robot_dynamics_ros.identification.identifier import EFFORTS, Effort
from robot_dynamics_ros.identification.recorded_data import JudgedRecording, Opens
from robot_dynamics_ros.report import provenance
from robot_dynamics_ros.written_folder import check_folder

from .output import CANNOT_BE_USED, FINDINGS, GOOD, Output, output_options
from .recorded_robot import recorded_robot
from .recording_options import (
    RecordingOptions,
    inputs,
    named_recordings,
    options_of,
    recording_options,
)
from .table import FittedTable

HELP = """Identify a robot from recordings: inertia, friction, rotors and offsets.

Each BAG is a rosbag2 folder, an .mcap, .db3 or .csv file, or a ROS 1 bag; CSV files that are one
recording together are joined by +. All recordings are of one robot. The last third of each
recording is not fitted at first: on it the measured effort is compared with the torques of the
URDF and of the identified model. What is written is then fitted to everything that was recorded. A
xacro file takes arguments, name:=value.

DIR gets identified.urdf, a parameter file for dynamics_node, friction.yaml, identification.json,
report.html and report.png. A model that is worse than the URDF on the held-out part, or
that findings make doubtful, is not written without --force.

\b
Examples:
  robot_dynamics identify bag/ --urdf arm.urdf --output identified/
  robot_dynamics identify monday/ --held-out tuesday/ --urdf arm.urdf --output identified/
  robot_dynamics identify panda.db3 --urdf panda.urdf --rename fer_=panda_ --output identified/
  robot_dynamics identify bag/ --urdf arm.urdf --effort current --gain joint2=11.2 --output out/

Exit code 1: there is at least one finding, or the model is not written. 2: a recording cannot be
used.
"""
# Above the table of the parameters of joints.
JOINT_TABLE = 'friction, rotor and offset; 95 % interval'


@click.command('identify', help=HELP)
@click.argument('words', nargs=-1, metavar='BAG... [NAME:=VALUE]...')
@recording_options
@click.option(
    '--output', 'target', type=click.Path(file_okay=False, path_type=Path), metavar='DIR',
    required=True, help='Folder of the results; it is made.',
)  # fmt: skip
@click.option(
    '--held-out', multiple=True, metavar='BAG',
    help='Recording to judge by; may be repeated. [default: the last third of each BAG]',
)  # fmt: skip
@click.option(
    '--effort', type=click.Choice(EFFORTS), default='torque', show_default=True,
    help='Kind of the recorded efforts; torque-sensor: behind the gears, no rotor is felt.',
)  # fmt: skip
@click.option(
    '--gain', 'gains', multiple=True, metavar='JOINT=VALUE',
    help='Known gain of a drive, N m/A or N/A; may be repeated.',
)  # fmt: skip
@click.option(
    '--load', 'loads', multiple=True, metavar='FRAME=KG@BAG',
    help='Load of known mass that one of the recordings has; may be repeated.',
)  # fmt: skip
@click.option(
    '--effort-delay', 'delay', default='auto', show_default=True, metavar='auto|SECONDS',
    help='Delay of the efforts behind the states; 0: they are not shifted.',
)  # fmt: skip
@click.option(
    '--friction', default='auto', show_default=True, metavar='auto|asymmetric|V0',
    help='Law of friction: v_0 of each joint from the data; coefficients for each direction, and '
    'no offset; or v_0 of all joints, rad/s or m/s.',
)  # fmt: skip
@click.option('--force', is_flag=True, help='Write a doubtful model.')
@output_options
def identify_command(
    words: tuple[str, ...],
    urdf: Path | None,
    topic: str | None,
    rename: tuple[str, ...],
    cutoff: float | None,
    target: Path,
    held_out: tuple[str, ...],
    effort: Effort,
    gains: tuple[str, ...],
    loads: tuple[str, ...],
    delay: str,
    friction: str,
    force: bool,
    output: Output,
) -> int:
    """Parse, identify, print, and save."""
    files, arguments = named_recordings(words)
    options = options_of(urdf, arguments, topic, rename, cutoff)
    check_folder(target)
    others = named_recordings(held_out)[0] if held_out else {}
    fitted = {path.resolve() for paths in files.values() for path in paths}
    for name, paths in others.items():
        if fitted.intersection(path.resolve() for path in paths):
            raise ParameterError(f'--held-out {name} is fitted too: name another recording')
    read = inputs({**files, **others}, urdf)
    output.check_files(read, {'--output': [target / name for name in READ_AGAIN]})
    opened, failed, text = _opened(options, files, others)
    identifier = Identifier(
        text,
        friction=_setting('--friction', friction, ('auto', 'asymmetric')),
        effort=effort,
        delay=_setting('--effort-delay', delay, ('auto',)),
        gains={
            joint: value for (joint, _), value in _numbers('--gain', 'JOINT=VALUE', gains).items()
        },
        loads=[
            (frame, mass, name)
            for (frame, name), mass in _numbers('--load', 'FRAME=KG@BAG', loads).items()
        ],
        progress=output.progress,
    )
    found = identifier.fit(
        {name: one for name, one in opened.items() if name in files},
        {name: one for name, one in opened.items() if name in others},
    )
    recordings = (
        *found.judgement.recordings,
        *(JudgedRecording(name, error=error) for name, error in failed.items()),
    )
    found = replace(found, judgement=replace(found.judgement, recordings=recordings))
    output.write_json(found.as_json())
    _show(found, output)
    return _saved(found, target, read, urdf, force, output)


def _opened(
    options: RecordingOptions, *groups: dict[str, tuple[Path, ...]]
) -> tuple[dict[str, Opens], dict[str, str], str]:
    """What opens the recordings that can be opened, why others cannot, and the text of the URDF.

    Raises:
        RobotDynamicsError: none of a group can be opened.
    """
    opened: dict[str, Opens] = {}
    errors: dict[str, RobotDynamicsError | OSError] = {}
    text = ''
    for name, paths in chain.from_iterable(group.items() for group in groups):
        try:
            urdf, joints, _ = recorded_robot(options, paths)
            opens = partial(options.open, paths, parse_urdf(urdf), joints)
            with opens():
                opened[name] = opens
            text = text or urdf
        except (RobotDynamicsError, OSError) as error:  # noqa: PERF203
            errors[name] = error
    for group in groups:
        if group and opened.keys().isdisjoint(group):
            raise errors[next(iter(group))]
    return opened, {name: str(error) for name, error in errors.items()}, text


def _setting(option: str, text: str, words: tuple[str, ...]) -> float | str:
    """A word, or a number that the Identifier checks."""
    if text in words:
        return text
    try:
        return float(text)
    except ValueError:
        raise ParameterError(
            f'{option} {text}: {", ".join(words)} or a number is needed'
        ) from None


def _numbers(option: str, form: str, texts: Sequence[str]) -> dict[tuple[str, str], float]:
    """Numbers, of `NAME=VALUE` or `NAME=VALUE@BAG` each, by name and bag."""
    found: dict[tuple[str, str], float] = {}
    for text in texts:
        match = re.fullmatch(r'([^=]+)=([^@]*)(?:@(.+))?', text)
        if not match or bool(match[3]) != ('@' in form):
            raise ParameterError(f'{option} {text}: {form} is needed')
        key = match[1], match[3] or ''
        if key in found:
            name = '@'.join(filter(None, key))
            raise ParameterError(f'{option}: {name} is named twice: name it once')
        try:
            found[key] = float(match[2])
        except ValueError:
            raise ParameterError(f'{option} {text}: {match[2]!r} is not a number') from None
    return found


def _show(found: Identified, output: Output) -> None:
    """Print an identification."""
    judgement = found.judgement
    used = [one for one in judgement.recordings if not one.error]
    filtered = ', '.join(sorted({f'{one.cutoff:.3g} Hz' for one in used}))
    output.line(
        f'{judgement.robot}: {counted(len(used), "recording")}, '
        f'{sum(one.samples for one in used)} samples, low pass {filtered}; '
        f'{found.summary}'
    )
    table = FittedTable(
        'joint', 'measured RMS', 'residual: URDF', 'identified', 'ratio', '95 % interval',
        'residual is',
    )  # fmt: skip
    for name, joint in judgement.joints.items():
        known = math.isfinite(joint.gain_low)
        left = f'{_percent(joint.repeated)} repeats'
        table.add_row(
            name,
            _text(joint.rms_measured, 4, joint.unit),
            _text(joint.rms_nominal, 3, joint.unit),
            _text(joint.rms_identified, 3, joint.unit),
            _percent(joint.gain),
            f'{_percent(joint.gain_low)} to {_percent(joint.gain_high)}' if known else '-',
            {None: '-', True: 'noise', False: left}[joint.is_noise],
        )
    parameters = FittedTable('parameter', 'URDF', 'identified', '95 % from', 'to', 'unit')
    for row in found.joint_rows:
        values = (row.nominal, row.value, row.low, row.high)
        parameters.add_row(row.name, *(_text(value, 4) for value in values), row.unit)
    output.show('', table, '', JOINT_TABLE, parameters, '')
    for text in (
        *(f'prior: {one}' for one in found.undetermined),
        *found.remarks,
        *(f'{one.code}: {one.message}' for one in advised(judgement.findings)),
        *judgement.verdict,
    ):
        output.line(text)


def _percent(share: float) -> str:
    return f'{round(100.0 * share)} %' if math.isfinite(share) else '-'


def _text(value: float, digits: int, unit: str = '') -> str:
    return f'{value:.{digits}g} {unit}'.rstrip() if math.isfinite(value) else '-'


def _saved(
    found: Identified,
    target: Path,
    read: Sequence[Path],
    urdf: Path | None,
    force: bool,
    output: Output,
) -> int:
    """Save the results where nothing speaks against them; the exit code."""
    for objection in found.objections:
        output.error(objection)
    if found.objections and not force:
        output.error(f'{target} is not written: read the findings; --force writes it anyway')
    else:
        xacro = urdf is not None and is_xacro(read_xml(urdf.read_text(encoding='utf-8')))
        origin = provenance(read, ['robot_dynamics', *sys.argv[1:]], output.progress)
        for file in found.save(target, force=force, xacro=xacro, origin=origin):
            output.line(f'written: {file}')
    failed = [one.error for one in found.judgement.recordings if one.error]
    for error in failed:
        output.error(error)
    if failed:
        return CANNOT_BE_USED
    return FINDINGS if found.objections or found.judgement.findings else GOOD
