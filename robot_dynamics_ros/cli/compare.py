"""`robot_dynamics compare`: measured efforts against the torques of a model."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import click

from robot_dynamics_ros.comparison import Compared, Comparison
from robot_dynamics_ros.comparison.findings import advised
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.findings import listed
from robot_dynamics_ros.joint_model import JointModel
from robot_dynamics_ros.report import check_report_file, write_report

from .output import (
    FileToWrite,
    FittedTable,
    Output,
    exit_code,
    number_text,
    output_options,
    percent_text,
)
from .recordings import BAGS, Recordings, recording_options

HELP = f"""Compare measured efforts with the torques of a model, and report the reasons.

Findings say whether the driver compensates gravity, a sign is flipped, joints are swapped, the
base is turned, efforts come late or have another scale, a mass, rotor, friction or payload is
missing, and what is wrong with the data. {BAGS}

\b
Examples:
  robot_dynamics compare bag/ --urdf arm.urdf --report arm.html
  robot_dynamics compare panda.db3 --urdf panda.urdf --rename fer_=panda_ --json -
  robot_dynamics compare position.csv+velocity.csv+effort.csv --urdf arm.urdf

Exit code 1: there is at least one finding. 2: a recording cannot be used.
"""


@click.command('compare', help=HELP)
@recording_options('cutoff', 'parameters', 'scheduler')
@click.option(
    '--report', type=FileToWrite(), metavar='FILE',
    help='Write a report: one page with interactive plots, .html.',
)  # fmt: skip
@output_options
def compare_command(recordings: Recordings, report: Path | None, output: Output) -> int:
    """Compare each recording, and print what is found."""
    if report is not None:
        check_report_file(report)
    outcomes = recordings.outcomes(compare_recording)
    found = [one.result or Compared('', name, error=one.error) for name, one in outcomes.items()]
    if all(one.error for one in found):
        raise RecordingError('; '.join(one.error for one in found))
    output.write_json({'recordings': [one.as_json() for one in found]})
    for one in found:
        if not one.error:
            output.line(_summary(one))
    if len(found) == 1:
        output.show('', joint_table(found[0]), '')
    else:
        output.show('', recording_table(found), '')
    output.findings(
        (f'{one.file}: {each.head}' if len(found) > 1 else each.head, each.text)
        for one in found
        for each in advised(one.findings)
    )
    if not any(one.findings for one in found):
        output.line('no findings: the recording agrees with the model')
    if report is not None:
        write_report(found, report, ['robot_dynamics', *sys.argv[1:]])
        output.line(f'report: {report}')
    failed = [one for one in found if one.error]
    for one in failed:
        output.error(one.error)
    return exit_code([one for one in found if one.findings], failed)


def compare_recording(recordings: Recordings, name: str) -> Compared:
    """The comparison of one of some recordings; a task that any process may execute."""
    urdf, _, joints = recordings.robot(name)
    comparison = _comparison(urdf, recordings.joint_model, recordings.gravity)
    return comparison.of(recordings.open(name, joints=joints), name)


@lru_cache(maxsize=4)
def _comparison(urdf: str, parameters: JointModel, gravity: tuple[float, ...]) -> Comparison:
    """Compiled once in a process."""
    return Comparison(parse_urdf(urdf), parameters, gravity=gravity)


def _summary(found: Compared) -> str:
    """What was compared, in one line."""
    locked = f', not recorded and locked: {listed(found.locked)}' if found.locked else ''
    return (
        f'{found.robot}: {found.file}, {found.samples} samples, {found.duration:.4g} s, low pass '
        f'{found.cutoff:.3g} Hz{locked}'
    )


def recording_table(found: Sequence[Compared]) -> FittedTable:
    """What is found of each joint in each recording."""
    joints = tuple(dict.fromkeys(name for one in found for name in one.joints))
    table = FittedTable('recording', *joints, 'all')
    for one in found:
        results = (one.joints[name].result if name in one.joints else '-' for name in joints)
        codes = dict.fromkeys(each.code for each in one.findings if not each.joints)
        table.add_row(one.file, *results, 'not used' if one.error else ', '.join(codes) or '-')
    return table


def joint_table(found: Compared) -> FittedTable:
    """Measured effort and residual of each joint."""
    table = FittedTable(
        'joint', 'measured RMS', 'residual RMS', 'residual / measured', 'bias', 'correlation',
        'result',
    )  # fmt: skip
    for name, joint in found.joints.items():
        table.add_row(
            name,
            number_text(joint.rms_measured, 4, joint.unit),
            number_text(joint.rms_residual, 3, joint.unit),
            percent_text(joint.relative_residual),
            number_text(joint.bias, 3, joint.unit),
            number_text(joint.correlation, 3),
            joint.result,
        )
    return table
