"""`robot_dynamics thresholds`: thresholds of contacts, from recordings without contact."""

from __future__ import annotations

from pathlib import Path

import click

from robot_dynamics_ros.contacts import Learning, ThresholdSurvey, surveyed, threshold_doubts
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.written_file import written_file

from ..exit_codes import CANNOT_BE_USED, FINDINGS, GOOD
from ..fleet_options import Fleet, fleet_options
from ..output import Output, Subcommand, file_to_write, output_options
from ..recording_files import inputs, named_recordings
from ..recording_options import options_of, source_options
from .contact_tables import survey_summary, threshold_table
from .threshold_file import threshold_file
from .watch_options import WatchOptions, settings_of, watch_options, with_bandwidth
from .watch_tasks import failures, survey, watched

HELP = """Learn thresholds of contacts from recordings in which nothing touches the robot.

Each BAG is a rosbag2 folder, an .mcap, .db3 or .csv file, or a ROS 1 bag; CSV files that are one
recording together are joined by +. They need the motions of the application, for at least 10 s;
the longer they are, the lower the thresholds. A xacro file takes arguments, name:=value.

The momentum observer of dynamics_node runs along the states as they were recorded. Each threshold
is a constant, a part that grows with the speed, and one that grows with the acceleration of the
joint: the lowest on average that give that rate of false alarms of all joints together, in motion
like the recorded one. In any motion they are above what the friction of the model may contribute
if it varies by a quarter: --parameters names its file. The constant is at least 1 % of the effort
limit of the joint, for other poses and loads, and the accuracy of efforts. For the rest of motion
unlike the recorded one, such as a faster one, there is --margin.

\b
Examples:
  robot_dynamics thresholds free/ --urdf arm.urdf --output thresholds.yaml
  robot_dynamics thresholds free/ --urdf identified/identified.urdf \\
      --parameters identified/dynamics_node.yaml --false-alarms 0.01 --output thresholds.yaml

Exit code 1: the thresholds are doubtful. 2: a recording cannot be used.
"""


@click.command('thresholds', cls=Subcommand, help=HELP)
@click.argument('words', nargs=-1, metavar='BAG... [NAME:=VALUE]...')
@source_options
@watch_options
@click.option(
    '--output', 'target', type=file_to_write(), metavar='FILE',
    help='Write a file for parameter contact_thresholds of dynamics_node, and for --thresholds of '
    'robot_dynamics contacts.',
)  # fmt: skip
@fleet_options
@output_options
def thresholds_command(
    words: tuple[str, ...],
    urdf: Path | None,
    topic: str | None,
    rename: tuple[str, ...],
    parameters: tuple[Path, ...],
    bandwidth: float | None,
    false_alarms: float,
    margin: float,
    target: Path | None,
    scheduler: str | None,
    jobs: int | None,
    resume: Path | None,
    output: Output,
) -> int:
    """Survey each recording, learn from all, print and write."""
    files, arguments = named_recordings(words)
    output.check_files([*inputs(files, urdf), *parameters], {'--output': filter(None, [target])})
    recording = options_of(urdf, arguments, topic, rename)
    first = next(iter(files.values()))
    given = settings_of(recording, first, parameters, output.warning)
    settings = with_bandwidth(given, bandwidth)
    options = WatchOptions(recording, settings, Learning(false_alarms, margin))
    outcomes = watched(survey, options, files, Fleet(scheduler, jobs, resume), output)
    failed = failures(outcomes, output)
    usable = [outcome.result for outcome in outcomes if not outcome.error]
    if not usable:
        raise RecordingError('no recording can be used')
    found = surveyed(usable, options.learning)
    doubts = threshold_doubts(found)
    output.write_json({**found.as_json(), 'doubts': doubts, 'failed': failed})
    _show(found, output)
    for doubt in doubts:
        output.line(doubt)
    if target is not None:
        with written_file(target) as new:
            new.write_text(threshold_file(found, target.name, doubts), encoding='utf-8')
        output.line(f'written: {target}; parameter contact_thresholds of dynamics_node names it')
    if failed:
        return CANNOT_BE_USED
    return FINDINGS if doubts else GOOD


def _show(found: ThresholdSurvey, output: Output) -> None:
    output.line(survey_summary(found))
    for recording in found.recordings:
        for remark in recording.locked.remarks:
            output.warning(f'{recording.name}: {remark}')
        for remark in recording.remarks:
            output.line(f'  {recording.name}: {remark}')
    output.show('', threshold_table(found), '')
