"""The parts of the page, as elements: lxml escapes each text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from lxml import html
from lxml.html.builder import CLASS, E

from robot_dynamics_ros.comparison import Comparison, Finding

from ..figures.joint_parts import JointPart
from ..figures.panel import Figure
from ..next_parameters import friction_parameters, joints_without_friction
from ..provenance import Provenance
from ..summary import headline, is_good, recordings_line, unit_of, verdict_of
from ..words.numbers_as_text import duration, number, percent, quantity
from ..words.readable import readable
from .plotly_figures import height

Element = html.HtmlElement
# A name that is longer may be divided [letters].
LONG = 40


def head_part(comparison: Comparison) -> Element:
    """What was compared, and the result in one line."""
    good = is_good(comparison)
    return E.header(
        E.h1(_name(comparison.robot), ': measured torque and model'),
        E.p(recordings_line(comparison), CLASS('about')),
        E.p(
            E.span('✓' if good else '▲', CLASS('mark'), {'aria-hidden': 'true'}),
            f' {headline(comparison)}',
            CLASS(f'headline {"good" if good else "bad"}'),
        ),
        E.noscript(E.p('The plots need JavaScript. Verdicts, findings and numbers do not.')),
    )


def verdicts_part(parts: Sequence[JointPart]) -> Element:
    """One sentence for each joint, and its figures."""
    rows = [
        E.tr(
            E.th(E.a(_name(part.name), href=f'#joint-{index}'), scope='row'),
            E.td(_mark(part), ' ', readable(verdict_of(part))),
            _figure_cell(part.comparison.rms_measured, part.comparison.unit),
            _figure_cell(part.comparison.rms_residual, part.comparison.unit),
            _figure_cell(part.comparison.rms_after_fit, part.comparison.unit),
            _bar_cell(part.comparison.relative_residual),
        )
        for index, part in enumerate(parts)
    ]
    header = (
        'joint', 'verdict', 'measured RMS', 'residual RMS', 'residual after the fit',
        'residual / measured',
    )  # fmt: skip
    return E.section(
        E.h2('Verdict'),
        _table(header, rows),
        E.p(
            'Residual: measured torque minus torque of the model. After the fit: the RMS that is '
            'left with fitted friction and offset, and with what the findings say, such as a '
            'payload.',
            CLASS('hint'),
        ),
        id='verdict',
    )


def parameters_part(comparison: Comparison) -> list[Element]:
    """Fitted friction as parameters to paste; nothing where no friction is missing."""
    lines = friction_parameters(comparison)
    if not lines:
        return []
    names = ', '.join(map(readable, comparison.joints))
    unknown = ', '.join(map(readable, joints_without_friction(comparison)))
    rest = f' 0.0 where the recording does not show it: {unknown}.' if unknown else ''
    return [
        E.section(
            E.h2('Parameters to set next'),
            E.p('Fitted friction, for the parameters of dynamics_node (term friction):'),
            E.pre(E.code('\n'.join(lines))),
            E.p(f'In the order of the joints {names}.{rest}', CLASS('hint')),
            id='parameters',
        )
    ]


def findings_part(comparison: Comparison) -> Element:
    """Every finding."""
    rows = [_finding_row(finding, unit_of(finding, comparison)) for finding in comparison.findings]
    content = (
        _table(('finding', 'joints', 'value', 'what it means'), rows)
        if rows
        else E.p('None: nothing contradicts the model.')
    )
    return E.section(E.h2('Findings'), content, id='findings')


def _finding_row(finding: Finding, unit: str) -> Element:
    joints: list[Any] = []
    for name in finding.joints:
        joints += [', ', _name(name)] if joints else [_name(name)]
    value = '' if finding.value is None else f'{number(finding.value)} {unit}'.strip()
    return E.tr(
        E.th(E.code(readable(finding.code)), scope='row'),
        E.td(*(joints or ['all'])),
        E.td(value, CLASS('number')),
        E.td(readable(finding.message)),
    )


def joint_part(part: JointPart, index: int) -> Element:
    """The figures of one joint."""
    figures = [_figure(figure, f'{index}-{figure.key}') for figure in part.figures]
    if not figures:
        figures = [E.p('No samples of this joint can be drawn.')]
    return E.section(
        E.h2(_name(part.name)),
        E.p(_mark(part), ' ', readable(verdict_of(part)), CLASS('verdict')),
        E.div(*figures, CLASS('figures')),
        CLASS('joint'),
        id=f'joint-{index}',
    )


def _figure(figure: Figure, key: str) -> Element:
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


def made_part(comparison: Comparison, provenance: Provenance) -> Element:
    """Recordings, files with hashes, versions and command."""
    recordings = [
        E.tr(
            E.th(readable(one.file), scope='row'),
            E.td(readable(one.topic)),
            E.td(str(one.samples), CLASS('number')),
            E.td(duration(one.duration), CLASS('number')),
            E.td(quantity(one.rate, 'Hz'), CLASS('number')),
            E.td(quantity(one.cutoff, 'Hz'), CLASS('number')),
            E.td(readable(one.error) or 'compared'),
        )
        for one in comparison.recordings
    ]
    header = ('recording', 'topic', 'samples', 'duration', 'rate', 'cutoff of the filter', 'state')
    sources = [
        E.tr(
            E.th(readable(file.path), scope='row'),
            E.td(f'{file.size:,}', CLASS('number')),
            E.td(E.code(file.sha256), CLASS('hash')),
        )
        for file in provenance.files
    ]
    versions = ', '.join(f'{name} {version}' for name, version in provenance.versions.items())
    return E.section(
        E.h2('How this report was made'),
        _table(header, recordings),
        _table(('file', 'bytes', 'SHA-256'), sources),
        E.dl(
            *(E.dt('command'), E.dd(E.code(readable(provenance.command))))
            if provenance.command
            else (),
            E.dt('versions'),
            E.dd(readable(versions)),
            E.dt('made'),
            E.dd(f'{provenance.created:%Y-%m-%d %H:%M:%S %Z}'),
        ),
        id='made',
    )


def _table(header: Sequence[str], rows: Sequence[Element]) -> Element:
    """A table that scrolls by itself where it is wider than the page."""
    columns = [E.th(name, scope='col') for name in header]
    for column, cell in zip(columns, rows[0] if rows else (), strict=False):
        if 'number' in cell.get('class', ''):
            column.set('class', 'number')
    head = E.thead(E.tr(*columns))
    return E.div(E.table(head, E.tbody(*rows)), CLASS('table'))


def _name(name: str) -> Element:
    """A name, which does not change the direction of the text around it."""
    return E.bdi(readable(name), CLASS('long' if len(name) > LONG else 'short'))


def _mark(part: JointPart) -> Element:
    good = part.is_good
    word, sign = ('no finding', '✓') if good else ('finding', '▲')
    return E.span(
        sign,
        CLASS(f'mark {"good" if good else "bad"}'),
        {'role': 'img', 'aria-label': word},
    )


def _figure_cell(value: float, unit: str) -> Element:
    return E.td(quantity(value, unit), CLASS('number'))


def _bar_cell(share: float) -> Element:
    """A share as a number and as a bar."""
    if not math.isfinite(share):
        return E.td(percent(share), CLASS('number'))
    width = 100.0 * min(share, 1.0)
    bar = E.span(CLASS('bar'), {'style': f'width: {width:.1f}%', 'aria-hidden': 'true'})
    return E.td(percent(share), E.span(bar, CLASS('track')), CLASS('number share'))
