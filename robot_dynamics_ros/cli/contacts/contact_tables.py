"""Contacts and thresholds as text for a terminal."""

from __future__ import annotations

from robot_dynamics_ros.contacts import MarkedRecording, ThresholdSurvey
from robot_dynamics_ros.contacts.joint_residuals import JointResiduals
from robot_dynamics_ros.control.external.thresholds import BANDS
from robot_dynamics_ros.control.torque_text import torque_text
from robot_dynamics_ros.core.checks import Array

from ..tables import FittedTable

# Joints of a contact in a table: those with the largest external torques.
SHOWN = 3


def survey_summary(survey: ThresholdSurvey) -> str:
    """From what thresholds were learned, in one line."""
    count = len(survey.recordings)
    what = '1 recording' if count == 1 else f'{count} recordings'
    tested = (
        ''
        if survey.exceeded is None
        else f'; {false_alarms(len(survey.exceeded))} when each half is tested with the other'
    )
    return (
        f'{survey.robot}: {what}, {survey.thresholds.seconds:.4g} s, observer '
        f'{_frequencies(survey.recordings[0].bandwidth)}, at most '
        f'{false_alarms(survey.thresholds.false_alarms_per_hour)} per hour of motion like the '
        f'recorded one{tested}'
    )


def threshold_table(survey: ThresholdSurvey) -> FittedTable:
    """Residual and thresholds of each joint."""
    columns = ['joint', 'residual RMS', 'bias']
    for band in BANDS:
        columns += [f'{band}: mean', 'constant', 'per speed', 'per acceleration']
    table = FittedTable(*columns)
    coefficients, means = survey.thresholds.coefficients, survey.mean_limits
    units = survey.recordings[0].units
    residuals = survey.residuals
    for index, (name, unit) in enumerate(zip(survey.joints, units, strict=True)):
        cells = [
            torque_text(residuals.rms[index], unit),
            torque_text(residuals.bias[index], unit, 2),
        ]
        for row in range(len(BANDS)):
            cells.append(torque_text(means[row, index], unit))
            cells += [f'{value:.3g}' for value in coefficients[row, :, index]]
        table.add_row(name, *cells)
    return table


def marked_summary(marked: MarkedRecording) -> str:
    """What was searched, in one line."""
    origin = (
        'thresholds of this recording itself, which do not show a touch that lasts through most '
        'of it: learn them from one without contact, with robot_dynamics thresholds'
        if marked.own
        else 'given thresholds'
    )
    return (
        f'{marked.name}: {marked.found}; {marked.residuals.samples} states of {marked.robot}, '
        f'observer {_frequencies(marked.bandwidth)}, {origin}'
    )


def contact_table(marked: MarkedRecording) -> FittedTable:
    """The contacts of a recording."""
    units = dict(zip(marked.joints, marked.units, strict=True))
    table = FittedTable('begin', 'end', 'kind', 'link', 'largest external torque', heads=True)
    for contact in marked.contacts:
        largest = sorted(contact.torques.items(), key=lambda each: -abs(each[1]))
        felt = [f'{name} {value:+.3g} {units[name]}' for name, value in largest[:SHOWN]]
        if (more := len(largest) - SHOWN) > 0:
            felt.append(f'{more} more')
        begin = f'{contact.begin:.3f} s{" or before" if contact.from_start else ""}'
        end = f'{contact.end:.3f} s{" or later" if marked.until_end(contact) else ""}'
        table.add_row(
            begin, end, contact.kind,
            ', '.join(contact.links), ', '.join(felt),
        )  # fmt: skip
    return table


def residual_table(
    joints: tuple[str, ...], units: tuple[str, ...], found: JointResiduals
) -> FittedTable:
    """The residual of each joint."""
    table = FittedTable('joint', 'residual RMS', 'bias', 'largest')
    rows = zip(joints, units, found.rms, found.bias, found.largest, strict=True)
    for name, unit, rms, bias, largest in rows:
        figures = torque_text(rms, unit), torque_text(bias, unit, 2), torque_text(largest, unit)
        table.add_row(name, *figures)
    return table


def false_alarms(count: float) -> str:
    """That many, in words."""
    return '1 false alarm' if count == 1 else f'{count:g} false alarms'


def _frequencies(each: Array) -> str:
    """Of all joints, or the lowest and the highest."""
    low, high = each.min(), each.max()
    return f'{low:.3g} Hz' if low == high else f'{low:.3g} to {high:.3g} Hz'
