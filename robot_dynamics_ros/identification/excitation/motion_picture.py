"""An excitation motion as a picture, by matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

from .excited_motion import Excitation

SAMPLES = 800
ALLOWED = '#c1121f'


def draw(excitation: Excitation, file: Path) -> None:
    """Draw positions, velocities, accelerations and torques as shares of their limits.

    Args:
        excitation: the motion.
        file: to write, in the format of its ending.

    Raises:
        ParameterError: matplotlib is not installed, or cannot write such a file.
    """
    try:
        # Optional, and slow to import.
        from matplotlib.figure import Figure
    except ImportError:
        raise ParameterError(
            "a picture needs matplotlib: pip install 'robot_dynamics_ros[identification]'"
        ) from None
    figure = Figure(figsize=(12.0, 9.0), layout='constrained')
    panels = figure.subplots(5, 1, sharex=True)
    times = np.linspace(0.0, excitation.settings.duration, SAMPLES)
    for axes, (label, shares) in zip(panels[:4], _shares(excitation, times), strict=True):
        lines = axes.plot(times, 100.0 * shares, linewidth=1.0)
        for side in (-1.0, 1.0):
            axes.axhline(
                side * 100.0 * excitation.settings.share, color=ALLOWED, linestyle=':',
                linewidth=1.0,
            )  # fmt: skip
        axes.set(ylabel=label, ylim=(-105.0, 105.0))
        axes.grid(alpha=0.3)
    _draw_distances(panels[4], excitation, times)
    panels[-1].set(xlabel='time [s]', xlim=(0.0, times[-1]))
    figure.legend(
        lines, excitation.model.joint_names, loc='outside lower center', ncols=6, fontsize=8
    )
    figure.suptitle(_title(excitation), fontsize=11)
    try:
        figure.savefig(file, dpi=90)
    except ValueError as error:
        raise ParameterError(f'{file.name}: {error}') from None


def _shares(excitation: Excitation, times: Array) -> list[tuple[str, Array]]:
    """Label, and values (m, n) relative to their limits."""
    limits = excitation.limits
    q, v, a = excitation.series.at(times)
    return [
        ('position\n[% of half range]', (q - limits.middle) / limits.half),
        ('velocity [%]', v / limits.velocity),
        ('acceleration [%]', a / limits.acceleration),
        ('effort [%]', excitation.effort.total(q, v, a) / limits.effort),
    ]


def _draw_distances(axes: Any, excitation: Excitation, times: Array) -> None:
    q, _, _ = excitation.series.at(times)
    near = excitation.clearance.at(q, 0.5)
    for values, label in ((near.apart, 'between bodies'), (near.height, 'from the floor')):
        if values.size:
            axes.plot(times, values.min(axis=1), linewidth=1.2, label=label)
    axes.axhline(excitation.clearance.distance, color=ALLOWED, linestyle=':', linewidth=1.0)
    axes.set(ylabel='distance [m]', ylim=(0.0, 0.5))
    axes.grid(alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc='upper right', fontsize=8)


def _title(excitation: Excitation) -> str:
    band = excitation.band
    return (
        f'{excitation.model.name}: {excitation.settings.duration:g} s, {band.harmonics} harmonics '
        f'of {band.frequency:g} Hz; {excitation.information.rank} base parameters, condition '
        f'{excitation.merit.condition:.3g}, standard deviations '
        f'{excitation.improvement:.3g} times '
        'smaller than of random motions'
    )
