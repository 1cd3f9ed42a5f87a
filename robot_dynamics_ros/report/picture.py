"""A report as one picture: a row of plots for each joint."""

from __future__ import annotations

import io
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from .figure import GRID, INK, SOFT, STYLES, Panel
from .report import MARKS, JointReport, Report
from .text import in_one_line, sentence

# [inch], and dots per inch.
WIDTH, ROW, HEAD, DPI = 15.0, 2.15, 1.15, 100
# Pixels that a picture may be high.
HIGHEST = 30_000
# Relative width of a panel from which on its legend has room beside its title.
WIDE = 1.0
AXIS = '#9aa3ad'
_LINES = {'solid': 'solid', 'dot': ':', 'dash': '--', 'dashdot': '-.'}
# plotly counts in pixels of 1/96 inch, matplotlib in points of 1/72 inch.
_POINTS = 0.75
# Text is without TeX: names may hold dollar signs.
_STYLE: dict[str, Any] = {
    'font.family': ['DejaVu Sans'],
    'font.size': 8,
    'axes.titlesize': 8.5,
    'axes.titleweight': 'bold',
    'axes.titlelocation': 'left',
    'axes.titlepad': 5,
    'axes.spines.top': False,
    'axes.spines.right': False,
    'axes.edgecolor': AXIS,
    'axes.labelcolor': INK,
    'axes.grid': True,
    'axes.axisbelow': True,
    'axes.xmargin': 0.01,
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
}


def picture(report: Report, form: str = 'png') -> bytes:
    """The bytes of a picture; of very many joints the first.

    Args:
        report: to show.
        form: `png`, `svg` or `pdf`.
    """
    joints = [one for one in report.joints if one.figures][: int(HIGHEST / DPI / ROW)]
    height = HEAD + ROW * max(1, len(joints))
    with mpl.rc_context(_STYLE):
        canvas = Canvas(figsize=(WIDTH, height), dpi=DPI, facecolor='white')
        FigureCanvasAgg(canvas)
        title = f'{in_one_line(report.robot, 60)}: {in_one_line(report.title, 100)}'
        _put(canvas, 1.0 - 0.15 / height, title, size=17, weight='bold')
        headline = in_one_line(f'{MARKS[report.level][0]} {report.headline}', 145)
        _put(canvas, 1.0 - 0.52 / height, headline, size=12, weight='bold')
        about = in_one_line(report.about, 200)
        _put(canvas, 1.0 - 0.80 / height, about, size=10, color=SOFT)
        for index, joint in enumerate(joints):
            _row(canvas, report, joint, (height - HEAD - index * ROW) / height, ROW / height)
        if not joints:
            _put(canvas, ROW / height, 'No samples can be drawn.', size=11)
        content = io.BytesIO()
        canvas.savefig(content, format=form)
    return content.getvalue()


def _row(canvas: Canvas, report: Report, joint: JointReport, top: float, height: float) -> None:
    """The plots of one joint below its name and result; its place as a part of the picture."""
    name = f'{MARKS[joint.level][0]} {in_one_line(joint.name, 40)}'
    _put(canvas, top, name, size=10.5, weight='bold')
    # Below the name, as no one knows how broad that is.
    about = in_one_line(joint.sentence, 230)
    _put(canvas, top - 0.10 * height, about, size=8.5, color=SOFT)
    panels = {panel.key: panel for figure in joint.figures for panel in figure.panels}
    grid = canvas.add_gridspec(
        1, len(report.row), width_ratios=[*report.row.values()], left=0.05, right=0.985,
        top=top - 0.29 * height, bottom=top - 0.80 * height, wspace=0.22,
    )  # fmt: skip
    for place, (key, width) in zip(grid, report.row.items(), strict=True):
        if key in panels:
            legend = width * len(report.row) >= WIDE * sum(report.row.values())
            _draw(canvas.add_subplot(place), panels[key], legend=legend)


def _draw(axes: Axes, panel: Panel, *, legend: bool) -> None:
    """Draw the curves of a panel, with a legend if they are several."""
    for band in panel.bands:
        axes.axvspan(band.begin, band.end, color=band.colour, alpha=band.opacity, lw=0, zorder=0.2)
    for curve in panel.curves:
        look = STYLES[curve.role]
        # Of points, their diameter.
        width, points = _POINTS * look.width, look.kind == 'points'
        axes.plot(
            curve.x, curve.y, color=look.colour, label=look.name, lw=width,
            ls='' if points else _LINES[look.dash], marker='o' if points else '', ms=width, mew=0,
            alpha=look.opacity, rasterized=points,
        )  # fmt: skip
    axes.axhline(0.0, color=AXIS, lw=0.8, zorder=0.5)
    axes.set(xlabel=panel.x_label, ylabel=panel.y_label, title=panel.title)
    if legend and len(panel.curves) > 1:
        axes.legend(
            ncols=len(panel.curves), columnspacing=1.0, handlelength=2.2, loc='lower right',
            bbox_to_anchor=(1.0, 1.01),
        )  # fmt: skip


def _put(canvas: Canvas, y: float, text: str, **look: Any) -> None:
    """Text at the left; y of its top, as a part of the height [-]."""
    canvas.text(0.02, y, sentence(text), **{'va': 'top', 'ha': 'left', **look})
