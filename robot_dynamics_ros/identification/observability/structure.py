"""What the best data of a robot would determine: the rank that its structure allows.

The columns of the regressor at random states are dependent exactly where they are at each state
(Gautier, "Numerical calculation of the base inertial parameters of robots", 1991). Columns are
taken in an order in which each joint keeps what Gautier and Khalil's rules leave it ("Direct
calculation of minimum set of inertial parameters of serial robots", 1990): a column that depends
on those before it is a part of their base parameters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.spatial import Vector

from ..parameters.parameter_layout import ParameterLayout
from ..regression.load_columns import LoadColumns
from ..regression.torque_form import TorqueForm
from .column_order import column_order
from .scales import parameter_scales

# Times as many equations as columns, at least; times at least, so that each joint has enough.
EQUATIONS, FEWEST = 3, 40
# Of its length: what is left of a dependent column. Descriptions round angles to 1e-6.
DEPENDENT = 1e-5
# Of the largest contribution to the torques: what a column without influence has.
NOTHING = 1e-9
# Of a plausible value of a base parameter: smaller contributions are rounding.
ROUNDING = 1e-7
# Of a parameter: how far drawn values are from the nominal ones.
SPREAD = 0.3


@dataclass(frozen=True)
class Structure:
    """Dependencies that hold for all data of a robot.

    Attributes:
        layout: of the parameters.
        columns: (b,) of independent columns, ascending.
        combination: (b, p), the identity in `columns`; a dependent column d is
            Y[:, columns] @ combination[:, d].
    """

    layout: ParameterLayout
    columns: tuple[int, ...]
    combination: Array

    @property
    def rank(self) -> int:
        """The number of base parameters."""
        return len(self.columns)


@dataclass(frozen=True)
class _Drawn:
    """States and efforts (N, n), see `regression.columns.Samples`."""

    times: Array
    positions: Array
    velocities: Array
    accelerations: Array
    efforts: Array


def structure_of(
    layout: ParameterLayout,
    dynamics: RobotDynamics | None = None,
    seed: int = 0,
    gravity: Vector = STANDARD_GRAVITY,
) -> Structure:
    """The dependencies of the columns, from random states.

    Args:
        layout: of the parameters.
        dynamics: of its model and under its gravity; None: compile it.
        seed: of the states.
        gravity: (3,) without `dynamics` [m/s^2].
    """
    dynamics = dynamics or RobotDynamics(layout.model).with_gravity(gravity)
    rows = _random_rows(layout, dynamics, seed)
    largest = float(np.abs(rows @ layout.nominal()).max()) or 1.0
    scales = parameter_scales(layout, np.full(len(layout.joints), largest))
    scaled = np.asarray(np.linalg.qr(rows.reshape(-1, layout.size) * scales, mode='r'))
    independent = sorted(independent_columns(scaled, column_order(layout)))
    solution = np.linalg.lstsq(scaled[:, independent], scaled, rcond=None)[0]
    solution[np.abs(solution) < ROUNDING] = 0.0
    solution[:, independent] = np.eye(len(independent))
    return Structure(
        layout,
        tuple(independent),
        solution * scales[independent, None] / scales,
    )


def independent_columns(rows: Array, order: list[int]) -> list[int]:
    """Columns that do not depend on those before them in an order.

    By Gram and Schmidt, twice, which keeps the basis orthogonal to rounding (Giraud, Langou,
    Rozloznik, 2005).

    Args:
        rows: (m, p), columns of comparable magnitude.
        order: of the columns (p,).
    """
    lengths = np.linalg.norm(rows, axis=0)
    least = NOTHING * lengths.max(initial=0.0)
    basis = np.empty((0, len(rows)))
    found = []
    for column in order:
        if lengths[column] <= least:
            continue
        rest = rows[:, column] / lengths[column]
        for _ in range(2):
            rest = rest - basis.T @ (basis @ rest)
        left = np.linalg.norm(rest)
        if left > DEPENDENT:
            basis = np.vstack([basis, rest / left])
            found.append(column)
    return found


def _random_rows(layout: ParameterLayout, dynamics: RobotDynamics, seed: int) -> Array:
    """Equations (N, n, p) at random states, some with loads and some without."""
    patterns = _patterns(layout)
    n = len(layout.joints)
    count = len(patterns) * max(FEWEST, EQUATIONS * layout.size // n)
    states = list(random_states(layout.model, count, seed))
    q, v, a = (np.array([getattr(state, name) for state in states]) for name in 'qva')
    form = TorqueForm(layout, dynamics)
    carried = np.tile(patterns, (count // len(patterns), 1))
    nothing = np.zeros((count, n))
    drawn = _Drawn(np.zeros(count), q, v, a, nothing)
    rows, _ = form.rows(*form.columns(drawn, nothing, carried))
    if 'gain' in layout.terms:
        random = np.random.default_rng(seed)
        nominal = layout.nominal()
        spread = SPREAD * parameter_scales(layout, np.ones(n)) * random.normal(size=layout.size)
        torques = rows @ np.where(layout.is_known, nominal, nominal + spread)
        gains = nominal[layout.columns('gain')]
        rows[:, np.arange(n), layout.columns('gain')] = -torques / gains
    rows[:, :, layout.is_known] = 0.0
    return rows


def _patterns(layout: ParameterLayout) -> Array:
    """Which loads (k, L) are carried together in some of the data; at least one row."""
    if not layout.loads:
        return np.zeros((1, 0))
    loads = LoadColumns(layout.model, layout.loads)
    names = {name for load in layout.loads for name, _, _ in load.periods} | {''}
    rows = []
    for name in sorted(names):
        limits = [
            limit
            for load in layout.loads
            for other, *period in load.periods
            if other in ('', name)
            for limit in period
            if np.isfinite(limit)
        ]
        edges = np.unique([0.0, *limits])
        times = np.concatenate([edges[:1] - 1.0, 0.5 * (edges[1:] + edges[:-1]), edges[-1:] + 1.0])
        rows.append(loads.carried(times, name))
    return np.unique(np.concatenate(rows), axis=0)
