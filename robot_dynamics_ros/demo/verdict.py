"""The table of figures with their bounds, and the verdict of a run."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.core import RobotModel

from .measures import TAKES, Array
from .plan import position_units

SAME_URDF = (
    'The simulator and the node share the URDF: errors near zero show that both\n'
    '  compute the same mechanics, not how well a URDF fits a real arm.'
)


@dataclass(frozen=True)
class Figure:
    """A measured value with its bound.

    Attributes:
        unit: of value and bound; "x" for a ratio.
        sign: "<=", ">=", or empty where there is no bound.
        limit: the bound, or its function of the other values by key.
        load: whether the value depends on the machine's load: then the bound does not fail the
            demo.
    """

    key: str
    label: str
    unit: str
    sign: str = ''
    limit: float | Callable[[Mapping[str, float]], float] = math.nan
    load: bool = False
    value: float = math.nan

    @property
    def passed(self) -> bool:
        """Whether the bound holds; it does not for NaN."""
        above, below = self.value >= self.limit, self.value <= self.limit
        return {'<=': below, '>=': above, '': math.isfinite(self.value)}[self.sign]

    @property
    def fails(self) -> bool:
        """Whether the demo fails: a law of the torques is broken, or nothing was measured."""
        return not self.passed and (not self.load or math.isnan(self.value))

    def row(self) -> list[str]:
        """Label, value, bound, unit, and pass, slow or FAIL, as they are printed."""
        ratio = 'x ' * (self.unit == 'x')
        bound = f'{self.sign} {ratio}{self.limit:.4g}' if self.sign else ''
        mark = 'FAIL' if self.fails else '' if not self.sign else 'pass' if self.passed else 'slow'
        return [self.label, f'{ratio}{self.value:.4g}', bound, self.unit.strip('x'), mark]


# fmt: off
FIGURES = (
    Figure('fall', 'released without torque: displacement', 'position', '>=', 0.1),
    Figure('drift', 'held by gravity compensation: drift', 'position', '<=', 1e-3),
    Figure('ratio', 'tracking error with feedforward / of the servo alone', 'x', '<=', 0.2),
    Figure('worst_ratio', 'the same, worst joint', 'x', '<=', 0.4),
    Figure('push_error', 'push on the tool: error of the force, as far as felt', '%', '<=', 2.0),
    Figure('collision_delay', 'collision: from the first state with contact until found', 'ms',
           '<=', 5.0, load=True),
    Figure('collision_hold', 'after it: command minus gravity compensation', 'effort', '<=', 1e-6),
    Figure('collision_rest', 'after it: displacement in the last 0.2 s', 'position',
           '<=', 0.02),
    Figure('mass_asymmetry', 'M: asymmetry', 'relative', '<=', 1e-12),
    Figure('smallest_eigenvalue', 'M: smallest eigenvalue', 'kg m^2', '>=', 1e-9),
    Figure('skewness', 'dM/dt - 2C: deviation from skew-symmetry', 'relative', '<=', 1e-8),
    Figure('mass_error', 'M: difference to Pinocchio', 'relative', '<=', 1e-12),
    Figure('coriolis_error', 'C: difference to Pinocchio', 'relative', '<=', 1e-12),
    # What may come in one command, of the time in which it grows from zero to the effort limit.
    Figure('command_step', 'commands: largest step, as time at the rate limit', 'ms',
           '<=', 20.0 * (1.0 + 1e-9)),
    # Between computing and publishing a command, on a loaded machine.
    Figure('command_lead', 'commands: lead over the rate limit', 'ms', '<=', 50.0),
    Figure('state_rate', 'joint_states: rate', 'Hz', '>=', lambda of: of['asked_rate'] / 2, True),
    Figure('command_rate', 'commands: rate', 'Hz', '>=', lambda of: 0.8 * of['state_rate'], True),
    Figure('latency_p50', 'latency from state to command: median', 'ms',
           '<=', lambda of: max(2.0, 10.0 * of['transport_p50']), True),
    Figure('latency_p99', 'latency from state to command: 99th percentile', 'ms',
           '<=', lambda of: max(20.0, 4.0 * of['transport_p99']), True),
    Figure('transport_p50', 'from state to observer, without the node: median', 'ms'),
    Figure('transport_p99', 'from state to observer: 99th percentile', 'ms'),
    Figure('lost', 'states without a command', '%', '<=', lambda of: 10.0 + of['late'], True),
)
# fmt: on


@dataclass(frozen=True)
class Verdict:
    """The figures of one run, and whether it passed.

    Attributes:
        model: of the arm.
        figures: with their values.
        errors: RMS tracking errors (3, n), see `Tracking.rms` [rad or m].
        ratios: the last of them divided by the first (n,) [-].
    """

    model: RobotModel
    figures: Sequence[Figure]
    errors: Array
    ratios: Array

    @classmethod
    def of(
        cls, model: RobotModel, values: Mapping[str, float], errors: Array, ratios: Array
    ) -> Verdict:
        """Judge values by key."""
        units = {'position': ' or '.join(dict.fromkeys(position_units(model)))}
        units['effort'] = ' or '.join(dict.fromkeys(model.effort_units))
        figures = [
            replace(
                one,
                unit=units.get(one.unit, one.unit),
                limit=one.limit(values) if callable(one.limit) else one.limit,
                value=values[one.key],
            )
            for one in FIGURES
        ]
        return cls(model, figures, errors, ratios)

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
        errors = np.char.mod('%.3f', 1e3 * self.errors), position_units(self.model, 'm')
        columns = self.model.joint_names, *errors[0], errors[1], np.char.mod('x %.3f', self.ratios)
        head = 'RMS tracking error', 'servo', '+ gravity', '+ feedforward', '', 'ratio'
        joints = _table([head, *zip(*columns, strict=True)], '<>>><>')
        rows = [figure.row() for figure in self.figures]
        figures = _table([('figure', 'value', 'bound', 'unit', ''), *rows], '<>><<')
        missed = [
            'demo: {4}: {0}: {1} {3}, bound {2}'.format(*row)
            for row in rows
            if row[4] in ('FAIL', 'slow')
        ]
        return '\n'.join([joints, '', figures, '', f'  {SAME_URDF}', '', *missed])

    def json(self) -> str:
        """All figures as JSON in one line; null where there is no number."""
        figures = {}
        for one in self.figures:
            side = {'<=': 'at_most', '>=': 'at_least'}.get(one.sign)
            bound = {side: _number(one.limit)} if side else {}
            entries = {'value': _number(one.value), 'unit': one.unit, 'passed': one.passed}
            figures[one.key] = entries | bound | ({'load': True} if one.load else {})
        errors = {}
        for i, name in enumerate(self.model.joint_names):
            numbers = map(_number, (*self.errors[:, i].tolist(), float(self.ratios[i])))
            unit = {'unit': position_units(self.model)[i]}
            errors[name] = unit | dict(zip((*TAKES, 'ratio'), numbers, strict=True))
        report = {'arm': self.model.name, 'passed': self.passed}
        return json.dumps(report | {'figures': figures, 'rms_error': errors})

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
    cells = (zip(row, sides, widths, strict=True) for row in rows)
    lines = ('  '.join(f'{text:{side}{width}}' for text, side, width in row) for row in cells)
    return '\n'.join(f'  {line}'.rstrip() for line in lines)


def _number(value: float) -> float | None:
    """The value, or None where JSON has no number for it."""
    return value if math.isfinite(value) else None
