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

from .description_file import Vector
from .output import Output, ToWrite, exit_code, number_text, output_options, percent_text
from .recordings import Recordings, recording_options


@click.command('compare')
@recording_options('cutoff', 'parameters', 'scheduler')
@click.option('--report', type=ToWrite(), metavar='FILE',
              help='Write a report: one page with interactive plots, .html.')  # fmt: skip
@output_options
def compare_command(recordings: Recordings, report: Path | None, output: Output) -> int:
    """Compare measured efforts with the torques of a model, and report the reasons.

    Findings say whether the driver compensates gravity, a sign is flipped, joints are swapped, the
    base is turned, efforts come late or have another scale, a mass, rotor, friction or payload is
    missing, and what is wrong with the data.

    Examples:
      robot_dynamics compare bag/ --urdf arm.urdf --report arm.html
      robot_dynamics compare panda.db3 --urdf panda.urdf --rename fer_=panda_ --json -
      robot_dynamics compare position.csv+velocity.csv+effort.csv --urdf arm.urdf

    Exit code 1: there is at least one finding. 2: a recording cannot be used.
    """
    if report is not None:
        check_report_file(report)
    outcomes = recordings.outcomes(compare_recording)
    found = [one.result or Compared('', name, error=one.error) for name, one in outcomes.items()]
    used = [one for one in found if not one.error]
    errors = [one.error for one in found if one.error]
    if not used:
        raise RecordingError('; '.join(errors))
    output.write_json({'recordings': [one.as_json() for one in found]})
    for one in used:
        locked = f', not recorded and locked: {listed(one.locked)}' if one.locked else ''
        output.line(
            f'{one.robot}: {one.file}, {one.samples} samples, {one.duration:.4g} s, low pass '
            f'{one.cutoff:.3g} Hz{locked}'
        )
    several = len(found) > 1
    (_show_recordings if several else _show_joints)(found, output)
    output.findings(
        (f'{one.file}: {each.head}' if several else each.head, each.text)
        for one in found
        for each in advised(one.findings)
    )
    doubted = [one for one in found if one.findings]
    if not doubted:
        output.line('no findings: the recording agrees with the model')
    if report is not None:
        write_report(found, report, ['robot_dynamics', *sys.argv[1:]])
        output.line(f'report: {report}')
    for error in errors:
        output.error(error)
    return exit_code(doubted, errors)


def compare_recording(recordings: Recordings, name: str) -> Compared:
    """The comparison of one of some recordings; a task that any process may execute."""
    urdf, _, joints = recordings.robot(name)
    comparison = _comparison(urdf, recordings.joint_model, recordings.gravity)
    return comparison.of(recordings.open(name, joints=joints), name)


@lru_cache(maxsize=4)
def _comparison(urdf: str, joint_model: JointModel, gravity: Vector) -> Comparison:
    """Compiled once in a process."""
    return Comparison(parse_urdf(urdf), joint_model, gravity=gravity)


def _show_recordings(found: Sequence[Compared], output: Output) -> None:
    """Print what is found of each joint in each recording."""
    joints = tuple(dict.fromkeys(name for one in found for name in one.joints))
    rows = []
    for one in found:
        results = (one.joints[name].result if name in one.joints else '-' for name in joints)
        codes = dict.fromkeys(each.code for each in one.findings if not each.joints)
        rows.append((one.file, *results, 'not used' if one.error else ', '.join(codes) or '-'))
    output.table(['recording', *joints, 'all'], rows)


def _show_joints(found: Sequence[Compared], output: Output) -> None:
    """Print measured effort and residual of each joint of a recording."""
    columns = ['joint', 'measured RMS', 'residual RMS', 'residual / measured', 'bias',
               'correlation', 'result']  # fmt: skip
    rows = (
        (
            name,
            number_text(joint.rms_measured, 4, joint.unit),
            number_text(joint.rms_residual, 3, joint.unit),
            percent_text(joint.relative_residual),
            number_text(joint.bias, 3, joint.unit),
            number_text(joint.correlation, 3),
            joint.result,
        )
        for name, joint in found[0].joints.items()
    )
    output.table(columns, rows)
