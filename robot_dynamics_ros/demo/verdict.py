"""Figures with their bounds, and the verdict."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

SAME_URDF = (
    'The simulator and the node share the URDF: errors near zero show that both\n'
    '  compute the same mechanics, not how well a URDF fits a real arm.'
)


TAKES = 'servo_only', 'with_gravity', 'with_feedforward'
"""What the tracking errors of a joint are named."""


@dataclass(frozen=True)
class Figure:
    """A measured value with its upper or lower bound.

    Attributes:
        unit: of value and bound; "x" for a ratio.
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
    def passed(self) -> bool:
        """Whether the bound holds; it does not for NaN."""
        at_most = math.inf if self.at_most is None else self.at_most
        return bool((self.at_least or -math.inf) <= self.value <= at_most)

    @property
    def fails(self) -> bool:
        """Whether the demo fails: a law of the torques is broken, or nothing was measured."""
        return not self.passed and (not self.load or math.isnan(self.value))

    @property
    def bound(self) -> str:
        """The bound as it is printed."""
        if self.at_most is not None:
            return f'<= {self._number(self.at_most)}'
        return '' if self.at_least is None else f'>= {self._number(self.at_least)}'

    @property
    def mark(self) -> str:
        """The word beside the bound: pass, slow or FAIL."""
        if self.passed:
            return 'pass' if self.bound else ''
        return 'FAIL' if self.fails else 'slow'

    def row(self) -> tuple[str, str, str, str, str]:
        """Label, value, bound, unit and mark, as they are printed."""
        unit = '' if self.unit == 'x' else self.unit
        return self.label, self._number(self.value), self.bound, unit, self.mark

    def _number(self, value: float) -> str:
        return f'{"x " if self.unit == "x" else ""}{value:.4g}'


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

    def row(self) -> tuple[str, ...]:
        """As it is printed, the errors in mrad or mm."""
        errors = [f'{1e3 * getattr(self, take):.3f}' for take in TAKES]
        return self.name, *errors, f'm{self.unit}', f'x {self.ratio:.3f}'


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

    @property
    def slow(self) -> list[Figure]:
        """The figures that exceed a bound because of the machine's load."""
        return [figure for figure in self.figures if not figure.passed and not figure.fails]

    def text(self) -> str:
        """Both tables, then a line for each bound that does not hold."""
        head = 'RMS tracking error', 'servo', '+ gravity', '+ feedforward', '', 'ratio'
        joints = _table([head, *(row.row() for row in self.joints)], '<>>><>')
        head = 'figure', 'value', 'bound', 'unit', ''
        figures = _table([head, *(figure.row() for figure in self.figures)], '<>><<')
        missed = [
            f'demo: {one.mark}: {label}: {value} {unit}, bound {bound}'
            for one in self.figures
            if not one.passed
            for label, value, bound, unit, _ in [one.row()]
        ]
        return '\n'.join([joints, '', figures, '', f'  {SAME_URDF}', '', *missed])

    def json(self) -> str:
        """All figures as JSON in one line; null where there is no number."""
        figures = {}
        for one in self.figures:
            entries = {'value': _number(one.value), 'unit': one.unit, 'passed': one.passed}
            bounds = {'at_most': one.at_most, 'at_least': one.at_least, 'load': one.load or None}
            figures[one.key] = entries | {k: v for k, v in bounds.items() if v is not None}
        errors = {}
        for row in self.joints:
            takes = {name: getattr(row, name) for name in (*TAKES, 'ratio')}
            errors[row.name] = {'unit': row.unit} | {k: _number(v) for k, v in takes.items()}
        return json.dumps(
            {
                'arm': self.arm,
                'passed': self.passed,
                'figures': figures,
                'rms_error': errors,
            }
        )

    def sentence(self) -> str:
        """The last line: passed or failed, and what the machine's load has exceeded."""
        if not self.passed:
            return 'FAILED'
        if not self.slow:
            return 'PASSED: every bound holds'
        return (
            'PASSED: every bound on the torques holds; "slow" is about the load of this machine, '
            'not about the torques'
        )


def _table(rows: Sequence[Sequence[str]], sides: str) -> str:
    """Rows as text, each column to its side."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = zip(row, sides, widths, strict=True)
        lines.append('  ' + '  '.join(f'{text:{side}{width}}' for text, side, width in cells))
    return '\n'.join(map(str.rstrip, lines))


def _number(value: float) -> float | None:
    """The value, or None where JSON has no number for it."""
    return value if math.isfinite(value) else None
