"""`robot_dynamics thresholds`: thresholds of contacts, from recordings without contact."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from robot_dynamics_ros.contacts import ThresholdSurvey, survey_recording, surveyed
from robot_dynamics_ros.contacts.thresholds import FALSE_ALARMS, MARGIN
from robot_dynamics_ros.control.external.thresholds import BANDS
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.findings import counted
from robot_dynamics_ros.parameter_yaml import yaml_comment
from robot_dynamics_ros.report.report import Report, Table
from robot_dynamics_ros.report.text import number, quantity
from robot_dynamics_ros.threshold_file import LearnedThresholds
from robot_dynamics_ros.written_file import written_file

from .contacts import watched
from .options import RECORDINGS, subcommand
from .output import Output, ToWrite, exit_code
from .recordings import Recordings


@subcommand('thresholds', *RECORDINGS, 'parameters')
@click.option('--margin', type=click.FloatRange(1.0, 100.0), default=MARGIN, show_default=True,
              metavar='FACTOR', help='For motion unlike the recorded one.')  # fmt: skip
@click.option('--false-alarms', default=FALSE_ALARMS, show_default=True, metavar='SHARE',
              type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
              help='Largest share of the time above thresholds without margin.')  # fmt: skip
@click.option('--output', 'target', type=ToWrite(), metavar='FILE',
              help='Write a file for contact_thresholds of dynamics_node.')  # fmt: skip
def thresholds_command(
    recordings: Recordings,
    false_alarms: float,
    margin: float,
    target: Path | None,
    output: Output,
) -> int:
    """Learn thresholds of contacts from recordings in which nothing touches the robot.

    They need the motions of the application: 100 s for the default share of false alarms, 200 s
    to test it.

    Example:
      robot_dynamics thresholds free/ --urdf arm.urdf --output thresholds.yaml
    """
    surveys, failed = watched(survey_recording, recordings, output)
    if not surveys:
        raise RecordingError('no recording can be used')
    found = surveyed(surveys, false_alarms, margin)
    output.write_json({**found.as_json(), 'failed': failed})
    report = _report(found)
    output.show(report)
    if target is not None:
        with written_file(target) as new:
            new.write_text(_threshold_file(found, report.headline), encoding='utf-8')
        output.line(f'written: {target}; parameter contact_thresholds of dynamics_node names it')
    return exit_code(found.doubts, failed)


def _report(found: ThresholdSurvey) -> Report:
    """Residuals and thresholds of each joint."""
    test, first, (rms, bias, _) = 'not tested', found.first, found.residuals
    low, high = first.bandwidth.min(), first.bandwidth.max()
    if found.tested is not None and found.exceeded is not None:
        alarms = counted(len(found.exceeded), 'alarm') if found.exceeded else 'no alarm'
        test = (
            f'{100.0 * found.tested:.2g} % when each half is tested with the other, and {alarms} '
            f'with the margin of {found.margin:g}'
        )
    rows = []
    for row, (name, unit) in enumerate(zip(first.joints, first.units, strict=True)):
        rows.append([name, quantity(rms[row], unit), quantity(bias[row], unit)])
        for mean, parts in zip(found.mean_limits, found.thresholds.coefficients, strict=True):
            rows[-1] += [quantity(mean[row], unit), *map(number, parts[:, row])]
    columns = ['joint', 'residual RMS', 'bias']
    for band in BANDS:
        columns += [f'{band}: mean', 'constant', 'per speed', 'per acceleration']
    return Report(
        first.robot,
        headline=f'{counted(len(found.recordings), "recording")}, {found.seconds:.4g} s, observer '
        f'{low:.3g} to {high:.3g} Hz; above the thresholds in at most '
        f'{100.0 * found.false_alarms:g} % of the time: {test}',
        about=[f'{one.name}: {remark}' for one in found.recordings for remark in one.remarks],
        tables=[Table('', columns, rows)],
        findings=[('warning', *doubt.split(': ', 1)) for doubt in found.doubts],
    )


def _threshold_file(found: ThresholdSurvey, summary: str) -> str:
    """The text of the file; what it was learned from, and doubts, stand at its head."""
    speeds = ', '.join(f'{speed:.2g}' for speed in found.largest_motion[0])
    origin = [summary, f'largest speeds: {speeds} [rad/s or m/s]']
    head = yaml_comment('Thresholds of contacts, for contact_thresholds of dynamics_node:', origin)
    doubted = yaml_comment('Doubts of robot_dynamics thresholds:', found.doubts)
    joints, parts = found.first.joints, np.moveaxis(found.thresholds.coefficients, 2, 0)
    bandwidths = dict(zip(joints, found.first.bandwidth.tolist(), strict=True))
    learned = LearnedThresholds(bandwidths, dict(zip(joints, parts, strict=True)))
    return f'{doubted}{head}{learned.text()}'
