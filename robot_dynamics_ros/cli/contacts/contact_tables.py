"""Contacts and thresholds as text for a terminal."""

from __future__ import annotations

from robot_dynamics_ros.contacts import MarkedRecording, ThresholdSurvey
from robot_dynamics_ros.contacts.joint_residuals import JointResiduals
from robot_dynamics_ros.control.external_forces.detection.residual_bands import BANDS
from robot_dynamics_ros.core.checks import Array

from ..tables import FittedTable


def survey_summary(survey: ThresholdSurvey) -> str:
    """From what thresholds were learned, in one line."""
    count = len(survey.recordings)
    what = '1 recording' if count == 1 else f'{count} recordings'
    tested = (
        ''
        if survey.exceeded is None
        else f'; {len(survey.exceeded)} false alarms when each half is tested with the other'
    )
    return (
        f'{survey.robot}: {what}, {survey.thresholds.seconds:.4g} s, observer '
        f'{_frequencies(survey.recordings[0].bandwidth)}, at most '
        f'{survey.thresholds.false_alarms_per_hour:g} false alarms per hour of motion like the '
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
        cells = [f'{residuals.rms[index]:.3g} {unit}', f'{residuals.bias[index]:.2g}']
        for row in range(len(BANDS)):
            cells.append(f'{means[row, index]:.3g} {unit}')
            cells += [f'{value:.3g}' for value in coefficients[row, :, index]]
        table.add_row(name, *cells)
    return table


def marked_summary(marked: MarkedRecording) -> str:
    """What was searched, in one line."""
    found = {0: 'no contact', 1: '1 contact'}.get(
        len(marked.contacts), f'{len(marked.contacts)} contacts'
    )
    origin = (
        'thresholds of this recording itself: learn them from one without contact, with '
        'robot_dynamics thresholds, to find more'
        if marked.own
        else 'given thresholds'
    )
    return (
        f'{marked.name}: {found}; {marked.residuals.samples} states of {marked.robot}, observer '
        f'{_frequencies(marked.bandwidth)}, {origin}'
    )


def contact_table(marked: MarkedRecording) -> FittedTable:
    """The contacts of a recording."""
    units = dict(zip(marked.joints, marked.units, strict=True))
    table = FittedTable('begin', 'end', 'kind', 'link', 'largest external torque')
    for contact in marked.contacts:
        felt = (f'{name} {value:+.3g} {units[name]}' for name, value in contact.torques.items())
        table.add_row(
            f'{contact.begin:.3f} s', f'{contact.end:.3f} s', contact.kind,
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
        table.add_row(name, f'{rms:.3g} {unit}', f'{bias:.2g} {unit}', f'{largest:.3g} {unit}')
    return table


def _frequencies(each: Array) -> str:
    """Of all joints, or the lowest and the highest."""
    low, high = each.min(), each.max()
    return f'{low:.3g} Hz' if low == high else f'{low:.3g} to {high:.3g} Hz'
