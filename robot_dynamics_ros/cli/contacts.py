"""`robot_dynamics contacts`: what touched the robot in recordings."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from robot_dynamics_ros.contacts import MarkedRecording, mark_recording
from robot_dynamics_ros.contacts.marked_recording import MarkedContact
from robot_dynamics_ros.control.torque_text import torque_text
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.report import check_report_file, write_report

from .output import FILE, Output, ToWrite, exit_code, output_options
from .recordings import Recordings, recording_options
from .watching import frequencies, watched


@click.command('contacts')
@recording_options('parameters')
@click.option('--thresholds', type=FILE, metavar='FILE',
              help='File of robot_dynamics thresholds; without one, and without thresholds in '
              '--parameters, they are learned from the recording itself.')  # fmt: skip
@click.option('--plot', type=ToWrite(), metavar='FILE',
              help='Write a page with external torques, thresholds and contacts, '
              '.html.')  # fmt: skip
@output_options
def contacts_command(
    recordings: Recordings, thresholds: Path | None, plot: Path | None, output: Output
) -> int:
    """Find contacts in recordings: when, how, at which link, with which external torques.

    The momentum observer and the detector of dynamics_node run along the states as they were
    recorded. Without thresholds, they are eight times what the recording itself exceeds in 15 % of
    its time.

    Examples:
      robot_dynamics contacts bag/ --urdf arm.urdf --thresholds thresholds.yaml --plot c.html
      robot_dynamics contacts monday/*.mcap --urdf arm.urdf --parameters dynamics_node.yaml

    Exit code 1: there is a contact. 2: a recording cannot be used.
    """
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
        columns = 'begin', 'end', 'kind', 'link', 'largest external torque'
        output.table(columns, (_contact_row(one, units) for one in found.contacts))
    rows = (
        (name, torque_text(rms, unit), torque_text(bias, unit, 2), torque_text(largest, unit))
        for (name, unit), rms, bias, largest in zip(units.items(), *found.residuals, strict=True)
    )
    output.table(['joint', 'residual RMS', 'bias', 'largest'], rows)


def _contact_row(contact: MarkedContact, units: Mapping[str, str]) -> tuple[str, ...]:
    """A contact with the torque of the joint that felt it most."""
    joint, torque = max(contact.torques.items(), key=lambda each: abs(each[1]))
    more = len(contact.torques) - 1
    return (
        f'{contact.begin:.3f} s{" or before" if contact.from_start else ""}',
        f'{contact.end:.3f} s{" or later" if contact.until_end else ""}',
        contact.kind,
        ', '.join(contact.links),
        f'{joint} {torque:+.3g} {units[joint]}{f", {more} more" if more else ""}',
    )
