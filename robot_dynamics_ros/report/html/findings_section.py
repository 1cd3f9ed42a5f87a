"""The findings of a report, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lxml.html.builder import CLASS, E

from robot_dynamics_ros.comparison import Finding

from ..words.numbers_as_text import number
from ..words.readable import readable, readable_sentence
from .elements import Element, name_element, table


def findings_section(findings: Sequence[Finding], units: Sequence[str], none: str) -> Element:
    """Every finding.

    Args:
        findings: in the order in which they are shown.
        units: of their values.
        none: what is said where there is no finding.
    """
    rows = [_row(finding, unit) for finding, unit in zip(findings, units, strict=True)]
    header = ('finding', 'joints', 'value', 'what it means')
    return E.section(E.h2('Findings'), table(header, rows) if rows else E.p(none), id='findings')


def _row(finding: Finding, unit: str) -> Element:
    joints: list[Any] = []
    for name in finding.joints:
        joints += [', ', name_element(name)] if joints else [name_element(name)]
    value = '' if finding.value is None else f'{number(finding.value)} {unit}'.strip()
    return E.tr(
        E.th(E.code(readable(finding.code)), scope='row'),
        E.td(*(joints or ['all'])),
        E.td(value, CLASS('number')),
        E.td(readable_sentence(finding.message)),
    )
