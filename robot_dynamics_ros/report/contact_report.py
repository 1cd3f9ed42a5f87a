"""The report of contacts in a recording: both bands of the external torque, and thresholds."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.contacts import MarkedRecording
from robot_dynamics_ros.contacts.marked_recording import MarkedContact
from robot_dynamics_ros.core.model.findings import counted, listed

from .figures import Figure, Panel, curve, stacked
from .report import JointReport, Level, Report
from .text import quantity

HINT = (
    'External torque, its fast and its slow part; thresholds are dashed, collisions red, pushes '
    'yellow. ✓ no contact; ● a contact.'
)
COLOURS = {'collision': '#f3b6ad', 'push': '#fbe3a8'}


def contact_report(marked: MarkedRecording) -> Report:
    """What a page shows of a recording with contacts."""
    origin = 'of the recording itself, blind to a touch of more than 15 % of it'
    return Report(
        robot=marked.robot,
        title='contacts',
        headline=f'{marked.found} in {marked.name}, {marked.samples} states',
        findings=[_finding(marked, one) for one in marked.contacts],
        joints=[_joint(marked, joint) for joint in range(len(marked.joints))],
        columns=('residual RMS', 'bias', 'largest'),
        hint=HINT,
        about=[*marked.remarks, f'Thresholds are {origin if marked.own else "given"}.'],
    )


def _finding(marked: MarkedRecording, contact: MarkedContact) -> tuple[Level, str, str]:
    """When and where, and which joints felt it."""
    units = dict(zip(marked.joints, marked.units, strict=True))
    felt = (f'{name} {quantity(value, units[name])}' for name, value in contact.torques.items())
    begin = f'{contact.begin:.3f} s{" or before" if contact.from_start else ""}'
    end = f'{contact.end:.3f} s{" or later" if contact.until_end else ""}'
    head = f'{contact.kind} {listed(contact.links)}'
    return 'warning', head, f'{begin} to {end}; {", ".join(felt)}'


def _joint(marked: MarkedRecording, joint: int) -> JointReport:
    unit, name = marked.units[joint], marked.joints[joint]
    felt = sum(name in one.torques for one in marked.contacts)
    result = counted(felt, 'contact') if felt else 'no contact'
    cells = [quantity(values[joint], unit) for values in marked.residuals]
    figures = _figures(marked, joint)
    return JointReport(name, 'warning' if felt else 'good', result, cells, figures)


def _figures(marked: MarkedRecording, joint: int) -> list[Figure]:
    """Both parts of the external torque of a joint; every peak stays as high as it is."""
    drawn, name, unit = marked.drawn, marked.joints[joint], marked.units[joint]
    gaps = np.flatnonzero(drawn.begins)
    times, twice = np.repeat(drawn.times, 2), np.tile(drawn.times, 2)
    panels = []
    for row, part in enumerate(('fast part', 'slow part')):
        ends = np.stack([drawn.least[:, row, joint], drawn.largest[:, row, joint]], axis=1)
        limits = np.multiply.outer([1.0, -1.0], drawn.limits[:, row, joint]).ravel()
        curves = [
            *curve('external torque', times, ends.ravel(), 2 * gaps),
            *curve('threshold', twice, limits, [*gaps, *gaps + len(drawn.times)]),
        ]
        panels.append(Panel(part, unit, curves))
    spans = [
        (one.begin, one.end, COLOURS[one.kind], 1.0 if name in one.torques else 0.35)
        for one in marked.contacts
    ]
    return stacked('External torque', 'time [s]', panels, spans=spans)
