"""Elements that the pages of all reports share: lxml escapes each text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from lxml import html
from lxml.html.builder import CLASS, E

from ..figures.panel import Figure
from ..provenance import Provenance
from ..words.numbers_as_text import percent, quantity
from ..words.readable import readable
from .plotly_figures import height

Element = html.HtmlElement
# A name that is longer may be divided [letters].
LONG = 40


def figure_element(figure: Figure, key: str) -> Element:
    """A plot, its content in words, and how to read it."""
    words = [E.li(panel.words) for panel in figure.panels]
    if len(words) == 1:
        described = E.p(figure.panels[0].words, id=f'words-{key}')
    else:
        described = E.ul(*words, id=f'words-{key}')
    title = '; '.join(panel.title for panel in figure.panels)
    return E.figure(
        E.div(
            CLASS('plot'),
            {'data-figure': key, 'role': 'img', 'aria-label': title},
            {'aria-describedby': f'words-{key}', 'style': f'height: {height(figure)}px'},
        ),
        E.figcaption(described, E.p(figure.hint, CLASS('hint'))),
        CLASS('wide' if figure.wide else 'narrow'),
    )


def files_and_versions(provenance: Provenance) -> list[Element]:
    """Files with hashes, versions and command."""
    sources = [
        E.tr(
            E.th(readable(file.path), scope='row'),
            E.td(f'{file.size:,}', CLASS('number')),
            E.td(E.code(file.sha256), CLASS('hash')),
        )
        for file in provenance.files
    ]
    versions = ', '.join(f'{name} {version}' for name, version in provenance.versions.items())
    command = provenance.command
    return [
        table(('file', 'bytes', 'SHA-256'), sources),
        E.dl(
            *((E.dt('command'), E.dd(E.code(readable(command)))) if command else ()),
            E.dt('versions'),
            E.dd(readable(versions)),
            E.dt('made'),
            E.dd(f'{provenance.created:%Y-%m-%d %H:%M:%S %Z}'),
        ),
    ]


def table(header: Sequence[str], rows: Sequence[Element]) -> Element:
    """A table that scrolls by itself where it is wider than the page."""
    columns = [E.th(name, scope='col') for name in header]
    for column, cell in zip(columns, rows[0] if rows else (), strict=False):
        if 'number' in cell.get('class', ''):
            column.set('class', 'number')
    head = E.thead(E.tr(*columns))
    return E.div(E.table(head, E.tbody(*rows)), CLASS('table'))


def name_element(name: str) -> Element:
    """A name, which does not change the direction of the text around it."""
    return E.bdi(readable(name), CLASS('long' if len(name) > LONG else 'short'))


def mark_element(good: bool) -> Element:
    """Whether something is good, as a sign and as a word."""
    word, sign = ('no finding', '✓') if good else ('finding', '▲')
    return E.span(
        sign,
        CLASS(f'mark {"good" if good else "bad"}'),
        {'role': 'img', 'aria-label': word},
    )


def figure_cell(value: float, unit: str) -> Element:
    """A number with its unit."""
    return E.td(quantity(value, unit), CLASS('number'))


def bar_cell(share: float) -> Element:
    """A share as a number and as a bar."""
    if not math.isfinite(share):
        return E.td(percent(share), CLASS('number'))
    width = 100.0 * min(share, 1.0)
    bar = E.span(CLASS('bar'), {'style': f'width: {width:.1f}%', 'aria-hidden': 'true'})
    return E.td(percent(share), E.span(bar, CLASS('track')), CLASS('number share'))
