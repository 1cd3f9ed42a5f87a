"""`robot_dynamics contacts`: what touched the robot in recordings."""

from __future__ import annotations

from pathlib import Path

import click

from robot_dynamics_ros.contacts import mark_recording
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.report import contact_report

from .options import RECORDINGS, subcommand
from .output import FILE, PAGE, Output, exit_code
from .recordings import Recordings
from .watching import watched


@subcommand('contacts', *RECORDINGS, 'parameters')
@click.option('--thresholds', type=FILE, metavar='FILE',
              help='File of robot_dynamics thresholds; without one, and without thresholds in '
              '--parameters, they are learned from the recording itself.')  # fmt: skip
@click.option('--plot', type=PAGE, metavar='FILE',
              help='Write a page with external torques, thresholds and contacts, '
              '.html.')  # fmt: skip
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
    if plot is not None and (count := len(recordings.files)) > 1:
        raise ParameterError(
            f'--plot {plot} is of one recording, {count} are named: draw each by itself'
        )
    found, failed = watched(mark_recording, recordings, output, thresholds)
    output.write_json({'recordings': [one.as_json() for one in found], 'failed': failed})
    for one in found:
        output.show(contact_report(one), plot)
    return exit_code([one for one in found if one.contacts], failed)
