"""Figures of a report: curves in panels above each other, drawn by plotly, and the same in words.

They are data until `Figure.plot`.
"""

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


# Name, which has a style; x, y, and the samples before which the line is interrupted.
Curve = tuple[str, Array, Array, npt.ArrayLike]


class Panel(NamedTuple):
    """Name and unit of the vertical axis, and curves; the first one is below the others."""

    name: str
    unit: str
    curves: Sequence[Curve]
    remark: str = ''

    @property
    def words(self) -> str:
        """Ranges of the curves, and the remark."""
        ends = ((name, np.nanmin(y), np.nanmax(y)) for name, _, y, _ in self.curves)
        ranges = (f'{name} {number(y)} to {quantity(z, self.unit)}' for name, y, z in ends)
        return f'{"; ".join(ranges)}. {self.remark}'


class Figure(NamedTuple):
    """Panels above each other, with a common horizontal axis."""

    title: str
    x_label: str
    panels: Sequence[Panel]
    words: Sequence[str]  #: what it shows, for readers who cannot see it
    spans: Sequence[tuple[float, float, str, float]] = ()  #: of x, with colours and opacities

    @property
    def plot(self) -> Any:
        """The figure of plotly."""
        rows, scatter = len(self.panels), required('plotly.graph_objects').Scatter
        height = rows * (PANEL + GAP) - GAP
        plot = required('plotly.subplots').make_subplots(
            rows=rows, shared_xaxes=True, vertical_spacing=GAP / height
        )
        for row, panel in enumerate(self.panels, 1):
            several, legend = len(panel.curves) > 1, f'legend{row}'
            for name, *curve in panel.curves:
                x, y = (one.astype(np.float32) for one in envelope(*curve))
                look = {'mode': 'lines', 'line_width': 2.0, **STYLES[name]}
                trace = scatter(x=x, y=y, name=name, legend=legend, showlegend=several, **look)
                plot.add_trace(trace.update(hovertemplate='%{y:.4~g}'), row, 1)
            top = plot.get_subplot(row, 1).yaxis.domain[1]
            look = {'orientation': 'h', 'yanchor': 'bottom', 'bgcolor': 'rgba(0,0,0,0)', 'y': top}
            plot.update_layout({legend: look})
            plot.update_yaxes(title_text=f'{panel.name} [{panel.unit}]', row=row)
        for begin, end, colour, opacity in self.spans:
            plot.add_shape(
                type='rect', layer='below', line_width=0, fillcolor=colour, opacity=opacity,
                xref='x', x0=begin, x1=end, yref='paper', y0=0, y1=1,
            )  # fmt: skip
        for update in plot.update_xaxes, plot.update_yaxes:
            update(gridcolor='#e3e7eb', zerolinecolor='#9aa3ad', ticks='outside', ticklen=4)
        plot.update_yaxes(title_standoff=6)
        plot.update_xaxes(title_text=self.x_label, row=rows)
        return plot.update_layout(
            template='none',
            height=height + MARGIN['t'] + MARGIN['b'],
            margin=MARGIN,
            font={'family': 'system-ui, sans-serif', 'size': 12.5},
            hovermode='x unified' if rows > 1 else 'closest',
        )


def curve(name: str, x: Array, y: Array, gaps: npt.ArrayLike = ()) -> list[Curve]:
    """A curve; none where no y is finite."""
    return [(name, x, y, gaps)] if np.isfinite(y).any() else []


def stacked(
    title: str, x_label: str, panels: Sequence[Panel], hint: str = '', spans: Sequence[Any] = ()
) -> list[Figure]:
    """A figure of the panels that have a curve; none where none has."""
    shown = [one for one in panels if one.curves]
    words = [*(one.words for one in shown), *filter(None, [hint])]
    return [Figure(title, x_label, shown, words, spans)] if shown else []


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
