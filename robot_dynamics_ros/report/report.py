"""A report: verdict, findings, joints with figures, tables; a page and a picture show it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from robot_dynamics_ros.comparison import FATAL, Finding

from .figure import Figure
from .provenance import Provenance
from .text import percent, quantity

Level = Literal['good', 'noted', 'bad']
# From the best to the worst, each with its sign and its words.
MARKS: Mapping[Level, tuple[str, str]] = {
    'good': ('✓', 'good'),
    'noted': ('●', 'worth a look'),
    'bad': ('▲', 'bad'),
}
# Of the values of findings, by code; that of friction has the unit of the effort.
UNITS = {
    'payload': 'kg', 'delay': 's', 'short': 's', 'merged': 's', 'clock_drift': 's', 'contact': 's',
}  # fmt: skip


def worst(levels: Iterable[Level]) -> Level:
    """The worst of some levels; 'good' of none."""
    return max(levels, key=list(MARKS).index, default='good')


@dataclass(frozen=True)
class Cell:
    """A cell of a table: its text, and how it is shown; `ratio` [-] has a bar."""

    text: str
    kind: Literal['text', 'number', 'ratio'] = 'text'
    ratio: float = math.nan

    @property
    def width(self) -> float:
        """Of the bar [%]."""
        return 100.0 * min(max(self.ratio, 0.0), 1.0)

    @classmethod
    def of(cls, value: float, unit: str) -> Cell:
        """A number with its unit."""
        return cls(quantity(value, unit), 'number')

    @classmethod
    def of_ratio(cls, ratio: float) -> Cell:
        """A ratio in per cent, with a bar where it is known."""
        return cls(percent(ratio), 'ratio' if math.isfinite(ratio) else 'number', ratio)


@dataclass(frozen=True)
class Section:
    """A part of a page: paragraphs, points, a table and code, each if there is one.

    Attributes:
        key: letters and hyphens.
        title: heading.
        text: before the table.
        points: a list below the text.
        header: of the table.
        rows: of the table; the first cell of each is its heading.
        code: lines to copy.
    """

    key: str
    title: str
    text: str = ''
    points: Sequence[str] = ()
    header: Sequence[str] = ()
    rows: Sequence[tuple[Cell, ...]] = ()
    code: Sequence[str] = ()


@dataclass(frozen=True)
class JointReport:
    """What a report holds of one joint.

    Attributes:
        name: as the URDF has it.
        level: of the verdict.
        numbers: its figures in words.
        verdict: a phrase that does not repeat the figures.
        cells: figures, one for each of `Report.columns`.
        figures: with something to draw.
    """

    name: str
    level: Level
    numbers: str
    verdict: str
    cells: tuple[Cell, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Report:
    """What a page or a picture shows.

    Attributes:
        robot: its name.
        title: what is shown of it.
        about: in one line, what was recorded, or how to read the plots.
        headline: the result in one sentence.
        level: the worst mark of the report.
        remarks: sentences below the headline.
        objections: why the model is not to be loaded.
        columns: headings of the figures of joints.
        hint: what the columns mean.
        joints: in the order of the model.
        findings: the most important one first.
        no_finding: what is said where there is none.
        sections: before the figures of the joints.
        later: sections after them.
        recordings: which were used.
        provenance: how it was made; a picture needs none.
        row: panels that a row of a picture has, by key, with their relative widths.
    """

    robot: str
    title: str
    about: str
    headline: str
    level: Level
    joints: Sequence[JointReport]
    row: Mapping[str, float]
    remarks: Sequence[str] = ()
    objections: Sequence[str] = ()
    columns: Sequence[str] = ()
    hint: str = ''
    findings: Sequence[tuple[Level, Finding, str]] = ()
    no_finding: str = ''
    sections: Sequence[Section] = ()
    later: Sequence[Section] = ()
    recordings: Section | None = None
    provenance: Provenance | None = None


def level_of(finding: Finding) -> Level:
    """Findings because of which no fitted parameter can be trusted are bad, others noted."""
    return 'bad' if finding.code in FATAL else 'noted'


def shown_findings(
    findings: Sequence[Finding], units: Mapping[str, str]
) -> list[tuple[Level, Finding, str]]:
    """Each finding with its level, and its value in words.

    Args:
        findings: to show.
        units: of the efforts of joints.
    """
    return [(level_of(one), one, _value(one, units)) for one in findings]


def _value(finding: Finding, units: Mapping[str, str]) -> str:
    if finding.value is None:
        return ''
    joint = finding.joints[0] if finding.joints else ''
    unit = units[joint] if finding.code == 'friction' and joint in units else ''
    return quantity(finding.value, unit or UNITS.get(finding.code, ''))
