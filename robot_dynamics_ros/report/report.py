"""A report: result of each joint, findings, figures, tables; page.html shows it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from robot_dynamics_ros.comparison import Compared, Finding
from robot_dynamics_ros.comparison.findings import advised

from .figures import Figure
from .text import quantity

# Severities of findings, and what has none.
Level = Literal['good', 'note', 'warning', 'error']
# From the best to the worst.
MARKS: Mapping[Level, str] = {'good': '✓', 'note': '○', 'warning': '●', 'error': '▲'}


class Table(NamedTuple):
    """A table; the first cell of each row is its heading."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class JointReport(NamedTuple):
    """What a page shows of one joint."""

    name: str
    level: Level
    result: str  #: in a few words
    cells: Sequence[str]  #: below the columns of the report
    figures: Sequence[Figure]


@dataclass(frozen=True)
class Report:
    """What a page or a terminal shows."""

    robot: str  #: its name
    headline: str  #: the result in one sentence
    title: str = ''  #: what is shown of it
    findings: Sequence[tuple[Level, str, str]] = ()  #: level, heading, text; the worst one first
    joints: Sequence[JointReport] = ()  #: in the order of the model
    columns: Sequence[str] = ()  #: of their cells
    hint: str = ''  #: how to read them
    about: Sequence[str] = ()  #: sentences below the headline
    errors: Sequence[str] = ()  #: what speaks against the whole result
    tables: Sequence[Table] = ()  #: behind the plots

    @property
    def level(self) -> Level:
        """Of the headline: an error of fewer than half of the joints is a warning there."""
        levels: list[Level] = [one.level for one in self.joints]
        if 2 * levels.count('error') < len(levels):
            levels = ['warning' if one == 'error' else one for one in levels]
        levels += ['error'] if self.errors else []
        return worst([*levels, *(level for level, _, _ in self.findings)])


def worst(levels: Iterable[Level]) -> Level:
    """The worst of some levels; 'good' of none."""
    return max(levels, key=list(MARKS).index, default='good')


def shown(findings: Iterable[Finding]) -> list[tuple[Level, str, str]]:
    """Findings with what to do."""
    return [(one.severity, one.head, one.text) for one in advised(findings)]


def joint_level(name: str, findings: Iterable[Finding], *, bad: bool, good: bool) -> Level:
    """An error where the model is bad, else that of its findings; a warning if it is not good."""
    own: list[Level] = [one.severity for one in findings if name in one.joints]
    return 'error' if bad else worst([*own, 'good' if good else 'warning'])


def recordings_table(recordings: Iterable[Compared], held_out: Container[str] = ()) -> Table:
    """Where the data are from."""
    header = 'recording', 'topic', 'samples', 'duration', 'rate', 'cutoff', 'locked', 'used'
    rows = [
        (
            one.file, one.topic, f'{one.samples:,}', quantity(one.duration, 's'),
            quantity(one.rate, 'Hz'), quantity(one.cutoff, 'Hz'), ', '.join(one.locked) or '-',
            one.error or ('held out' if one.file in held_out else 'yes'),
        )
        for one in recordings
    ]  # fmt: skip
    return Table('Recordings', header, rows)
