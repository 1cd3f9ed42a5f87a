"""`robot_dynamics compare`: measured efforts against the torques of a model."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import click

from robot_dynamics_ros.comparison import Compared, Comparison
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.report import comparison_report

from .options import RECORDINGS, subcommand
from .output import PAGE, Output, exit_code
from .recordings import Recordings


@subcommand('compare', *RECORDINGS, 'cutoff', 'parameters', 'scheduler')
@click.option('--report', type=PAGE, metavar='FILE',
              help='Write a report: one page with interactive plots, .html.')  # fmt: skip
def compare_command(recordings: Recordings, report: Path | None, output: Output) -> int:
    """Compare measured efforts with the torques of a model, and find the reasons.

    Examples:
      robot_dynamics compare bag/ --urdf arm.urdf --report arm.html
      robot_dynamics compare panda.db3 --urdf panda.urdf --rename fer_=panda_ --json -
      robot_dynamics compare position.csv+velocity.csv+effort.csv --urdf arm.urdf
    """
    outcomes = recordings.outcomes(compare_recording)
    found = [one.result or Compared('', name, error=one.error) for name, one in outcomes.items()]
    errors = [one.error for one in found if one.error]
    if len(errors) == len(found):
        raise RecordingError('; '.join(errors))
    output.write_json({'recordings': [one.as_json() for one in found]})
    output.show(comparison_report(found), report)
    return exit_code([one for one in found if one.findings], errors)


# Compiled once in a process.
_comparison = lru_cache(maxsize=4)(Comparison)


def compare_recording(recordings: Recordings, name: str) -> Compared:
    """The comparison of one of some recordings; a task that any process may execute."""
    _, robot, joints = recordings.robot(name)
    comparison = _comparison(robot, recordings.joint_model, gravity=recordings.gravity)
    return comparison.of(recordings.open(name, joints=joints), name)
