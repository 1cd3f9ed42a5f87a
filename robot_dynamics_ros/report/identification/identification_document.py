"""The report of an identification as a PDF: verdict, findings, plots, parameters, how it was made.

Its pages are those of the report of a comparison.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterator, Sequence

from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure as Canvas

from robot_dynamics_ros.identification.identification import Identification, ParameterRow

from ..printed.matplotlib_panels import draw, style
from ..printed.pages import (
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
from ..provenance import Provenance
from ..words.numbers_as_text import quantity
from ..words.readable import in_one_line, readable
from .held_out_figures import JointDrawing, joint_drawings
from .parameter_words import (
    excitation_words,
    held_out_words,
    interval_words,
    parameter_sections,
    value_words,
)

# Distances of the columns of a table from the margin [inch], and letters of the first one.
COLUMNS, LETTERS = (2.65, 3.95, 5.25), 40


def document(identification: Identification, provenance: Provenance) -> bytes:
    """The bytes of a PDF.

    Args:
        identification: to show.
        provenance: how it was made.
    """
    drawings = joint_drawings(identification.judgement)
    title = f'{in_one_line(identification.judgement.robot, 60)}: identified model'
    metadata = {
        'Title': title,
        'Creator': 'robot_dynamics_ros',
        'CreationDate': provenance.created,
    }
    content = io.BytesIO()
    with style(), PdfPages(content, metadata=metadata) as pages:
        for canvas in text_pages([*_summary(identification, drawings, title)]):
            pages.savefig(canvas)
        for drawing in drawings:
            if drawing.figures:
                pages.savefig(_joint_page(drawing))
        lines = [*_parameters(identification), *_made(identification, provenance)]
        for canvas in text_pages(lines):
            pages.savefig(canvas)
    return content.getvalue()


def _summary(
    identification: Identification, drawings: Sequence[JointDrawing], title: str
) -> Iterator[Line]:
    judgement = identification.judgement
    first, *others = judgement.verdict
    yield Line(title, TITLE, 2.0)
    yield from wrapped(first, HEADLINE, 1.4)
    for sentence in others:
        yield from wrapped(sentence, PLAIN)
    for text in identification.objections:
        yield from wrapped(f'Objection: {text}.', PLAIN)
    yield Line('', PLAIN)
    yield Line('Verdict', HEADING, 1.6)
    for drawing in drawings:
        yield from wrapped(f'{"✓" if drawing.is_good else "▲"} {drawing.name}', STRONG)
        yield from wrapped(drawing.judgement.verdict, PLAIN)
        yield Line('', PLAIN, 0.4)
    yield Line('', PLAIN)
    yield Line('Findings', HEADING, 1.6)
    if not judgement.findings:
        yield Line('None: nothing is wrong with the data.', PLAIN)
    for finding in judgement.findings:
        yield from wrapped(f'{finding.code}: {", ".join(finding.joints) or "all"}', STRONG)
        yield from wrapped(finding.message, PLAIN)
        yield Line('', PLAIN, 0.4)
    yield Line('', PLAIN)
    yield Line('What the motion tells', HEADING, 1.6)
    yield from wrapped(excitation_words(identification), PLAIN)
    for text in identification.undetermined:
        yield from wrapped(text, PLAIN)


def _joint_page(drawing: JointDrawing) -> Canvas:
    """Torque and residual over time, and below them the residual over velocity."""
    canvas = joint_page(drawing.name, drawing.judgement.verdict, good=drawing.is_good)
    panels = {figure.key: figure.panels for figure in drawing.figures}
    stacked(canvas, panels['time'], top=0.87, bottom=0.42)
    (place,) = canvas.add_gridspec(1, 1, top=0.33, bottom=0.065, **SIDES)
    draw(canvas.add_subplot(place), panels['velocity'][0])
    return canvas


def _parameters(identification: Identification) -> Iterator[Line]:
    for _, title, rows in parameter_sections(identification):
        yield Line(title, HEADING, 1.8)
        heads = zip(COLUMNS, ('described', 'identified', '95 % interval'), strict=True)
        yield Line('parameter', STRONG, 1.2, tuple(heads))
        for row in rows:
            yield from _row(row)
        yield Line('', PLAIN)


def _row(row: ParameterRow) -> Iterator[Line]:
    """The line of a parameter; a sum of many has a long name, and several lines."""
    first, *others = textwrap.wrap(readable(row.name), LETTERS) or ['']
    texts = quantity(row.nominal, row.unit), value_words(row), interval_words(row)
    yield Line(first, PLAIN, cells=tuple(zip(COLUMNS, texts, strict=True)))
    for text in others:
        yield Line(text, PLAIN)


def _made(identification: Identification, provenance: Provenance) -> Iterator[Line]:
    yield Line('How this report was made', HEADING, 1.8)
    for one in identification.judgement.recordings:
        yield from wrapped(one.file, STRONG)
        facts = one.error or (
            f'{one.topic}: {one.samples:,} samples at {quantity(one.rate, "Hz")}, cutoff '
            f'{quantity(one.cutoff, "Hz")}; held out: {held_out_words(one)}'
        )
        yield from wrapped(facts, PLAIN)
        yield Line('', PLAIN, 0.4)
    yield from provenance_lines(provenance)
