"""The parts of the page, as elements: lxml escapes each text."""

from __future__ import annotations

from collections.abc import Sequence

from lxml.html.builder import CLASS, E

from robot_dynamics_ros.comparison import Comparison

from ..figures.joint_parts import JointPart
from ..next_parameters import friction_parameters
from ..provenance import Provenance
from ..summary import headline, is_good, recordings_line, unit_of
from ..words.numbers_as_text import duration, quantity
from ..words.readable import readable, readable_sentence
from .elements import (
    Element,
    bar_cell,
    figure_cell,
    figure_element,
    files_and_versions,
    mark_element,
    name_element,
    table,
)
from .findings_section import findings_section


def head_part(comparison: Comparison) -> Element:
    """What was compared, and the result in one line."""
    good = is_good(comparison)
    return E.header(
        E.h1(name_element(comparison.robot), ': measured torque and model'),
        E.p(recordings_line(comparison), CLASS('about')),
        E.p(
            E.span('✓' if good else '▲', CLASS('mark'), {'aria-hidden': 'true'}),
            f' {readable_sentence(headline(comparison))}',
            CLASS(f'headline {"good" if good else "bad"}'),
        ),
        E.noscript(E.p('The plots need JavaScript. Verdicts, findings and numbers do not.')),
    )


def verdicts_part(parts: Sequence[JointPart]) -> Element:
    """One sentence for each joint, and its figures."""
    rows = [
        E.tr(
            E.th(E.a(name_element(part.name), href=f'#joint-{index}'), scope='row'),
            E.td(_mark(part), ' ', readable_sentence(part.comparison.verdict)),
            figure_cell(part.comparison.rms_measured, part.comparison.unit),
            figure_cell(part.comparison.rms_residual, part.comparison.unit),
            figure_cell(part.comparison.rms_after_fit, part.comparison.unit),
            bar_cell(part.comparison.relative_residual),
        )
        for index, part in enumerate(parts)
    ]
    header = (
        'joint', 'verdict', 'measured RMS', 'residual RMS', 'residual after the fit',
        'residual / measured',
    )  # fmt: skip
    return E.section(
        E.h2('Verdict'),
        table(header, rows),
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
    return [
        E.section(
            E.h2('Parameters to set next'),
            E.p('Fitted friction, for the file of parameter joint_model (term friction):'),
            E.pre(E.code(readable('\n'.join(lines)))),
            id='parameters',
        )
    ]


def findings_part(comparison: Comparison) -> Element:
    """Every finding."""
    units = [unit_of(finding, comparison) for finding in comparison.findings]
    return findings_section(comparison.findings, units, 'None: nothing contradicts the model.')


def joint_part(part: JointPart, index: int) -> Element:
    """The figures of one joint."""
    figures = [figure_element(figure, f'{index}-{figure.key}') for figure in part.figures]
    if not figures:
        figures = [E.p('No samples of this joint can be drawn.')]
    return E.section(
        E.h2(name_element(part.name)),
        E.p(_mark(part), ' ', readable_sentence(part.comparison.verdict), CLASS('verdict')),
        E.div(*figures, CLASS('figures')),
        CLASS('joint'),
        id=f'joint-{index}',
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
    return E.section(
        E.h2('How this report was made'),
        table(header, recordings),
        *files_and_versions(provenance),
        id='made',
    )


def _mark(part: JointPart) -> Element:
    return mark_element(part.is_good)
