"""Figures of a report by plotly: curves, panels above each other, and the same in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required

from .text import number, quantity

# Of two curves that lie on each other, the lower one is broad and light, the upper one narrow and
# dark; curves of one panel differ in grey too.
STYLES: dict[str, dict[str, Any]] = {
    'measured': {'line_color': '#8fb4dd', 'line_width': 3.5},
    'model': {'line_color': '#8b1a1a', 'line_width': 1.3},
    'residual': {'line_color': '#222222', 'line_width': 1.0},
    'gravity': {'line_color': '#1f4e9c'},
    'coriolis': {'line_color': '#7b3fa0', 'line_dash': 'dot'},
    'inertia': {'line_color': '#d2691e', 'line_dash': 'dash'},
    'friction': {'line_color': '#2e8b57', 'line_dash': 'dashdot'},
    'samples': {'mode': 'markers', 'marker_color': '#5b7fa6', 'marker_size': 4, 'opacity': 0.4},
    'mean': {'line_color': '#111111'},
    'fitted friction': {'line_color': '#c2410c', 'line_dash': 'dash'},
    'URDF': {'line_color': '#d2691e', 'line_width': 1.4, 'line_dash': 'dash'},
    'identified': {'line_color': '#12305f', 'line_width': 1.3},
    '95 % interval': {'fill': 'toself', 'fillcolor': '#cfe0f2', 'line_width': 0},
    'external torque': {'line_color': '#8fb4dd', 'line_width': 3.0},
    'threshold': {'line_color': '#8b1a1a', 'line_width': 1.5, 'line_dash': 'dash'},
}
# Of a curve: as many as a wide screen has pixels for.
MAX_STRETCHES = 1000
# Heights [px]: of a panel, and of what lies between two.
PANEL, GAP = 190, 40
# Above the legend are the buttons of plotly.
MARGIN = {'t': 52, 'b': 46, 'l': 64, 'r': 10}


class Figure(NamedTuple):
    """A figure of plotly, and what it shows in words, for readers who cannot see it."""

    title: str
    plot: Any
    words: Sequence[str]


class Panel(NamedTuple):
    """Name and unit of the vertical axis, and curves; the first one is below the others."""

    name: str
    unit: str
    curves: Sequence[Any]
    remark: str = ''

    @property
    def words(self) -> str:
        """Ranges of the curves, and the remark."""
        ends = ((one.name, np.nanmin(one.y), np.nanmax(one.y)) for one in self.curves)
        ranges = (f'{name} {number(y)} to {quantity(z, self.unit)}' for name, y, z in ends)
        return f'{"; ".join(ranges)}. {self.remark}'


def curve(name: str, x: Array, y: Array, gaps: npt.ArrayLike = ()) -> list[Any]:
    """A curve of plotly with the style of its name; none where no y is finite.

    It is interrupted at NaN, and before the samples `gaps`.
    """
    if not np.isfinite(y).any():
        return []
    shown = (one.astype(np.float32) for one in envelope(x, y, gaps))
    look = {'mode': 'lines', 'line_width': 2.0, 'hovertemplate': '%{y:.4~g}', **STYLES[name]}
    scatter = required('plotly.graph_objects').Scatter
    return [
        scatter(**dict(zip('xy', shown, strict=True)), name=name[0].upper() + name[1:], **look)
    ]


def envelope(
    x: Array, y: Array, gaps: npt.ArrayLike = (), most: int = MAX_STRETCHES
) -> tuple[Array, Array]:
    """A smallest and a largest sample of each of `most` stretches of a curve, NaN at its gaps."""
    rows = np.arange(len(x))
    if len(x) > 2 * most:
        low, high = (np.where(np.isfinite(y), y, fill) for fill in (np.inf, -np.inf))
        parts = np.array_split(rows, most)
        rows = np.unique([(one[low[one].argmin()], one[high[one].argmax()]) for one in parts])
    breaks = np.searchsorted(rows, np.asarray(gaps, int))
    return np.insert(x[rows], breaks, np.nan), np.insert(y[rows], breaks, np.nan)


def stacked(title: str, x_label: str, panels: Sequence[Panel], hint: str = '') -> list[Figure]:
    """Panels with curves above each other, with a common horizontal axis; none without a curve."""
    if not (shown := [one for one in panels if one.curves]):
        return []
    height = len(shown) * (PANEL + GAP) - GAP
    plot = required('plotly.subplots').make_subplots(
        rows=len(shown), shared_xaxes=True, vertical_spacing=GAP / height
    )
    legend = {'orientation': 'h', 'yanchor': 'bottom', 'bgcolor': 'rgba(0,0,0,0)'}
    for row, panel in enumerate(shown, 1):
        top, name = plot.get_subplot(row, 1).yaxis.domain[1], f'legend{row}'
        for one in panel.curves:
            plot.add_trace(one.update(legend=name, showlegend=len(panel.curves) > 1), row, 1)
        plot.update_layout({name: legend | {'y': top}})
        plot.update_yaxes(title_text=f'{panel.name} [{panel.unit}]', row=row)
    for update in plot.update_xaxes, plot.update_yaxes:
        update(gridcolor='#e3e7eb', zerolinecolor='#9aa3ad', ticks='outside', ticklen=4)
    plot.update_yaxes(title_standoff=6)
    plot.update_xaxes(title_text=x_label, row=len(shown))
    plot.update_layout(
        template='none',
        height=height + MARGIN['t'] + MARGIN['b'],
        margin=MARGIN,
        font={'family': 'system-ui, sans-serif', 'size': 12.5},
        hovermode='x unified' if len(shown) > 1 else 'closest',
    )
    return [Figure(title, plot, [*(one.words for one in shown), *filter(None, [hint])])]
