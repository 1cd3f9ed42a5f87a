"""`robot_dynamics contacts`: what touched the robot in recordings."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from robot_dynamics_ros.contacts import MarkedRecording, mark_recording
from robot_dynamics_ros.control.torque_text import torque_text
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.report import check_report_file, write_report

from .output import FILE, FileToWrite, FittedTable, Output, exit_code, output_options
from .recordings import BAGS, Recordings, recording_options
from .watching import frequencies, watched

# Joints of a contact in a table: those with the largest external torques.
SHOWN = 3
HELP = f"""Find contacts in recordings: when, how, at which link, with which external torques.

The momentum observer and the detector of dynamics_node run along the states as they were
recorded. Without thresholds, they are eight times what the recording itself exceeds in 15 % of
its time. {BAGS}

\b
Examples:
  robot_dynamics contacts bag/ --urdf arm.urdf --thresholds thresholds.yaml --plot contacts.html
  robot_dynamics contacts monday/*.mcap --urdf identified/identified.urdf \\
      --parameters identified/dynamics_node.yaml --thresholds thresholds.yaml

Exit code 1: there is a contact. 2: a recording cannot be used.
"""


@click.command('contacts', help=HELP)
@recording_options('parameters')
@click.option(
    '--thresholds', type=FILE, metavar='FILE',
    help='File of robot_dynamics thresholds; without one, and without thresholds in --parameters, '
    'they are learned from the recording itself.',
)  # fmt: skip
@click.option(
    '--plot', type=FileToWrite(), metavar='FILE',
    help='Write a page with external torques, thresholds and contacts, .html.',
)  # fmt: skip
@output_options
def contacts_command(
    recordings: Recordings, thresholds: Path | None, plot: Path | None, output: Output
) -> int:
    """Search each recording, print and draw."""
    if plot is not None:
        check_report_file(plot)
        if (count := len(recordings.files)) > 1:
            raise ParameterError(
                f'--plot {plot} is of one recording, {count} are named: draw each by itself'
            )
    found, failed = watched(mark_recording, recordings, output, thresholds)
    output.write_json({'recordings': [one.as_json() for one in found], 'failed': failed})
    for one in found:
        _show(one, output)
        if plot is not None:
            write_report(one, plot, ['robot_dynamics', *sys.argv[1:]])
            output.line(f'plot: {plot}')
    return exit_code([one for one in found if one.contacts], failed)


def _show(found: MarkedRecording, output: Output) -> None:
    """Print one recording."""
    origin = (
        'thresholds of this recording itself, blind to a touch of more than 15 % of it'
        if found.own
        else 'given thresholds'
    )
    output.line(
        f'{found.name}: {found.found}; {found.samples} states of {found.robot}, '
        f'observer {frequencies(found)}, {origin}'
    )
    for remark in found.remarks:
        output.line(f'  {remark}')
    units = dict(zip(found.joints, found.units, strict=True))
    if found.contacts:
        table = FittedTable('begin', 'end', 'kind', 'link', 'largest external torque')
        for contact in found.contacts:
            largest = sorted(contact.torques.items(), key=lambda each: -abs(each[1]))
            felt = [f'{name} {value:+.3g} {units[name]}' for name, value in largest[:SHOWN]]
            felt += [f'{len(largest) - SHOWN} more'] * (len(largest) > SHOWN)
            begin = f'{contact.begin:.3f} s{" or before" if contact.from_start else ""}'
            end = f'{contact.end:.3f} s{" or later" if contact.until_end else ""}'
            table.add_row(begin, end, contact.kind, ', '.join(contact.links), ', '.join(felt))
        output.show('', table)
    table = FittedTable('joint', 'residual RMS', 'bias', 'largest')
    for (name, unit), rms, bias, largest in zip(units.items(), *found.residuals, strict=True):
        figures = torque_text(rms, unit), torque_text(bias, unit, 2), torque_text(largest, unit)
        table.add_row(name, *figures)
    output.show('', table, '')
