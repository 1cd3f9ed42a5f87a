"""The report as a PDF: verdicts and findings, a page of plots for each joint, how it was made."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure as Canvas

from robot_dynamics_ros.comparison import Comparison

from ..figures.joint_parts import JointPart, joint_parts
from ..next_parameters import friction_parameters
from ..provenance import Provenance
from ..summary import after_fit, headline, recordings_line, verdict_of
from ..words.numbers_as_text import duration, quantity
from ..words.readable import in_one_line, readable
from .matplotlib_panels import draw, put, style

# A4 and its margin [inch].
WIDTH, HEIGHT, MARGIN = 8.27, 11.69, 0.6
PAGE = (WIDTH, HEIGHT)
# A line of text [inch], and its letters.
LINE, LETTERS = 0.185, 100
# Lines that a heading does not stand without.
FOLLOWING = 2.0
HEADING: dict[str, Any] = {'size': 12, 'weight': 'bold'}
STRONG: dict[str, Any] = {'size': 9, 'weight': 'bold'}
PLAIN: dict[str, Any] = {'size': 9}


@dataclass(frozen=True)
class Line:
    """A line of text: how it looks, and its height in lines."""

    text: str
    look: dict[str, Any]
    height: float = 1.0


def document(comparison: Comparison, provenance: Provenance) -> bytes:
    """The bytes of a PDF.

    Args:
        comparison: to show.
        provenance: how it was made.
    """
    parts = joint_parts(comparison)
    content = io.BytesIO()
    title = f'{in_one_line(comparison.robot, 60)}: measured torque and model'
    metadata = {
        'Title': title,
        'Creator': 'robot_dynamics_ros',
        'CreationDate': provenance.created,
    }
    with style(), PdfPages(content, metadata=metadata) as pages:
        for canvas in text_pages([*_summary(comparison, parts, title)]):
            pages.savefig(canvas)
        for part in parts:
            if part.figures:
                pages.savefig(_joint_page(part))
        for canvas in text_pages([*_made(comparison, provenance)]):
            pages.savefig(canvas)
    return content.getvalue()


def text_pages(lines: Sequence[Line]) -> Iterator[Canvas]:
    """Pages that hold the lines from top to bottom."""
    canvas, y = Canvas(figsize=PAGE), HEIGHT - MARGIN
    for line in lines:
        needed = line.height + (FOLLOWING if 'weight' in line.look else 0.0)
        if y - needed * LINE < MARGIN:
            yield canvas
            canvas, y = Canvas(figsize=PAGE), HEIGHT - MARGIN
        put(canvas, MARGIN / WIDTH, y / HEIGHT, line.text, **line.look)
        y -= line.height * LINE
    yield canvas


def _summary(comparison: Comparison, parts: Sequence[JointPart], title: str) -> Iterator[Line]:
    yield Line(title, {'size': 16, 'weight': 'bold'}, 2.0)
    yield from _wrapped(recordings_line(comparison), PLAIN)
    yield from _wrapped(headline(comparison), {'size': 11, 'weight': 'bold'}, 1.4)
    yield Line('', PLAIN)
    yield Line('Verdict', HEADING, 1.6)
    for part in parts:
        yield from _wrapped(f'{"✓" if part.is_good else "▲"} {part.name}', STRONG)
        yield from _wrapped(f'{verdict_of(part)} {after_fit(part)}', PLAIN)
        yield Line('', PLAIN, 0.4)
    yield Line('', PLAIN)
    yield Line('Findings', HEADING, 1.6)
    if not comparison.findings:
        yield Line('None: nothing contradicts the model.', PLAIN)
    for finding in comparison.findings:
        yield from _wrapped(f'{finding.code}: {", ".join(finding.joints) or "all"}', STRONG)
        yield from _wrapped(finding.message, PLAIN)
        yield Line('', PLAIN, 0.4)
    lines = friction_parameters(comparison)
    if lines:
        yield Line('Parameters to set next', HEADING, 1.6)
    for line in lines:
        yield from _wrapped(line, PLAIN)


def _made(comparison: Comparison, provenance: Provenance) -> Iterator[Line]:
    yield Line('How this report was made', HEADING, 1.8)
    for one in comparison.recordings:
        yield from _wrapped(one.file, STRONG)
        facts = one.error or (
            f'{one.topic}: {one.samples:,} samples, {duration(one.duration)}, '
            f'{quantity(one.rate, "Hz")}, cutoff of the filter {quantity(one.cutoff, "Hz")}'
        )
        yield from _wrapped(facts, PLAIN)
        yield Line('', PLAIN, 0.4)
    for file in provenance.files:
        yield from _wrapped(f'{file.path}, {file.size:,} bytes', STRONG)
        yield Line(f'SHA-256 {file.sha256}', PLAIN, 1.4)
    if provenance.command:
        yield from _wrapped(f'Command: {provenance.command}', PLAIN)
    versions = ', '.join(f'{name} {version}' for name, version in provenance.versions.items())
    yield from _wrapped(f'Versions: {versions}', PLAIN)
    yield Line(f'Made: {provenance.created:%Y-%m-%d %H:%M:%S %Z}', PLAIN)


def _wrapped(text: str, look: dict[str, Any], height: float = 1.0) -> Iterator[Line]:
    letters = int(LETTERS * PLAIN['size'] / look['size'])
    for line in textwrap.wrap(readable(text), letters):
        yield Line(line, look, height)


def _joint_page(part: JointPart) -> Canvas:
    """Three plots over time, and below them four others in two columns."""
    canvas = Canvas(figsize=PAGE)
    put(canvas, MARGIN / WIDTH, 1.0 - MARGIN / HEIGHT, in_one_line(part.name, 60), **HEADING)
    mark = '✓' if part.is_good else '▲'
    lines = textwrap.wrap(f'{mark} {readable(verdict_of(part))}', LETTERS)[:3]
    put(canvas, MARGIN / WIDTH, 1.0 - (MARGIN + 0.28) / HEIGHT, '\n'.join(lines), **PLAIN)
    # [inch]: room for the labels of the vertical axes.
    sides = {'left': (MARGIN + 0.55) / WIDTH, 'right': 1.0 - MARGIN / WIDTH}
    wide = [figure for figure in part.figures if figure.wide]
    if wide:
        _stacked(canvas, wide[0].panels, sides)
    grid = canvas.add_gridspec(2, 2, top=0.405, bottom=0.065, hspace=0.5, wspace=0.26, **sides)
    others = [figure.panels[0] for figure in part.figures if not figure.wide]
    for place, panel in zip(grid, others, strict=False):
        draw(canvas.add_subplot(place), panel, legend='below')
    return canvas


def _stacked(canvas: Canvas, panels: Sequence[Any], sides: dict[str, float]) -> None:
    grid = canvas.add_gridspec(len(panels), 1, top=0.87, bottom=0.49, hspace=0.28, **sides)
    first = None
    for index, panel in enumerate(panels):
        axes = canvas.add_subplot(grid[index], sharex=first)
        first = first or axes
        last = index == len(panels) - 1
        draw(axes, panel, x_label=last)
        axes.tick_params(labelbottom=last)
