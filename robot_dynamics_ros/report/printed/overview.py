"""The report as one picture: a row of plots for each joint."""

from __future__ import annotations

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from robot_dynamics_ros.comparison import Comparison

from ..figures.joint_parts import JointPart, joint_parts
from ..figures.panel import Panel
from ..summary import after_fit, headline, recordings_line
from ..words.readable import in_one_line
from .matplotlib_panels import Legend, draw, put, style

# [inch], and dots per inch.
WIDTH, ROW, HEAD, DPI = 15.0, 2.15, 1.15, 100
# Widths of torque, residual, and residual over velocity and over position.
COLUMNS = (2.4, 1.7, 1.0, 1.0)
# Pixels that a picture may be high.
HIGHEST = 30_000


def overview(comparison: Comparison) -> bytes:
    """The bytes of a PNG.

    Args:
        comparison: to show; of very many joints the first.
    """
    parts = [part for part in joint_parts(comparison) if part.figures]
    parts = parts[: int(HIGHEST / DPI / ROW)]
    height = HEAD + ROW * max(1, len(parts))
    with style():
        canvas = Canvas(figsize=(WIDTH, height), dpi=DPI, facecolor='white')
        FigureCanvasAgg(canvas)
        _head(canvas, comparison, height)
        for index, part in enumerate(parts):
            _row(canvas, part, (height - HEAD - index * ROW) / height, ROW / height)
        if not parts:
            put(canvas, 0.02, ROW / height, 'No samples can be drawn.', size=11)
        content = io.BytesIO()
        canvas.savefig(content, format='png')
    return content.getvalue()


def _head(canvas: Canvas, comparison: Comparison, height: float) -> None:
    robot = in_one_line(comparison.robot, 60)
    title = f'{robot}: measured torque and model'
    put(canvas, 0.02, 1.0 - 0.15 / height, title, size=17, weight='bold')
    put(canvas, 0.02, 1.0 - 0.52 / height, headline(comparison), size=12, weight='bold')
    line = f'{recordings_line(comparison)}. Residual: measured minus model.'
    put(canvas, 0.02, 1.0 - 0.80 / height, line, size=10, color='#5a6470')


def _row(canvas: Canvas, part: JointPart, top: float, height: float) -> None:
    """The plots of one joint below its name and verdict; its shares of the picture."""
    mark = '✓' if part.is_good else '▲'
    name = in_one_line(part.name, 40)
    put(canvas, 0.02, top, f'{mark} {name}', size=10.5, weight='bold')
    verdict = f'{in_one_line(part.comparison.verdict, 150)} {after_fit(part)}'
    # Below the name, as no one knows how broad that is.
    put(canvas, 0.02, top - 0.10 * height, verdict, size=8.5, color='#5a6470')
    grid = canvas.add_gridspec(
        1, len(COLUMNS), width_ratios=COLUMNS, left=0.05, right=0.985,
        top=top - 0.29 * height, bottom=top - 0.80 * height, wspace=0.22,
    )  # fmt: skip
    for place, panel in zip(grid, _panels(part), strict=True):
        if panel is not None:
            # The others are too narrow.
            legend: Legend = 'right' if panel.key == 'torque' else 'none'
            draw(canvas.add_subplot(place), panel, legend=legend)


def _panels(part: JointPart) -> list[Panel | None]:
    """Those of a row; None where there is nothing to draw."""
    panels = {figure.key: figure.panels for figure in part.figures}
    time = {panel.key: panel for panel in panels.get('time', ())}
    return [
        time.get('torque'),
        time.get('residual'),
        *(panels[key][0] if key in panels else None for key in ('velocity', 'position')),
    ]
