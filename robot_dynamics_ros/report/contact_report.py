"""The contacts of a recording: both bands of the external torque, between their thresholds."""

from __future__ import annotations

from pathlib import PurePath

import numpy as np

from robot_dynamics_ros.contacts import MarkedRecording
from robot_dynamics_ros.control.external.thresholds import BANDS
from robot_dynamics_ros.control.torque_text import without_rounding

from .figure import Array, Band, Curve, Figure, Panel
from .report import JointReport, Level, Report, worst
from .text import quantity

PARTS = {'collision': 'fast part', 'push': 'slow part'}
ROW = {'collision': 1.0, 'push': 1.0}
# Of collisions and pushes, behind the curves; strong where the joint felt the contact.
COLOURS = {'collision': '#f3b6ad', 'push': '#fbe3a8'}
STRONG, WEAK = 1.0, 0.35


def contact_report(marked: MarkedRecording) -> Report:
    """What a picture shows of a recording with contacts."""
    origin = 'the recording itself' if marked.own else 'a parameter file'
    joints = []
    for joint, name in enumerate(marked.joints):
        panels = joint_panels(marked, joint)
        largest = ', '.join(f'{PARTS[one.key]} {one.remark}' for one in panels)
        felt = any(name in one.torques for one in marked.contacts)
        level: Level = 'warning' if felt else 'good'
        figures = (Figure('contacts', panels, ''),)
        joints.append(JointReport(name, level, f'Largest {largest}', '', (), figures))
    return Report(
        marked.robot,
        'contacts',
        f'External torque of each joint, and thresholds of {origin} (dashed). Collisions: red, '
        'pushes: yellow.',
        f'{marked.found} in {PurePath(marked.name).name}',
        worst(one.level for one in joints),
        joints,
        ROW,
    )


def joint_panels(marked: MarkedRecording, joint: int) -> tuple[Panel, ...]:
    """Panels of the fast and of the slow part of the external torque."""
    drawn, unit, name = marked.drawn, marked.units[joint], marked.joints[joint]
    gaps = np.flatnonzero(drawn.begins)
    bands = tuple(
        Band(one.begin, one.end, COLOURS[one.kind], STRONG if name in one.torques else WEAK)
        for one in marked.contacts
    )
    panels = []
    for row, band in enumerate(BANDS):
        # Up and down in each stretch: every peak stays as high as it is.
        values = np.stack([drawn.least[:, row, joint], drawn.largest[:, row, joint]], axis=1)
        times, limits = _cut(drawn.times, drawn.limits[:, row, joint], gaps)
        both_times = np.concatenate([times, [np.nan], times])
        both_limits = np.concatenate([limits, [np.nan], -limits])
        curves = (
            Curve('external', *_cut(np.repeat(drawn.times, 2), values.ravel(), 2 * gaps)),
            Curve('threshold', both_times, both_limits),
        )
        title = f'{band.capitalize()}: {PARTS[band]}'
        largest = quantity(without_rounding(float(abs(values).max())), unit)
        panels.append(Panel(band, title, 'time [s]', '', unit, curves, largest, bands=bands))
    return tuple(panels)


def _cut(times: Array, values: Array, gaps: Array) -> tuple[Array, Array]:
    """The curve, interrupted where the observer begins."""
    return np.insert(times, gaps, np.nan), np.insert(values, gaps, np.nan)
