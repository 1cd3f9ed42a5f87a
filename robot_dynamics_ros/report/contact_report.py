"""The report of contacts in a recording: both bands of the external torque, and thresholds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from robot_dynamics_ros.contacts import MarkedRecording
from robot_dynamics_ros.control.torque_text import without_rounding
from robot_dynamics_ros.core.model.findings import counted

from .figures import Panel, curve, stacked
from .report import JointReport, Report, Table
from .text import quantity

PARTS = 'fast part', 'slow part'
COLUMNS = 'largest, fast part', 'slow part'
CONTACTS = 'begin', 'end', 'kind', 'link', 'joints'
HINT = 'Largest external torques. ✓ no contact; ● a contact.'
COLOURS = {'collision': '#f3b6ad', 'push': '#fbe3a8'}
# Opacity of a contact in the plots of a joint that felt it, and of others.
STRONG, WEAK = 1.0, 0.35


def contact_report(marked: MarkedRecording) -> Report:
    """What a page shows of a recording with contacts."""
    origin = 'the recording itself' if marked.own else 'a file'
    contacts = [
        (
            quantity(one.begin, 's'), quantity(one.end, 's'), one.kind, ', '.join(one.links),
            ', '.join(one.torques),
        )
        for one in marked.contacts
    ]  # fmt: skip
    return Report(
        robot=marked.robot,
        title='contacts',
        headline=f'{marked.found} in {marked.name}',
        findings=(),
        joints=[_joint(marked, joint) for joint in range(len(marked.joints))],
        columns=COLUMNS,
        hint=HINT,
        about=[f'Thresholds (dashed) are of {origin}. Collisions are red, pushes yellow.'],
        errors=(),
        tables=[Table('Contacts', CONTACTS, contacts)],
    )


def _joint(marked: MarkedRecording, joint: int) -> JointReport:
    """Both parts of the external torque of a joint; every peak stays as high as it is."""
    drawn, unit, name = marked.drawn, marked.units[joint], marked.joints[joint]
    gaps, panels, cells = np.flatnonzero(drawn.begins), [], []
    for row, part in enumerate(PARTS):
        values = np.stack([drawn.least[:, row, joint], drawn.largest[:, row, joint]], axis=1)
        limits = drawn.limits[:, row, joint]
        both = np.append(drawn.times, drawn.times), np.append(limits, -limits)
        curves = [
            curve('external torque', np.repeat(drawn.times, 2), values.ravel(), 2 * gaps),
            curve('threshold', *both, np.append(gaps, gaps + len(limits))),
        ]
        panels.append(Panel(part, unit, curves))
        cells.append(quantity(without_rounding(float(abs(values).max())), unit))
    figures = stacked('External torque', 'time [s]', panels)
    for one in figures:
        one.plot.update_layout(shapes=[*_bands(marked, name)])
    felt = sum(name in one.torques for one in marked.contacts)
    result = counted(felt, 'contact') if felt else 'no contact'
    return JointReport(name, 'warning' if felt else 'good', result, cells, figures)


def _bands(marked: MarkedRecording, name: str) -> Iterator[dict[str, Any]]:
    """Contacts behind the curves of a joint."""
    for one in marked.contacts:
        yield {
            'type': 'rect', 'layer': 'below', 'line': {'width': 0},
            'xref': 'x', 'x0': one.begin, 'x1': one.end, 'yref': 'paper', 'y0': 0, 'y1': 1,
            'fillcolor': COLOURS[one.kind], 'opacity': STRONG if name in one.torques else WEAK,
        }  # fmt: skip
