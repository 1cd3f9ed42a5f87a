"""The parts of the page of an identification, as elements: lxml escapes each text."""

from __future__ import annotations

from collections.abc import Sequence

from lxml.html.builder import CLASS, E

from robot_dynamics_ros.identification.identification import Identification, ParameterRow
from robot_dynamics_ros.identification.judgement import Judgement
from robot_dynamics_ros.identification.regression.equations import REASONS

from ..html.elements import (
    Element,
    bar_cell,
    figure_cell,
    figure_element,
    files_and_versions,
    mark_element,
    name_element,
    table,
)
from ..provenance import Provenance
from ..words.numbers_as_text import quantity
from ..words.readable import readable, readable_sentence
from .held_out_figures import JointDrawing
from .parameter_words import (
    excitation_words,
    held_out_words,
    interval_words,
    parameter_sections,
    value_words,
)

# Why equations were left out.
WORDS = {
    'missing': 'no effort',
    'slow': 'slow or at rest',
    'saturated': 'effort saturated',
    'load_changes': 'load changes',
}


def head_part(identification: Identification) -> Element:
    """The verdict, and what speaks against the model."""
    judgement = identification.judgement
    good = not judgement.worse and not judgement.findings and not identification.objections
    first, *others = judgement.verdict
    return E.header(
        E.h1(name_element(judgement.robot), ': identified model'),
        E.p(
            E.span('✓' if good else '▲', CLASS('mark'), {'aria-hidden': 'true'}),
            f' {readable_sentence(first)}',
            CLASS(f'headline {"good" if good else "bad"}'),
        ),
        *(E.p(readable_sentence(sentence)) for sentence in others),
        *(E.p(f'Objection: {readable_sentence(text)}.') for text in identification.objections),
        E.noscript(E.p('The plots need JavaScript. Verdicts, findings and numbers do not.')),
    )


def verdicts_part(drawings: Sequence[JointDrawing]) -> Element:
    """One sentence for each joint, and its figures on the held-out part."""
    rows = []
    for index, drawing in enumerate(drawings):
        joint = drawing.judgement
        rows.append(
            E.tr(
                E.th(E.a(name_element(drawing.name), href=f'#joint-{index}'), scope='row'),
                E.td(mark_element(drawing.is_good), ' ', readable_sentence(joint.verdict)),
                figure_cell(joint.rms_measured, joint.unit),
                figure_cell(joint.rms_nominal, joint.unit),
                figure_cell(joint.rms_identified, joint.unit),
                bar_cell(joint.gain),
            )
        )
    header = (
        'joint', 'verdict', 'measured RMS', 'left by the description', 'left by the identified',
        'identified / described',
    )  # fmt: skip
    return E.section(
        E.h2('Verdict'),
        table(header, rows),
        E.p(
            'On the held-out part, of which no sample was fitted. Left: RMS of measured torque '
            'minus torque of the model.',
            CLASS('hint'),
        ),
        id='verdict',
    )


def joint_part(drawing: JointDrawing, index: int) -> Element:
    """The figures of one joint."""
    figures = [figure_element(figure, f'{index}-{figure.key}') for figure in drawing.figures]
    return E.section(
        E.h2(name_element(drawing.name)),
        E.p(
            mark_element(drawing.is_good), ' ', readable_sentence(drawing.judgement.verdict),
            CLASS('verdict'),
        ),
        E.div(
            *(figures or [E.p('No samples of this joint can be drawn.')]), CLASS('figures')
        ),
        CLASS('joint'),
        id=f'joint-{index}',
    )  # fmt: skip


def excitation_part(identification: Identification) -> Element:
    """What the motion of the recording could tell."""
    notes = [E.li(readable_sentence(text)) for text in identification.undetermined]
    return E.section(
        E.h2('What the motion tells'),
        E.p(excitation_words(identification)),
        *([E.ul(*notes)] if notes else []),
        *([_equations(identification)] if identification.equations else []),
        id='excitation',
    )


def _equations(identification: Identification) -> Element:
    """Numbers of equations that were fitted, and why others were not."""
    reasons = ('used', *REASONS)
    rows = [
        E.tr(
            E.th(readable(name), scope='row'),
            *(E.td(f'{numbers[reason]:,}', CLASS('number')) for reason in reasons),
        )
        for name, numbers in identification.equations.items()
    ]
    words = ('equations of', 'used', *(f'left out: {WORDS[reason]}' for reason in REASONS))
    return table(words, rows)


def parameters_parts(identification: Identification) -> list[Element]:
    """Parameters with intervals, nominal values beside."""
    return [
        _parameters(key, title, rows) for key, title, rows in parameter_sections(identification)
    ]


def _parameters(key: str, title: str, rows: Sequence[ParameterRow]) -> Element:
    header = ('parameter', 'described', 'identified', '95 % interval')
    cells = [
        E.tr(
            E.th(readable(row.name), scope='row'),
            E.td(quantity(row.nominal, row.unit), CLASS('number')),
            E.td(value_words(row), CLASS('number')),
            E.td(interval_words(row), CLASS('number')),
        )
        for row in rows
    ]
    return E.section(E.h2(title), table(header, cells), id=key)


def made_part(judgement: Judgement, provenance: Provenance) -> Element:
    """Recordings, their held-out parts, files with hashes, versions and command."""
    rows = [
        E.tr(
            E.th(readable(one.file), scope='row'),
            E.td(readable(one.topic)),
            E.td(f'{one.samples:,}', CLASS('number')),
            E.td(f'{one.held_out:,}', CLASS('number')),
            E.td(held_out_words(one)),
            E.td(quantity(one.rate, 'Hz'), CLASS('number')),
            E.td(quantity(one.cutoff, 'Hz'), CLASS('number')),
            E.td(readable(one.error) or 'used'),
        )
        for one in judgement.recordings
    ]
    header = (
        'recording', 'topic', 'samples', 'held out', 'held-out part', 'rate', 'cutoff', 'state',
    )  # fmt: skip
    return E.section(
        E.h2('How this report was made'),
        table(header, rows),
        *files_and_versions(provenance),
        id='made',
    )
