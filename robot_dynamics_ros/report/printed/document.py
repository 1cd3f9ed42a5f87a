"""The report as a PDF: verdicts and findings, a page of plots for each joint, how it was made."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure as Canvas

from robot_dynamics_ros.comparison import Comparison

from ..figures.joint_parts import JointPart, joint_parts
from ..next_parameters import friction_parameters
from ..provenance import Provenance
from ..summary import after_fit, headline, recordings_line
from ..words.numbers_as_text import duration, quantity
from ..words.readable import in_one_line
from .matplotlib_panels import draw, style
from .pages import (
    HEADING,
    HEADLINE,
    PLAIN,
    SIDES,
    STRONG,
    TITLE,
    Line,
    joint_page,
    provenance_lines,
    stacked,
    text_pages,
    wrapped,
)


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


def _summary(comparison: Comparison, parts: Sequence[JointPart], title: str) -> Iterator[Line]:
    yield Line(title, TITLE, 2.0)
    yield from wrapped(recordings_line(comparison), PLAIN)
    yield from wrapped(headline(comparison), HEADLINE, 1.4)
    yield Line('', PLAIN)
    yield Line('Verdict', HEADING, 1.6)
    for part in parts:
        yield from wrapped(f'{"✓" if part.is_good else "▲"} {part.name}', STRONG)
        yield from wrapped(f'{part.comparison.verdict} {after_fit(part)}', PLAIN)
        yield Line('', PLAIN, 0.4)
    yield Line('', PLAIN)
    yield Line('Findings', HEADING, 1.6)
    if not comparison.findings:
        yield Line('None: nothing contradicts the model.', PLAIN)
    for finding in comparison.findings:
        yield from wrapped(f'{finding.code}: {", ".join(finding.joints) or "all"}', STRONG)
        yield from wrapped(finding.message, PLAIN)
        yield Line('', PLAIN, 0.4)
    lines = friction_parameters(comparison)
    if lines:
        yield Line('Parameters to set next', HEADING, 1.6)
    for line in lines:
        yield from wrapped(line, PLAIN)


def _made(comparison: Comparison, provenance: Provenance) -> Iterator[Line]:
    yield Line('How this report was made', HEADING, 1.8)
    for one in comparison.recordings:
        yield from wrapped(one.file, STRONG)
        facts = one.error or (
            f'{one.topic}: {one.samples:,} samples, {duration(one.duration)}, '
            f'{quantity(one.rate, "Hz")}, cutoff of the filter {quantity(one.cutoff, "Hz")}'
        )
        yield from wrapped(facts, PLAIN)
        yield Line('', PLAIN, 0.4)
    yield from provenance_lines(provenance)


def _joint_page(part: JointPart) -> Canvas:
    """Three plots over time, and below them four others in two columns."""
    canvas = joint_page(part.name, part.comparison.verdict, good=part.is_good)
    wide = [figure for figure in part.figures if figure.wide]
    if wide:
        stacked(canvas, wide[0].panels, top=0.87, bottom=0.49)
    grid = canvas.add_gridspec(2, 2, top=0.405, bottom=0.065, hspace=0.5, wspace=0.26, **SIDES)
    others = [figure.panels[0] for figure in part.figures if not figure.wide]
    for place, panel in zip(grid, others, strict=False):
        draw(canvas.add_subplot(place), panel, legend='below')
    return canvas
