"""The table of figures with their bounds, and the verdict of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.json_text import json_text

from .measures import TAKES, Measured
from .plan import position_units

SAME_URDF = (
    'The simulator and the node share the URDF: errors near zero show that both\n'
    '  compute the same mechanics, not how well a URDF fits a real arm.'
)
SIDES = {'<=': 'at_most', '>=': 'at_least'}


@dataclass(frozen=True)
class Figure:
    """A measured value, with its bound if it has one.

    Attributes:
        unit: of value and bound; "x" for a ratio.
        sign: "<=", ">=", or empty where there is no bound.
    """

    key: str
    label: str
    unit: str
    sign: str = ''
    bound: float = math.nan
    value: float = math.nan

    @property
    def passed(self) -> bool:
        """Whether the value is a number within the bound."""
        above, below = self.value >= self.bound, self.value <= self.bound
        return {'<=': below, '>=': above, '': math.isfinite(self.value)}[self.sign]

    def row(self) -> list[str]:
        """Label, value, bound, unit, and pass or FAIL, as they are printed."""
        ratio = 'x ' * (self.unit == 'x')
        bound = f'{self.sign} {ratio}{self.bound:.4g}' if self.sign else ''
        mark = 'FAIL' if not self.passed else 'pass' if self.sign else ''
        return [self.label, f'{ratio}{self.value:.4g}', bound, self.unit.strip('x'), mark]


FIGURES = (
    Figure('fall', 'released without torque: displacement', 'position', '>=', 0.1),
    Figure('drift', 'held by gravity compensation: drift', 'position', '<=', 1e-3),
    Figure('ratio', 'tracking error with feedforward / of the servo alone', 'x', '<=', 0.2),
    Figure('worst_ratio', 'the same, worst joint', 'x', '<=', 0.4),
    Figure('push_error', 'push on the tool: error of the force, as far as felt', '%', '<=', 2.0),
    Figure('collision_delay', 'collision: from the first state with contact until found', 'ms'),
    Figure('collision_hold', 'after it: command minus gravity compensation', 'effort', '<=', 1e-6),
    Figure('collision_rest', 'after it: displacement in the last 0.2 s', 'position', '<=', 0.02),
    Figure('mass_asymmetry', 'M: asymmetry', 'relative', '<=', 1e-12),
    Figure('smallest_eigenvalue', 'M: smallest eigenvalue', 'kg m^2', '>=', 1e-9),
    Figure('skewness', 'dM/dt - 2C: deviation from skew-symmetry', 'relative', '<=', 1e-8),
    Figure('mass_error', 'M: difference to Pinocchio', 'relative', '<=', 1e-12),
    Figure('coriolis_error', 'C: difference to Pinocchio', 'relative', '<=', 1e-12),
    Figure('state_rate', 'joint_states: rate', 'Hz'),
    Figure('command_rate', 'commands: rate', 'Hz'),
    Figure('latency_p50', 'latency from state to command: median', 'ms'),
    Figure('latency_p99', 'latency from state to command: 99th percentile', 'ms'),
    Figure('lost', 'states without a command', '%'),
)


class Verdict:
    """The figures of one run, and whether it passed.

    Attributes:
        model: of the arm.
        figures: `FIGURES` with their values and units.
        passed: whether every figure is a number within its bound.
    """

    def __init__(self, model: RobotModel, acts: Mapping[str, Measured]) -> None:
        """Judge what was measured in the acts."""
        values = {key: float(x) for act in acts.values() for key, x in act.values.items()}
        units = {
            'position': ' or '.join(dict.fromkeys(position_units(model))),
            'effort': ' or '.join(dict.fromkeys(model.effort_units)),
        }
        self.model = model
        self.figures = [
            replace(one, unit=units.get(one.unit, one.unit), value=values[one.key])
            for one in FIGURES
        ]
        self.passed = all(figure.passed for figure in self.figures)
        self._rms, self._ratios = (acts['tracking'].data[name] for name in ('rms', 'ratios'))

    def text(self) -> str:
        """Both tables; FAIL marks a bound that does not hold, and what is no number."""
        errors, ratios = np.char.mod('%.3f', 1e3 * self._rms), np.char.mod('x %.3f', self._ratios)
        columns = self.model.joint_names, *errors, position_units(self.model, 'm'), ratios
        head = 'RMS tracking error', 'servo', '+ gravity', '+ feedforward', '', 'ratio'
        joints = _table([head, *zip(*columns, strict=True)], '<>>><>')
        rows = [figure.row() for figure in self.figures]
        figures = _table([('figure', 'value', 'bound', 'unit', ''), *rows], '<>><<')
        return '\n'.join([joints, '', figures, '', f'  {SAME_URDF}', ''])

    def json(self) -> str:
        """All figures as JSON; null where there is no number."""
        figures = {
            one.key: {'value': one.value, 'unit': one.unit, 'passed': one.passed}
            | ({SIDES[one.sign]: one.bound} if one.sign else {})
            for one in self.figures
        }
        units = position_units(self.model)
        rows = zip(units, *self._rms, self._ratios, strict=True)
        keys = 'unit', *TAKES, 'ratio'
        errors = [dict(zip(keys, row, strict=True)) for row in rows]
        joints = dict(zip(self.model.joint_names, errors, strict=True))
        report = {'arm': self.model.name, 'passed': self.passed}
        return json_text(report | {'figures': figures, 'rms_error': joints})


def _table(rows: Sequence[Sequence[str]], sides: str) -> str:
    """Rows as text, each column to its side."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = (zip(row, sides, widths, strict=True) for row in rows)
    lines = ('  '.join(f'{text:{side}{width}}' for text, side, width in row) for row in cells)
    return '\n'.join(f'  {line}'.rstrip() for line in lines)
