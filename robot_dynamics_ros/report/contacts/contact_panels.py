"""What is drawn of each joint: both bands of the residual, between their thresholds."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.contacts import MarkedRecording
from robot_dynamics_ros.control.external.thresholds import BANDS
from robot_dynamics_ros.control.torque_text import without_rounding

from ..figures.panel import Array, Curve, Panel
from ..words.numbers_as_text import quantity

TITLES = {'collision': 'Collision: fast part', 'push': 'Push: slow part'}


def joint_panels(marked: MarkedRecording, joint: int) -> tuple[Panel, ...]:
    """Panels of the fast and of the slow part of the external torque.

    Args:
        marked: the recording.
        joint: index among the watched ones.
    """
    drawn, unit = marked.drawn, marked.units[joint]
    gaps = np.flatnonzero(drawn.begins)
    panels = []
    for row, band in enumerate(BANDS):
        limits = drawn.limits[:, row, joint]
        # Up and down in each stretch: every peak stays as high as it is.
        values = np.stack([drawn.least[:, row, joint], drawn.largest[:, row, joint]], axis=1)
        times = np.repeat(drawn.times, 2)
        curves = (
            Curve('measured', 'external torque', *_cut(times, values.ravel(), 2 * gaps)),
            Curve('cutoff', 'threshold', *_cut(drawn.times, limits, gaps)),
            Curve('cutoff', '', *_cut(drawn.times, -limits, gaps)),
        )
        largest = without_rounding(float(abs(values).max()))
        words = f'Largest {quantity(largest, unit)}.'
        panels.append(Panel(band, TITLES[band], 'time [s]', f'[{unit}]', curves, words))
    return tuple(panels)


def _cut(times: Array, values: Array, gaps: Array) -> tuple[Array, Array]:
    """The curve, interrupted where the observer begins."""
    return np.insert(times, gaps, np.nan), np.insert(values, gaps, np.nan)
