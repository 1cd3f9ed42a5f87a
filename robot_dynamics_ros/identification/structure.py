"""What the best data of a robot would determine: the rank that its structure allows.

The columns of the regressor at random states are dependent exactly where they are at each state
(Gautier, "Numerical calculation of the base inertial parameters of robots", 1991). Columns are
taken in an order in which each joint keeps what Gautier and Khalil's rules leave it ("Direct
calculation of minimum set of inertial parameters of serial robots", 1990): a column that depends
on those before it is a part of their base parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.model.tree import Joint
from robot_dynamics_ros.recordings import Motion

from .motion_equations import EquationOptions, MotionEquations
from .parameters import ParameterLayout
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
AXES = 'xyz'
# Of the terms of joints: those that are preferred to inertias, and those that are not.
FIRST, LAST = 0, 3


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


def structure_of(
    layout: ParameterLayout, dynamics: RobotDynamics | None = None, seed: int = 0
) -> Structure:
    """The dependencies of the columns, from random states.

    Args:
        layout: of the parameters.
        dynamics: of its model; None: compile it.
        seed: of the states.
    """
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


def _random_rows(layout: ParameterLayout, dynamics: RobotDynamics | None, seed: int) -> Array:
    """Equations (N, n, p) at random states, some with loads and some without."""
    n = len(layout.joints)
    free = replace(layout, known={})
    maker = MotionEquations(free, EquationOptions(smoothings=()), dynamics)
    recordings = ['', *dict.fromkeys(load.recording for load in layout.loads)]
    each = max(FEWEST, EQUATIONS * layout.size // n)
    states = list(random_states(layout.model, each * len(recordings), seed))
    q, v, a = (np.array([getattr(state, name) for state in states]) for name in 'qva')
    parts = []
    for number, name in enumerate(recordings):
        own, nothing = slice(number * each, (number + 1) * each), np.zeros((each, n))
        drawn = Motion(layout.joints, nothing[:, 0], q[own], v[own], a[own], nothing, np.inf, 1.0)
        parts.append(maker.of_samples(drawn, name).rows)
    rows = np.concatenate(parts)
    if 'gain' in layout.terms:
        random = np.random.default_rng(seed)
        nominal = layout.nominal()
        spread = SPREAD * parameter_scales(layout, np.ones(n)) * random.normal(size=layout.size)
        torques = rows @ np.where(layout.is_known, nominal, nominal + spread)
        gains = nominal[layout.columns('gain')]
        rows[:, np.arange(n), layout.columns('gain')] = -torques / gains
    rows[:, :, layout.is_known] = 0.0
    return rows


def column_order(layout: ParameterLayout) -> list[int]:
    """All columns (p,), preferred ones first."""
    ranks = np.full(layout.size, FIRST)
    for body, joint in enumerate(layout.model.joints):
        regrouped = _regrouped(joint)
        block = ranks[layout.body_columns(body)]
        block[:] = [2 if parameter in regrouped else 1 for parameter in PARAMETERS]
    for load in range(len(layout.model.joints), len(layout.bodies)):
        ranks[layout.body_columns(load)] = 1
    ranks[layout.columns('armature')] = LAST
    # What depends on a gain cannot be known: it comes after all others.
    ranks[layout.columns('gain')] = LAST + 1
    order: list[int] = np.argsort(ranks, kind='stable').tolist()
    return order


def _regrouped(joint: Joint) -> set[str]:
    """Parameters of a body that are felt as parts of the bodies before it."""
    if joint.kind == 'prismatic':
        return {name for name in PARAMETERS if name.startswith('I')}
    axis = int(np.abs(joint.axis).argmax())
    across = AXES[(axis + 2) % 3]
    return {'m', f'm{AXES[axis]}', f'I{across}{across}'}
