"""`robot_dynamics compare`: measured efforts against the torques of a model."""

from __future__ import annotations

import sys
from functools import lru_cache
from pathlib import Path

import click

from robot_dynamics_ros.comparison import Compared, Comparison, RecordingSummary
from robot_dynamics_ros.comparison.compared import TERMS
from robot_dynamics_ros.comparison.evidence import Evidence
from robot_dynamics_ros.comparison.findings import advised
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.findings import counted, listed
from robot_dynamics_ros.joint_model import JointModel
from robot_dynamics_ros.report import check_report_file, provenance, write_report

from .gravity import check_standard
from .output import (
    FileToWrite,
    FittedTable,
    Output,
    ShowProgress,
    exit_code,
    no_progress,
    number_text,
    output_options,
    percent_text,
)
from .recordings import BAGS, NamedRecordings, RecordingOptions, recorded_robot, recording_options

HELP = f"""Compare measured efforts with the torques of a model, and report the reasons.

All recordings are of one robot. Position, velocity, acceleration and effort are low-pass filtered
without a delay. {BAGS}

Findings say whether the driver compensates gravity, a sign is turned, joints are exchanged,
efforts come late or have another scale, friction or a payload is missing, and what is wrong with
the data.

\b
Examples:
  robot_dynamics compare bag/ --urdf arm.urdf --report arm.html
  robot_dynamics compare panda.db3 --urdf panda.urdf --rename fer_=panda_ --json -
  robot_dynamics compare position.csv+velocity.csv+effort.csv --urdf arm.urdf
  robot_dynamics compare /data/*/ --urdf arm.urdf --scheduler tcp://10.0.0.1:8786

Exit code 1: there is at least one finding. 2: a recording cannot be used.
"""
# Recordings above which each of them gives little: windows and samples of all are enough.
MANY = 16


@click.command('compare', help=HELP)
@recording_options('cutoff', 'parameters', 'scheduler')
@click.option(
    '--report', type=FileToWrite(), metavar='FILE',
    help='Write a report: .html with interactive plots, or .png.',
)  # fmt: skip
@output_options
def compare_command(recordings: NamedRecordings, report: Path | None, output: Output) -> int:
    """Gather what is needed of each recording, and print what follows."""
    if report is not None:
        check_report_file(report)
    found = _compared(recordings, output)
    output.write_json(found.as_json())
    output.line(_summary(found))
    output.show('', joint_table(found), '', SHARE_WORDS, share_table(found), '')
    output.findings((one.code, one.message) for one in advised(found.findings))
    if not found.findings:
        output.line('no findings: the recording agrees with the model')
    if report is not None:
        origin = provenance(recordings.read, ['robot_dynamics', *sys.argv[1:]], output.progress)
        write_report(found, origin, report)
        output.line(f'report: {report}')
    failed = [one for one in found.recordings if one.error]
    for one in failed:
        output.error(one.error)
    return exit_code(found.findings, failed)


def _compared(recordings: NamedRecordings, output: Output) -> Compared:
    """The comparison over all recordings that have joints and robot of the first usable one.

    Raises:
        RecordingError: no recording is usable.
    """
    options, files = recordings.options(), recordings.files
    check_standard(options.gravity, 'compare')
    outcomes = recordings.outcomes(gather_evidence, (options, len(files) > MANY), output)
    evidence = [
        Evidence(RecordingSummary(name, error=one.error)) if one.error else one.result
        for name, one in outcomes.items()
    ]
    usable = [name for name, one in outcomes.items() if not one.error]
    if not usable:
        raise RecordingError('; '.join(one.error for one in outcomes.values()))
    urdf, _, _ = recorded_robot(options, files[usable[0]])
    return _comparison(urdf, options.parameters).conclude(evidence)


def gather_evidence(
    common: tuple[RecordingOptions, bool],
    name: str,
    files: tuple[Path, ...],
    progress: ShowProgress = no_progress,
) -> Evidence:
    """What is kept of one recording; a task that any process may execute.

    Args:
        common: options of the recording, and whether it is one of many, of which little is kept.
        name: of the recording in results.
        files: that together are the recording.
        progress: shows how far it is.

    Raises:
        RecordingError: the recording cannot be used.
        ModelError: the URDF cannot be used.
        ParameterError: the robot has no moving joint.
    """
    options, many = common
    urdf, _, joints = recorded_robot(options, files)
    comparison = _comparison(urdf, options.parameters)
    with (
        options.open(files, joints=joints) as recording,
        progress(name, recording.size, 'states') as advance,
    ):
        evidence = comparison.gather(recording, name, advance)
    if many:
        evidence.shrink()
    return evidence


@lru_cache(maxsize=4)
def _comparison(urdf: str, parameters: JointModel) -> Comparison:
    """Compiled once in a process."""
    return Comparison(parse_urdf(urdf), parameters)


def _summary(found: Compared) -> str:
    """What was compared, in one line."""
    used = [one for one in found.recordings if not one.error]
    samples, duration = sum(one.samples for one in used), sum(one.duration for one in used)
    filtered = {f'{one.cutoff:.3g} Hz' for one in used}
    locked = listed(found.locked)
    return (
        f'{found.robot}: {counted(len(used), "recording")}, {samples} samples, {duration:.4g} s, '
        f'low pass {", ".join(sorted(filtered))}'
        + (f', not recorded with these and locked: {locked}' if locked else '')
    )


def joint_table(found: Compared) -> FittedTable:
    """Measured effort and residual of each joint."""
    table = FittedTable(
        'joint', 'measured RMS', 'residual RMS', 'residual / measured', 'bias', 'correlation',
        'delay',
    )  # fmt: skip
    for name, joint in found.joints.items():
        table.add_row(
            name,
            number_text(joint.rms_measured, 4, joint.unit),
            number_text(joint.rms_residual, 3, joint.unit),
            percent_text(joint.relative_residual),
            number_text(joint.bias, 3, joint.unit),
            number_text(joint.correlation, 3),
            number_text(1e3 * joint.delay, 3, 'ms'),
        )
    return table


# Above the table of shares.
SHARE_WORDS = 'share of the sum of squares; negative: opposite to the effort'


def share_table(found: Compared) -> FittedTable:
    """What explains the measured effort of each joint."""
    table = FittedTable('shares of', *TERMS, 'residual', 'friction: Coulomb', 'viscous')
    for name, joint in found.joints.items():
        friction = joint.friction
        rate = 'm/s' if joint.unit == 'N' else 'rad/s'
        table.add_row(
            name,
            *(percent_text(joint.shares[term]) for term in (*TERMS, 'residual')),
            number_text(friction.coulomb, 3, joint.unit) if friction else '-',
            number_text(friction.viscous, 3, f'{joint.unit} per {rate}') if friction else '-',
        )
    return table
