"""The picture of a run: nine panels in one PNG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .verdict import Verdict

INK, RED, ORANGE, GREEN, BLUE, PURPLE, BROWN = (
    *('#333333', '#c0392b', '#e39b2d', '#1a7f4b'),
    *('#2c6fbb', '#8e44ad', '#d35400'),
)
MANY = 12
"""Joints from which on they are not named in a panel."""
_STYLE = {
    'font.size': 11,
    'axes.titlesize': 13,
    'axes.titleweight': 'bold',
    'axes.titlelocation': 'left',
    'axes.titlepad': 10,
    'axes.spines.top': False,
    'axes.spines.right': False,
    'axes.edgecolor': '#888888',
    'axes.grid': True,
    'axes.axisbelow': True,
    'grid.color': '#e6e6e6',
    'legend.frameon': False,
    'legend.fontsize': 10,
    'xtick.color': '#444444',
    'ytick.color': '#444444',
}


def draw(
    panels: Sequence[Callable[[Axes], None]], verdict: Verdict, subtitle: str, file: Path
) -> None:
    """Draw nine panels below a headline into a PNG."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(18, 15.5), layout='constrained')
        FigureCanvasAgg(figure)
        figure.get_layout_engine().set(w_pad=0.15, h_pad=0.15, wspace=0.03, hspace=0.04)
        head, body = figure.subfigures(2, 1, height_ratios=[1, 15.5])
        _headline(head, verdict, subtitle)
        for panel, axes in zip(panels, body.subplots(3, 3).flat, strict=True):
            panel(axes)
        figure.savefig(file, dpi=100)


def legend_above(axes: Axes, title: str, columns: int, *twins: Axes) -> None:
    """Extend the axes and its twins upwards, and put the legend with a title above the curves."""
    rows = -(-len(axes.get_legend_handles_labels()[0]) // columns) + 1
    for each in (axes, *twins):
        low, high = each.get_ylim()
        each.set_ylim(low, high + 0.09 * rows * (high - low))
    legend = axes.legend(loc='upper right', ncols=columns, title=title)
    legend.set_alignment('left')


def power(value: float, decimals: int = 0) -> str:
    """A number such as 7e-14."""
    if value == 0:
        return '0'
    mantissa, _, exponent = f'{value:.{decimals}e}'.partition('e')
    return f'{mantissa}e{int(exponent)}'


def _headline(head: Figure, verdict: Verdict, subtitle: str) -> None:
    judged = [figure for figure in verdict.figures if figure.bound]
    held = sum(figure.passed for figure in judged)
    slow = f', {len(verdict.slow)} slow by load' if verdict.slow else ''
    title = f'Torques for {verdict.arm}, computed from its URDF in real time'
    head.text(0.012, 0.62, title, size=21, weight='bold', va='center')
    head.text(0.012, 0.16, subtitle, size=13, color='#555555', va='center')
    head.text(
        0.988,
        0.5,
        f'{"PASSED" if verdict.passed else "FAILED"}\n{held} of {len(judged)} bounds hold{slow}',
        size=15,
        weight='bold',
        color=GREEN if verdict.passed else RED,
        ha='right',
        va='center',
        linespacing=1.4,
    )
