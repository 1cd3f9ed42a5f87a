"""`robot_dynamics contacts`: what touched the robot in recordings."""

from __future__ import annotations

from pathlib import Path

import click

from robot_dynamics_ros.contacts import Learning, MarkedRecording
from robot_dynamics_ros.report import check_contact_file, write_contacts

from ..exit_codes import CANNOT_BE_USED, FINDINGS, GOOD
from ..fleet_options import Fleet, fleet_options
from ..output import Output, Subcommand, file_to_write, output_options
from ..recording_files import inputs, named_recordings
from ..recording_options import options_of, source_options
from .contact_tables import contact_table, marked_summary, residual_table
from .watch_options import WatchOptions, check_options, settings_of, watch_options, with_bandwidth
from .watch_tasks import failures, mark, watched

HELP = """Find contacts in recordings: when, how, at which link, with which external torques.

Each BAG is a rosbag2 folder, an .mcap, .db3 or .csv file, or a ROS 1 bag; CSV files that are one
recording together are joined by +. A xacro file takes arguments, name:=value.

The momentum observer and the detector of dynamics_node run along the states as they were
recorded. Thresholds are those of a file of robot_dynamics thresholds, or of a parameter file of
the node. Without one, they are learned from the recording itself, without the times at which the
external torque is far above the usual.

\b
Examples:
  robot_dynamics contacts bag/ --urdf arm.urdf --thresholds thresholds.yaml --plot contacts.png
  robot_dynamics contacts monday/*.mcap --urdf identified/identified.urdf \\
      --parameters identified/dynamics_node.yaml --thresholds thresholds.yaml --json -

Exit code 1: there is a contact, or efforts are such that no contact can be found. 2: a recording
cannot be used.
"""


@click.command('contacts', cls=Subcommand, help=HELP)
@click.argument('words', nargs=-1, metavar='BAG... [NAME:=VALUE]...')
@source_options
@watch_options
@click.option(
    '--thresholds',
    metavar='FILE',
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='File of robot_dynamics thresholds; without one, and without thresholds in --parameters, '
    'they are learned from the recording itself.',
)
@click.option(
    '--plot', type=file_to_write(), metavar='FILE',
    help='Draw external torques, thresholds and contacts: .png, .svg or .pdf.',
)  # fmt: skip
@fleet_options
@output_options
def contacts_command(
    words: tuple[str, ...],
    urdf: Path | None,
    topic: str | None,
    rename: tuple[str, ...],
    parameters: tuple[Path, ...],
    thresholds: Path | None,
    bandwidth: float | None,
    false_alarms: float,
    margin: float,
    plot: Path | None,
    scheduler: str | None,
    jobs: int | None,
    resume: Path | None,
    output: Output,
) -> int:
    """Search each recording, print and draw."""
    files, arguments = named_recordings(words)
    if plot is not None:
        check_contact_file(plot, len(files))
    read = [*inputs(files, urdf), *parameters, *filter(None, [thresholds])]
    output.check_files(read, {'--plot': filter(None, [plot])})
    recording = options_of(urdf, arguments, topic, rename)
    first = next(iter(files.values()))
    given = settings_of(recording, first, parameters, output.warning, thresholds)
    check_options(given, bandwidth, output.warning)
    settings = with_bandwidth(given, bandwidth)
    options = WatchOptions(recording, settings, Learning(false_alarms, margin))
    outcomes = watched(mark, options, files, Fleet(scheduler, jobs, resume), output)
    failed = failures(outcomes, output)
    found: list[MarkedRecording] = [one.result for one in outcomes if not one.error]
    output.write_json({'recordings': [one.as_json() for one in found], 'failed': failed})
    for one in found:
        _show(one, output)
        if plot is not None:
            write_contacts(one, plot)
            output.line(f'plot: {plot}')
    if failed:
        return CANNOT_BE_USED
    return FINDINGS if any(one.contacts or one.unusable for one in found) else GOOD


def _show(found: MarkedRecording, output: Output) -> None:
    for remark in found.locked.remarks:
        output.warning(f'{found.name}: {remark}')
    output.line(marked_summary(found))
    if found.unusable:
        output.line(f'  {found.unusable}')
    for remark in found.remarks:
        output.line(f'  {remark}')
    if found.contacts:
        output.show('', contact_table(found))
        if cut := sum(map(found.until_end, found.contacts)):
            output.line(
                f'{cut} of these until a gap or the end of the recording, where the observer '
                'ends: a contact after the gap may be the same one'
            )
    output.show('', residual_table(found.joints, found.units, found.residuals), '')
