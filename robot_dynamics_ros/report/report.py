"""A report: results of joints, findings, figures, tables; a page and a picture show it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.comparison.findings import advised

from .figure import Figure
from .text import number, percent, quantity

# In the cell of a figure that is not known.
UNKNOWN = '-'
# Severities of findings, and what has none.
Level = Literal['good', 'note', 'warning', 'error']
# From the best to the worst, each with its sign and its words.
MARKS: Mapping[Level, tuple[str, str]] = {
    'good': ('✓', 'good'),
    'note': ('○', 'note'),
    'warning': ('●', 'worth a look'),
    'error': ('▲', 'bad'),
}


def worst(levels: Iterable[Level]) -> Level:
    """The worst of some levels; 'good' of none."""
    return max(levels, key=list(MARKS).index, default='good')


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: what it says.
        kind: how it is shown.
        level: of the mark before the text.
        names: before the text; they may hold anything.
        link: of the names, to a part of the page.
        interval: beside the text, smaller.
        bar: begin of the interval, value and its end, as parts of a bar from 0 to 1; empty for
            none.
    """

    text: str = ''
    kind: Literal['text', 'number', 'code'] = 'text'
    level: Level | None = None
    names: tuple[str, ...] = ()
    link: str = ''
    interval: str = ''
    bar: tuple[float, ...] = ()

    def __str__(self) -> str:
        """Text and interval, in a line."""
        return f'{self.text} [{self.interval}]' if self.interval else self.text

    @classmethod
    def of(cls, value: float, unit: str, low: float = math.nan, high: float = math.nan) -> Cell:
        """A number with its unit, and its 95 % interval where that is known."""
        known = math.isfinite(low) and math.isfinite(high)
        interval = f'{number(low)} to {number(high)}' if known else ''
        text = quantity(value, unit) if math.isfinite(value) else UNKNOWN
        return cls(text, 'number', interval=interval)

    @classmethod
    def of_ratio(cls, ratio: float, low: float = math.nan, high: float = math.nan) -> Cell:
        """A ratio in per cent, with its interval and a bar where they are known."""
        known = math.isfinite(low) and math.isfinite(high)
        interval = f'{percent(low)} to {percent(high)}' if known else ''
        values = (low if known else ratio, ratio, high if known else ratio)
        bar = tuple(min(max(one, 0.0), 1.0) for one in values) if math.isfinite(ratio) else ()
        return cls(percent(ratio) if bar else UNKNOWN, 'number', interval=interval, bar=bar)


@dataclass(frozen=True)
class Section:
    """A part of a page: heading, paragraph, points, table, each if there is one.

    Attributes:
        key: letters and hyphens.
        title: heading.
        text: before the table.
        points: a list below the text.
        header: of the table.
        rows: of the table; the first cell of each is its heading.
        hint: how to read it.
    """

    key: str
    title: str
    text: str = ''
    points: Sequence[str] = ()
    header: Sequence[str] = ()
    rows: Sequence[tuple[Cell, ...]] = ()
    hint: str = ''


@dataclass(frozen=True)
class JointReport:
    """What a report holds of one joint.

    Attributes:
        name: as the URDF has it.
        level: of the result.
        numbers: its figures in words; empty where none is known.
        result: a phrase that does not repeat the figures.
        cells: its figures in the table of joints.
        figures: with something to draw.
    """

    name: str
    level: Level
    numbers: str
    result: str
    cells: tuple[Cell, ...]
    figures: tuple[Figure, ...]

    @property
    def sentence(self) -> str:
        """Figures and result."""
        result = f'{self.result[:1].upper()}{self.result[1:]}'
        return '. '.join(filter(None, (self.numbers, result)))


@dataclass(frozen=True)
class Report:
    """What a page or a picture shows.

    Attributes:
        robot: its name.
        title: what is shown of it.
        about: in one line, what was recorded, or how to read the plots.
        headline: the result in one sentence.
        level: the worst mark of the report.
        joints: in the order of the model.
        row: panels that a row of a picture has, by key, with their relative widths.
        remarks: sentences below the headline.
        doubts: why the model is not to be loaded.
        sections: before the figures of the joints.
        later: sections behind them.
    """

    robot: str
    title: str
    about: str
    headline: str
    level: Level
    joints: Sequence[JointReport]
    row: Mapping[str, float]
    remarks: Sequence[str] = ()
    doubts: Sequence[str] = ()
    sections: Sequence[Section] = ()
    later: Sequence[Section] = ()


def overall(joints: Sequence[JointReport], others: Iterable[Level]) -> Level:
    """The mark of a headline: an error of fewer than half of the joints is a warning there."""
    marks = [one.level for one in joints]
    if 2 * marks.count('error') < len(marks):
        marks = ['warning' if one == 'error' else one for one in marks]
    return worst([*marks, *others])


def joints_section(joints: Sequence[JointReport], columns: Sequence[str], hint: str) -> Section:
    """The result of each joint beside its figures."""
    rows = [
        (
            Cell(names=(one.name,), link=f'#joint-{i}'),
            Cell(one.result, level=one.level),
            *one.cells,
        )
        for i, one in enumerate(joints)
    ]
    header = ('joint', 'result', *columns)
    return Section('summary', 'Joints', header=header, rows=rows, hint=hint)


def findings_section(findings: Sequence[Finding], none: str) -> Section:
    """The findings with their marks."""
    rows = [
        (
            Cell(one.code, 'code', one.severity),
            Cell('' if one.joints else 'all', names=one.joints),
            Cell(finding_value(one), 'number'),
            Cell(one.message),
        )
        for one in advised(findings)
    ]
    header = ('finding', 'joints', 'value', 'what it means')
    return Section('findings', 'Findings', '' if rows else none, header=header, rows=rows)


def finding_value(finding: Finding) -> str:
    """The value of a finding with its unit; empty where it has none."""
    return '' if finding.value is None else quantity(finding.value, finding.unit)
