"""`robot_dynamics compare`: measured efforts against the torques of a model."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.comparison.compare import conclude
from robot_dynamics_ros.comparison.evidence.evidence import Evidence
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.report import check_report_file, provenance, size_of, write_report
from robot_dynamics_ros.scheduling import Outcome

from ..exit_codes import CANNOT_BE_USED, FINDINGS, GOOD
from ..fleet_options import Fleet, fleet_options
from ..output import Output, Subcommand, file_to_write, output_options
from ..recorded_robot import model_torques, recorded_robot, renaming_hint
from ..recording_files import inputs, named_recordings
from ..recording_options import (
    RecordingOptions,
    options_of,
    parameters_option,
    recording_options,
)
from .compare_parts import compare_tasks, joined_outcomes
from .compare_task import gather_evidence
from .comparison_tables import SHARE_WORDS, finding_lines, joint_table, share_table, summary

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
    jobs: int | None,
    resume: Path | None,
    output: Output,
) -> int:
    """Gather what is needed of each recording, and print the conclusions."""
    files, arguments = named_recordings(words)
    if report is not None:
        check_report_file(report)
    read = inputs(files, urdf, parameters)
    output.check_files(read, {'--report': filter(None, [report])})
    options = options_of(urdf, arguments, topic, rename, cutoff, parameters)
    outcomes = _outcomes(options, files, Fleet(scheduler, jobs, resume), output)
    comparison = concluded(options, files, outcomes)
    output.write_json(comparison.as_json())
    output.line(summary(comparison))
    output.show('', joint_table(comparison), '', SHARE_WORDS, share_table(comparison), '')
    for line in finding_lines(comparison):
        output.line(line)
    if report is not None:
        _write(comparison, read, report, output)
    failed = [one for one in comparison.recordings if one.error]
    for one in failed:
        output.error(one.error)
    if failed:
        return CANNOT_BE_USED
    return FINDINGS if comparison.findings else GOOD


def _outcomes(
    options: RecordingOptions, files: dict[str, tuple[Path, ...]], fleet: Fleet, output: Output
) -> list[Outcome]:
    tasks = compare_tasks(options, files)
    parts = [part for tasks_of_one in tasks.values() for part in tasks_of_one]
    if len(parts) == 1 and fleet.is_here:
        ((name, paths),) = files.items()
        result = gather_evidence(options, name, paths, progress=output.progress)
        return [Outcome(name, result)]
    unit = 'recordings' if len(parts) == len(files) else 'parts'
    return joined_outcomes(tasks, fleet.run('compare', parts, options, output, unit))


def concluded(
    options: RecordingOptions,
    files: Mapping[str, tuple[Path, ...]],
    outcomes: Sequence[Outcome],
) -> Comparison:
    """The comparison over all recordings that have joints and robot of the first usable one.

    Args:
        options: of the recordings.
        files: of each recording by its name.
        outcomes: evidence of each recording, or why there is none.

    Raises:
        RecordingError: no recording is usable.
    """
    usable = [outcome for outcome in outcomes if not outcome.error]
    if not usable:
        raise RecordingError('; '.join(outcome.error for outcome in outcomes))
    first: Evidence = usable[0].result
    urdf = recorded_robot(options, files[usable[0].name])[0]
    evidence = [_evidence(outcome, first) for outcome in outcomes]
    torques = model_torques(urdf, first.joints, options.parameters)
    robot = (*first.joints, *torques.locked)
    hint = renaming_hint(options, files[usable[0].name], torques.missing, robot)
    return conclude(torques, evidence, renaming=hint)


def _evidence(outcome: Outcome, first: Evidence) -> Evidence:
    """That of one recording; an error where it cannot be used beside the first."""
    if outcome.error:
        return Evidence.of_nothing(outcome.name, error=outcome.error)
    evidence: Evidence = outcome.result
    if evidence.joints != first.joints:
        error = (
            f'{outcome.name} has the joints {", ".join(evidence.joints)}, {first.file} has '
            f'{", ".join(first.joints)}: compare them apart'
        )
        return Evidence.of_nothing(outcome.name, evidence.topic, error=error)
    if evidence.robot != first.robot:
        error = (
            f'{outcome.name}: its /robot_description is another than that of {first.file}: '
            'compare them apart, or name the description of both with --urdf'
        )
        return Evidence.of_nothing(outcome.name, evidence.topic, error=error)
    return evidence


def _write(comparison: Comparison, read: Sequence[Path], report: Path, output: Output) -> None:
    paths = [path for path in read if path.exists()]
    command = ['robot_dynamics', *sys.argv[1:]]
    with output.progress('hashes', size_of(paths), 'bytes') as advance:
        origin = provenance(paths, command, advance)
    write_report(comparison, origin, report)
    output.line(f'report: {report}')
