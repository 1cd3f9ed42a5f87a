"""Figures with their bounds, and the verdict."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Figure:
    """A measured value with its upper or lower bound.

    Attributes:
        load: whether the bound depends on the machine's load; exceeding it does not fail the demo.
    """

    key: str
    label: str
    value: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None
    load: bool = False

    @property
    def fails(self) -> bool:
        """Whether the demo fails: a law of the torques is broken, or nothing was measured."""
        return not self.passed and (not self.load or math.isnan(self.value))

    @property
    def mark(self) -> str:
        """The word beside the bound: pass, slow or FAIL."""
        if self.passed:
            return 'pass' if self.bound else ''
        return 'FAIL' if self.fails else 'slow'

    @property
    def passed(self) -> bool:
        """Whether the bound holds; it does not for NaN."""
        if math.isnan(self.value):
            return False
        below = self.at_most is None or self.value <= self.at_most
        return below and (self.at_least is None or self.value >= self.at_least)

    @property
    def bound(self) -> str:
        """The bound as it is printed."""
        if self.at_most is not None:
            return f'<= {self.at_most:.4g}'
        if self.at_least is not None:
            return f'>= {self.at_least:.4g}'
        return ''


@dataclass(frozen=True)
class JointRow:
    """RMS tracking errors of one joint [rad or m]."""

    name: str
    unit: str
    servo_only: float
    with_gravity: float
    with_feedforward: float

    @property
    def ratio(self) -> float:
        """Error with feedforward divided by the error of the servo alone [-]."""
        return self.with_feedforward / self.servo_only if self.servo_only > 0 else math.nan


@dataclass(frozen=True)
class Verdict:
    """The figures of one run, and whether it passed."""

    arm: str
    figures: Sequence[Figure]
    joints: Sequence[JointRow]

    @property
    def passed(self) -> bool:
        """Whether every bound holds that does not depend on the machine's load."""
        return not any(figure.fails for figure in self.figures)

    def table(self) -> str:
        """The figures as a table: label, value, bound, verdict."""
        lines = [_row('figure', 'value', 'bound', ''), _row('-' * 46, '-' * 20, '-' * 9, '----')]
        for figure in self.figures:
            value = f'{figure.value:.4g} {figure.unit}'.strip()
            lines.append(_row(figure.label, value, figure.bound, figure.mark))
        return '\n'.join(lines)

    def joint_table(self) -> str:
        """The tracking errors of each joint as a table."""
        width = max(len(row.name) for row in self.joints)
        head = f'  {"RMS tracking error":{max(width, 18)}}  {"servo":>9}  {"+ gravity":>9}'
        lines = [f'{head}  {"+ feedforward":>13}  {"ratio":>6}']
        for row in self.joints:
            errors = (
                f'{row.servo_only:9.6f}  {row.with_gravity:9.6f}  {row.with_feedforward:13.6f}'
            )
            lines.append(f'  {row.name:{max(width, 18)}}  {errors}  {row.ratio:6.3f}  {row.unit}')
        return '\n'.join(lines)

    def json(self) -> str:
        """All figures as JSON in one line."""
        return json.dumps(
            {
                'arm': self.arm,
                'passed': self.passed,
                'figures': {
                    figure.key: _without_none(
                        value=_number(figure.value),
                        unit=figure.unit,
                        at_most=figure.at_most,
                        at_least=figure.at_least,
                        passed=figure.passed,
                        load=figure.load or None,
                    )
                    for figure in self.figures
                },
                'rms_error': {
                    row.name: {
                        'unit': row.unit,
                        'servo_only': _number(row.servo_only),
                        'with_gravity': _number(row.with_gravity),
                        'with_feedforward': _number(row.with_feedforward),
                        'ratio': _number(row.ratio),
                    }
                    for row in self.joints
                },
            }
        )

    def failures(self) -> Iterable[Figure]:
        """The figures for which the demo fails."""
        return (figure for figure in self.figures if figure.fails)

    def slow(self) -> Sequence[Figure]:
        """The figures that exceed a bound because of the machine's load."""
        return [figure for figure in self.figures if not figure.passed and not figure.fails]

    def sentence(self) -> str:
        """The last line: passed or failed, and what the machine's load has exceeded."""
        if not self.passed:
            return 'FAILED'
        if not self.slow():
            return 'PASSED: every bound holds'
        return (
            'PASSED: every bound on the torques holds; "slow" is about the load of this machine, '
            'not about the torques'
        )


def _row(label: str, value: str, bound: str, verdict: str) -> str:
    return f'  {label:46}  {value:>20}  {bound:9}  {verdict}'.rstrip()


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _without_none(**items: Any) -> dict[str, Any]:
    return {name: item for name, item in items.items() if item is not None}
