"""The report of contacts in a recording: both bands of the external torque, and thresholds."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.contacts import MarkedRecording
from robot_dynamics_ros.contacts.marked_recording import MarkedContact
from robot_dynamics_ros.core.model.findings import counted, listed

from .figures import Panel, curve, stacked
from .report import JointReport, Level, Report
from .text import quantity

PARTS = 'fast part', 'slow part'
HINT = 'Parts of the external torque. ✓ no contact; ● a contact.'
COLOURS = {'collision': '#f3b6ad', 'push': '#fbe3a8'}


def contact_report(marked: MarkedRecording) -> Report:
    """What a page shows of a recording with contacts."""
    origin = 'the recording itself' if marked.own else 'a file'
    return Report(
        robot=marked.robot,
        title='contacts',
        headline=f'{marked.found} in {marked.name}',
        findings=[_finding(marked, one) for one in marked.contacts],
        joints=[_joint(marked, joint) for joint in range(len(marked.joints))],
        columns=[f'largest {part}' for part in PARTS],
        hint=HINT,
        about=[f'Thresholds (dashed) are of {origin}. Collisions are red, pushes yellow.'],
    )


def _finding(marked: MarkedRecording, contact: MarkedContact) -> tuple[Level, str, str]:
    """When and where, and which joints felt it."""
    units = dict(zip(marked.joints, marked.units, strict=True))
    felt = (f'{name} {quantity(value, units[name])}' for name, value in contact.torques.items())
    head = f'{contact.kind} {listed(contact.links)}'
    span = f'{quantity(contact.begin, "s")} to {quantity(contact.end, "s")}'
    return 'warning', head, f'{span}; {", ".join(felt)}'


def _joint(marked: MarkedRecording, joint: int) -> JointReport:
    """Both parts of the external torque of a joint; every peak stays as high as it is."""
    drawn, unit, name = marked.drawn, marked.units[joint], marked.joints[joint]
    gaps, panels, cells = np.flatnonzero(drawn.begins), [], []
    times = np.repeat(drawn.times, 2), np.append(drawn.times, drawn.times)
    for row, part in enumerate(PARTS):
        ends = np.stack([drawn.least[:, row, joint], drawn.largest[:, row, joint]], axis=1)
        limits = np.multiply.outer([1.0, -1.0], drawn.limits[:, row, joint]).ravel()
        curves = [
            *curve('external torque', times[0], ends.ravel(), 2 * gaps),
            *curve('threshold', times[1], limits, [*gaps, *gaps + len(drawn.times)]),
        ]
        panels.append(Panel(part, unit, curves))
        cells.append(quantity(float(abs(ends).max()), unit))
    figures = stacked('External torque', 'time [s]', panels)
    for one, contact in ((one, contact) for one in figures for contact in marked.contacts):
        # Behind the curves, in all panels.
        one.plot.add_shape(
            type='rect', layer='below', line_width=0, fillcolor=COLOURS[contact.kind],
            opacity=1.0 if name in contact.torques else 0.35,
            xref='x', x0=contact.begin, x1=contact.end, yref='paper', y0=0, y1=1,
        )  # fmt: skip
    felt = sum(name in one.torques for one in marked.contacts)
    result = counted(felt, 'contact') if felt else 'no contact'
    return JointReport(name, 'warning' if felt else 'good', result, cells, figures)
