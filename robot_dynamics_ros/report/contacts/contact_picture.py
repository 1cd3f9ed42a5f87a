"""The contacts of a recording as one picture: a row of plots for each joint."""

from __future__ import annotations

import io
from pathlib import PurePath

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from robot_dynamics_ros.contacts import MarkedRecording

from ..printed.matplotlib_panels import draw, put, style
from ..words.readable import in_one_line
from .contact_panels import joint_panels

# [inch], and dots per inch.
WIDTH, ROW, HEAD, FOOT, DPI = 14.0, 1.9, 0.9, 0.3, 100
# Of collisions and pushes, behind the curves.
COLOURS = {'collision': '#f3b6ad', 'push': '#fbe3a8'}
# Pixels that a picture may be high.
HIGHEST = 30_000


def picture(marked: MarkedRecording, kind: str) -> bytes:
    """The bytes of a picture, of very many joints the first.

    Args:
        marked: the recording.
        kind: `png`, `svg` or `pdf`.
    """
    joints = range(min(len(marked.joints), int(HIGHEST / DPI / ROW)))
    height = HEAD + ROW * len(joints) + FOOT
    with style():
        canvas = Canvas(figsize=(WIDTH, height), dpi=DPI, facecolor='white')
        FigureCanvasAgg(canvas)
        _head(canvas, marked, height)
        for joint in joints:
            top = (height - HEAD - joint * ROW) / height
            _row(canvas, marked, joint, top, ROW / height, last=joint == joints[-1])
        content = io.BytesIO()
        canvas.savefig(content, format=kind)
    return content.getvalue()


def _head(canvas: Canvas, marked: MarkedRecording, height: float) -> None:
    name = PurePath(marked.name).name
    title = f'{in_one_line(marked.robot, 40)}: {marked.found} in {in_one_line(name, 60)}'
    put(canvas, 0.02, 1.0 - 0.12 / height, title, size=15, weight='bold')
    origin = 'the recording itself' if marked.own else 'a parameter file'
    about = (
        f'External torque of each joint, and thresholds of {origin} (dashed). Collisions: red, '
        'pushes: yellow.'
    )
    put(canvas, 0.02, 1.0 - 0.45 / height, about, size=10, color='#5a6470')


def _row(
    canvas: Canvas, marked: MarkedRecording, joint: int, top: float, height: float, *, last: bool
) -> None:
    """Both plots of one joint, below its name; its shares of the picture."""
    name = in_one_line(marked.joints[joint], 40)
    put(canvas, 0.02, top, name, size=10.5, weight='bold')
    grid = canvas.add_gridspec(
        1, 2, left=0.05, right=0.985, top=top - 0.22 * height, bottom=top - 0.84 * height,
        wspace=0.12,
    )  # fmt: skip
    for place, panel in zip(grid, joint_panels(marked, joint), strict=True):
        axes = canvas.add_subplot(place)
        # One legend for all rows.
        draw(axes, panel, legend='none' if joint else 'right', x_label=last)
        _mark(axes, marked, joint)


def _mark(axes: Axes, marked: MarkedRecording, joint: int) -> None:
    """Shade the contacts, strongly where the joint felt them."""
    name = marked.joints[joint]
    for contact in marked.contacts:
        felt = 1.0 if name in contact.torques else 0.35
        axes.axvspan(
            contact.begin, contact.end, color=COLOURS[contact.kind], alpha=felt, lw=0, zorder=0.2
        )
