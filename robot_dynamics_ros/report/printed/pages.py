"""Pages of a PDF: lines of text that flow from page to page, and panels over time."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure as Canvas

from ..figures.panel import Panel
from ..provenance import Provenance
from ..words.readable import in_one_line, readable
from .matplotlib_panels import draw, put

# A4 and its margin [inch].
WIDTH, HEIGHT, MARGIN = 8.27, 11.69, 0.6
PAGE = (WIDTH, HEIGHT)
# A line of text [inch], and its letters.
LINE, LETTERS = 0.185, 100
# Lines that a heading does not stand without.
FOLLOWING = 2.0
TITLE: dict[str, Any] = {'size': 16, 'weight': 'bold'}
HEADLINE: dict[str, Any] = {'size': 11, 'weight': 'bold'}
HEADING: dict[str, Any] = {'size': 12, 'weight': 'bold'}
STRONG: dict[str, Any] = {'size': 9, 'weight': 'bold'}
PLAIN: dict[str, Any] = {'size': 9}
# Of panels: room for the labels of their vertical axes.
SIDES = {'left': (MARGIN + 0.55) / WIDTH, 'right': 1.0 - MARGIN / WIDTH}


@dataclass(frozen=True)
class Line:
    """A line of text.

    Attributes:
        text: from the left margin on.
        look: of the text.
        height: in lines.
        cells: other texts of the line, each with its distance from the margin [inch].
    """

    text: str
    look: dict[str, Any]
    height: float = 1.0
    cells: tuple[tuple[float, str], ...] = ()


def text_pages(lines: Sequence[Line]) -> Iterator[Canvas]:
    """Pages that hold the lines from top to bottom."""
    canvas, y = Canvas(figsize=PAGE), HEIGHT - MARGIN
    for line in lines:
        needed = line.height + (FOLLOWING if 'weight' in line.look else 0.0)
        if y - needed * LINE < MARGIN:
            yield canvas
            canvas, y = Canvas(figsize=PAGE), HEIGHT - MARGIN
        for x, text in ((0.0, line.text), *line.cells):
            put(canvas, (MARGIN + x) / WIDTH, y / HEIGHT, text, **line.look)
        y -= line.height * LINE
    yield canvas


def wrapped(text: str, look: dict[str, Any], height: float = 1.0) -> Iterator[Line]:
    """A paragraph in lines that fit on a page."""
    letters = int(LETTERS * PLAIN['size'] / look['size'])
    for line in textwrap.wrap(readable(text), letters):
        yield Line(line, look, height)


def provenance_lines(provenance: Provenance) -> Iterator[Line]:
    """Files with hashes, command, versions and time."""
    for file in provenance.files:
        yield from wrapped(f'{file.path}, {file.size:,} bytes', STRONG)
        yield Line(f'SHA-256 {file.sha256}', PLAIN, 1.4)
    if provenance.command:
        yield from wrapped(f'Command: {provenance.command}', PLAIN)
    versions = ', '.join(f'{name} {version}' for name, version in provenance.versions.items())
    yield from wrapped(f'Versions: {versions}', PLAIN)
    yield Line(f'Made: {provenance.created:%Y-%m-%d %H:%M:%S %Z}', PLAIN)


def joint_page(name: str, verdict: str, *, good: bool) -> Canvas:
    """A page for the plots of one joint, with its name and verdict at the top."""
    canvas = Canvas(figsize=PAGE)
    put(canvas, MARGIN / WIDTH, 1.0 - MARGIN / HEIGHT, in_one_line(name, 60), **HEADING)
    lines = textwrap.wrap(f'{"✓" if good else "▲"} {readable(verdict)}', LETTERS)[:3]
    put(canvas, MARGIN / WIDTH, 1.0 - (MARGIN + 0.28) / HEIGHT, '\n'.join(lines), **PLAIN)
    return canvas


def stacked(canvas: Canvas, panels: Sequence[Panel], *, top: float, bottom: float) -> None:
    """Panels below each other, over one horizontal axis.

    Args:
        canvas: to draw on.
        panels: from top to bottom.
        top: of the first one, as a share of the height [-].
        bottom: of the last one [-].
    """
    grid = canvas.add_gridspec(len(panels), 1, top=top, bottom=bottom, hspace=0.28, **SIDES)
    first = None
    for index, panel in enumerate(panels):
        axes = canvas.add_subplot(grid[index], sharex=first)
        first = first or axes
        last = index == len(panels) - 1
        draw(axes, panel, x_label=last)
        axes.tick_params(labelbottom=last)
