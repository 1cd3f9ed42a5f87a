"""`robot_dynamics compare`: measured efforts against the torques of a model."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import click

from robot_dynamics_ros.comparison import Compared, Comparison
from robot_dynamics_ros.comparison.compared import TERMS
from robot_dynamics_ros.comparison.evidence import Evidence
from robot_dynamics_ros.comparison.findings import advised
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.findings import counted, listed
from robot_dynamics_ros.joint_model import JointModel
from robot_dynamics_ros.report import check_report_file, provenance, write_report

from .output import (
    CANNOT_BE_USED,
    FINDINGS,
    GOOD,
    Output,
    Subcommand,
    file_to_write,
    output_options,
)
from .progress import ShowProgress, no_progress
from .recorded_robot import recorded_robot
from .recording_options import (
    Fleet,
    RecordingOptions,
    fleet_options,
    inputs,
    named_recordings,
    options_of,
    parameters_option,
    recording_options,
)
from .table import FittedTable

HELP = """Compare measured efforts with the torques of a model, and report the reasons.

Each BAG is a rosbag2 folder, an .mcap, .db3 or .csv file, or a ROS 1 bag; CSV files that are one
recording together are joined by +. All recordings are of one robot. Position, velocity,
acceleration and effort are low-pass filtered without a delay. A xacro file takes arguments,
name:=value.

Findings say whether the driver compensates gravity, a sign is turned, joints are exchanged,
efforts come late or have another scale, friction or a payload is missing, and what is wrong with
the data.

\b
Examples:
  robot_dynamics compare bag/ --urdf arm.urdf --report arm.html
  robot_dynamics compare panda.db3 --urdf panda.urdf --rename fer_=panda_ --json -
  robot_dynamics compare position.csv+velocity.csv+effort.csv --urdf arm.urdf
  robot_dynamics compare /data/*/ --urdf arm.urdf --scheduler tcp://10.0.0.1:8786 --resume done/

Exit code 1: there is at least one finding. 2: a recording cannot be used.
"""
# Recordings above which each of them gives little: windows and samples of all are enough.
MANY = 16
# A ratio that is larger is one to noise.
LARGEST = 9.99


@click.command('compare', cls=Subcommand, help=HELP)
@click.argument('words', nargs=-1, metavar='BAG... [NAME:=VALUE]...')
@recording_options
@parameters_option
@click.option(
    '--report', type=file_to_write(), metavar='FILE',
    help='Write a report: .html with interactive plots, or .png.',
)  # fmt: skip
@fleet_options
@output_options
def compare_command(
    words: tuple[str, ...],
    urdf: Path | None,
    topic: str | None,
    rename: tuple[str, ...],
    cutoff: float | None,
    parameters: Path | None,
    report: Path | None,
    scheduler: str | None,
    resume: Path | None,
    output: Output,
) -> int:
    """Gather what is needed of each recording, and print what follows."""
    files, arguments = named_recordings(words)
    if report is not None:
        check_report_file(report)
    read = inputs(files, urdf, parameters)
    output.check_files(read, {'--report': filter(None, [report])})
    options = options_of(urdf, arguments, topic, rename, cutoff, parameters)
    found = compared(options, files, Fleet(scheduler, resume), output)
    output.write_json(found.as_json())
    output.line(_summary(found))
    output.show('', joint_table(found), '', SHARE_WORDS, share_table(found), '')
    for finding in advised(found.findings):
        output.line(f'{finding.code}: {finding.message}')
    if not found.findings:
        output.line('no findings: the recording agrees with the model')
    if report is not None:
        _write(found, read, report, output)
    failed = [one for one in found.recordings if one.error]
    for one in failed:
        output.error(one.error)
    if failed:
        return CANNOT_BE_USED
    return FINDINGS if found.findings else GOOD


def compared(
    options: RecordingOptions, files: Mapping[str, tuple[Path, ...]], fleet: Fleet, output: Output
) -> Compared:
    """The comparison over all recordings that have joints and robot of the first usable one.

    Args:
        options: of the recordings.
        files: of each recording by its name.
        fleet: where they are read.
        output: shows progress.

    Raises:
        RecordingError: no recording is usable.
    """
    more = {name: (len(files) > MANY,) for name in files}
    outcomes = fleet.outcomes(gather_evidence, options, files, output, more)
    usable = [one for one in outcomes if not one.error]
    if not usable:
        raise RecordingError('; '.join(one.error for one in outcomes))
    first = usable[0]
    comparison = _comparison(recorded_robot(options, files[first.name])[0], options.parameters)
    evidence = [
        Evidence(one.name, error=one.error) if one.error else one.result for one in outcomes
    ]
    return comparison.conclude(evidence)


def gather_evidence(
    options: RecordingOptions,
    name: str,
    files: tuple[Path, ...],
    one_of_many: bool = False,
    progress: ShowProgress = no_progress,
) -> Evidence:
    """What is kept of one recording; a task that any process may execute.

    Args:
        options: of the recording.
        name: of the recording in results.
        files: that together are the recording.
        one_of_many: whether to keep little, see `Evidence.shrink`.
        progress: shows how far it is.

    Raises:
        RecordingError: the recording cannot be used.
        ModelError: the URDF cannot be used.
        ParameterError: the robot has no moving joint.
    """
    urdf, joints, _ = recorded_robot(options, files)
    comparison = _comparison(urdf, options.parameters)
    with (
        options.open(files, joints=joints) as recording,
        progress(name, recording.size, 'states') as advance,
    ):
        evidence = comparison.gather(recording, name, advance)
    if one_of_many:
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
            _number(joint.rms_measured, 4, joint.unit),
            _number(joint.rms_residual, 3, joint.unit),
            _percent(joint.relative_residual),
            _number(joint.bias, 3, joint.unit),
            _number(joint.correlation, 3),
            _number(1e3 * joint.delay, 3, 'ms'),
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
            *(_percent(joint.shares[term]) for term in (*TERMS, 'residual')),
            _number(friction.coulomb, 3, joint.unit) if friction else '-',
            _number(friction.viscous, 3, f'{joint.unit} per {rate}') if friction else '-',
        )
    return table


def _number(value: float, digits: int, unit: str = '') -> str:
    return f'{value:.{digits}g} {unit}'.rstrip() if math.isfinite(value) else '-'


def _percent(ratio: float) -> str:
    if not abs(ratio) <= LARGEST:
        return '-'
    # Rounded to an int: nothing is -0 %.
    return f'{round(100.0 * ratio)} %'


def _write(found: Compared, read: Sequence[Path], report: Path, output: Output) -> None:
    origin = provenance(read, ['robot_dynamics', *sys.argv[1:]], output.progress)
    write_report(found, origin, report)
    output.line(f'report: {report}')
