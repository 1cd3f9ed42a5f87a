"""Panels drawn by matplotlib, for documents and pictures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import NullFormatter

from ..figures.panel import Curve, Panel
from ..figures.styles import GRID, INK, STYLES
from ..words.readable import readable

Legend = Literal['right', 'below', 'none']
_LINES = {'solid': 'solid', 'dot': ':', 'dash': '--', 'dashdot': '-.'}
# plotly counts in pixels of 1/96 inch, matplotlib in points of 1/72 inch.
_POINTS = 0.75
_STYLE: dict[str, Any] = {
    'font.family': ['DejaVu Sans'],
    'font.size': 8,
    'axes.titlesize': 8.5,
    'axes.titleweight': 'bold',
    'axes.titlelocation': 'left',
    'axes.spines.top': False,
    'axes.spines.right': False,
    'axes.edgecolor': '#9aa3ad',
    'axes.labelcolor': INK,
    'axes.grid': True,
    'axes.axisbelow': True,
    'axes.unicode_minus': True,
    'grid.color': GRID,
    'grid.linewidth': 0.6,
    'legend.frameon': False,
    'legend.fontsize': 7.5,
    'legend.borderaxespad': 0.0,
    'text.color': INK,
    'text.parse_math': False,
    'xtick.labelsize': 7.5,
    'ytick.labelsize': 7.5,
    'pdf.fonttype': 42,
    'path.simplify': True,
}


@contextmanager
def style() -> Iterator[None]:
    """Colours, sizes, and text without TeX: names may hold dollar signs."""
    with mpl.rc_context(_STYLE):
        yield


def draw(axes: Axes, panel: Panel, *, legend: Legend = 'right', x_label: bool = True) -> None:
    """Draw the curves of a panel.

    Args:
        axes: to draw into.
        panel: what is drawn.
        legend: its place: right of the title, below it for narrow axes, or nowhere.
        x_label: whether the horizontal axis has its label.
    """
    for curve in panel.curves:
        _draw_curve(axes, curve)
    if panel.log:
        axes.set_xscale('log')
        axes.set_yscale('log')
        # Those of logarithmic axes are formulas else.
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter('{x:g}')
            axis.set_minor_formatter(NullFormatter())
    else:
        axes.axhline(0.0, color='#9aa3ad', lw=0.8, zorder=0.5)
    axes.margins(x=0.01)
    axes.set_ylabel(panel.y_label)
    if x_label:
        axes.set_xlabel(panel.x_label)
    shown = legend != 'none' and len(panel.curves) > 1
    axes.set_title(panel.title, pad=17 if shown and legend == 'below' else 5)
    if shown:
        place: dict[str, Any] = (
            {'loc': 'lower right', 'bbox_to_anchor': (1.0, 1.01)}
            if legend == 'right'
            else {'loc': 'lower left', 'bbox_to_anchor': (0.0, 1.01)}
        )
        axes.legend(ncols=len(panel.curves), columnspacing=1.0, handlelength=2.2, **place)


def _draw_curve(axes: Axes, curve: Curve) -> None:
    look = STYLES[curve.role]
    width = _POINTS * look.width
    if look.kind == 'bars':
        step = curve.x[1] - curve.x[0] if len(curve.x) > 1 else 1.0
        axes.bar(curve.x, curve.y, 0.95 * step, color=look.colour)
    elif look.kind == 'points':
        axes.plot(
            curve.x, curve.y, ls='', marker='o', ms=width, mew=0, color=look.colour,
            alpha=look.opacity, label=curve.name, rasterized=True,
        )  # fmt: skip
    else:
        axes.plot(
            curve.x, curve.y, color=look.colour, lw=width, ls=_LINES[look.dash], label=curve.name
        )


def put(canvas: Canvas, x: float, y: float, text: str, **look: Any) -> None:
    """Text, as it is: `readable`, and no formula in it.

    Args:
        canvas: to write on.
        x: of its left end, as a share of the width [-].
        y: of its top, as a share of the height [-].
        text: to write.
        look: of matplotlib's text.
    """
    canvas.text(x, y, readable(text), **{'va': 'top', 'ha': 'left', **look})
