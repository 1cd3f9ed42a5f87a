"""The report of an identification as one picture: a row of plots for each joint."""

from __future__ import annotations

import io

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from robot_dynamics_ros.identification.identification import Identification

from ..figures.panel import Panel
from ..printed.matplotlib_panels import Legend, draw, put, style
from ..words.readable import in_one_line
from .held_out_figures import JointDrawing, joint_drawings

# [inch], and dots per inch.
WIDTH, ROW, HEAD, DPI = 15.0, 2.15, 1.15, 100
# Widths of torque, residual, and residual over velocity.
COLUMNS = (2.4, 2.0, 1.2)
# Pixels that a picture may be high.
HIGHEST = 30_000


def picture(identification: Identification) -> bytes:
    """The bytes of a PNG.

    Args:
        identification: to show; of very many joints the first.
    """
    judgement = identification.judgement
    drawings = [one for one in joint_drawings(judgement) if one.figures]
    drawings = drawings[: int(HIGHEST / DPI / ROW)]
    height = HEAD + ROW * max(1, len(drawings))
    with style():
        canvas = Canvas(figsize=(WIDTH, height), dpi=DPI, facecolor='white')
        FigureCanvasAgg(canvas)
        title = f'{in_one_line(judgement.robot, 60)}: measured, nominal and identified torque'
        put(canvas, 0.02, 1.0 - 0.15 / height, title, size=17, weight='bold')
        sentence = in_one_line(judgement.verdict[0], 190)
        put(canvas, 0.02, 1.0 - 0.52 / height, sentence, size=12, weight='bold')
        about = 'Held-out part: none of these samples was fitted. Residual: measured minus model.'
        put(canvas, 0.02, 1.0 - 0.80 / height, about, size=10, color='#5a6470')
        for index, drawing in enumerate(drawings):
            _row(canvas, drawing, (height - HEAD - index * ROW) / height, ROW / height)
        if not drawings:
            put(canvas, 0.02, ROW / height, 'No samples can be drawn.', size=11)
        content = io.BytesIO()
        canvas.savefig(content, format='png')
    return content.getvalue()


def _row(canvas: Canvas, drawing: JointDrawing, top: float, height: float) -> None:
    """The plots of one joint below its name and verdict; its shares of the picture."""
    mark = '✓' if drawing.is_good else '▲'
    name = in_one_line(drawing.name, 40)
    put(canvas, 0.02, top, f'{mark} {name}', size=10.5, weight='bold')
    verdict = in_one_line(drawing.judgement.verdict, 190)
    put(canvas, 0.02, top - 0.10 * height, verdict, size=8.5, color='#5a6470')
    grid = canvas.add_gridspec(
        1, len(COLUMNS), width_ratios=COLUMNS, left=0.05, right=0.985,
        top=top - 0.29 * height, bottom=top - 0.80 * height, wspace=0.2,
    )  # fmt: skip
    for place, panel in zip(grid, _panels(drawing), strict=False):
        # The last one is too narrow.
        legend: Legend = 'none' if panel.key == 'velocity' else 'right'
        draw(canvas.add_subplot(place), panel, legend=legend)


def _panels(drawing: JointDrawing) -> list[Panel]:
    return [panel for figure in drawing.figures for panel in figure.panels]
