"""Base parameters: what the structure of a robot allows to determine, and what its data do.

The columns of the regressor at random states are dependent exactly where they are at each state;
which of the independent ones some data determine says a pivoted QR of them, in units of noise and
of plausible parameters (Gautier, "Numerical calculation of the base inertial parameters of
robots", 1991). Columns are taken in an order in which each joint keeps what Gautier and Khalil's
rules leave it ("Direct calculation of minimum set of inertial parameters of serial robots", 1990):
a column that depends on those before it is a part of their base parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.inertial_parameters import PARAMETERS
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.model.tree import Joint
from robot_dynamics_ros.extra import required

from .equations import SLOW, ReducedEquations, triangle
from .motion_equations import MotionEquations
from .parameters import Flags, ParameterLayout, parameter_scales

# Times as many equations as columns, at least; times at least, so that each joint has enough.
EQUATIONS, FEWEST_STATES = 3, 40
# Of its length: what is left of a dependent column. Descriptions round angles to 1e-6.
DEPENDENT = 1e-5
# Of the largest contribution to the torques: what a column without influence has.
NOTHING = 1e-9
# Of a plausible value of a base parameter: smaller contributions are rounding.
NO_COMBINATION = 1e-7
AXES = 'xyz'
# Of the terms of joints: those that are preferred to inertias, and those that are not.
FIRST, LAST = 0, 3
# Of the torque of a joint: data have no less noise, rounding at least; and what is assumed where
# too few equations are left to tell.
LEAST_NOISE, ASSUMED_NOISE = 1e-8, 0.1
# Equations beside those that fix parameters, from which the noise can be estimated.
FEWEST_FREE = 10
# Standard deviations of the noise that a plausible value makes in all data together, to be
# determined: so the data leave a third of what is uncertain without them.
DETERMINED = 3.0
# The same at a single sample, of a measured effort in the place of a column: noise is a part of
# the column, and must not determine its coefficient.
DETERMINED_BY_SAMPLE = 3.0
# Of the largest contribution: rounding.
ROUNDING = 1e-9
# Of the largest part of a sum, for plausible parameters: smaller parts are not printed.
PRINTED = 1e-6
# Equations of a joint, below which it counts as still.
FEWEST = 20
# Of all equations: a joint that moved was slow in a smaller share of them.
RESTED = 0.5


@dataclass(frozen=True)
class Structure:
    """Dependencies that hold for all data of a robot.

    Attributes:
        columns: (b,) of independent columns, ascending.
        combination: (b, p), the identity in `columns`; a dependent column d is
            Y[:, columns] @ combination[:, d].
    """

    columns: tuple[int, ...]
    combination: Array

    @property
    def rank(self) -> int:
        """The number of base parameters."""
        return len(self.columns)


def structure_of(layout: ParameterLayout, dynamics: RobotDynamics | None = None) -> Structure:
    """The dependencies of the columns, from random states.

    Args:
        layout: of the parameters.
        dynamics: of its model; None: compile it.
    """
    rows = _random_rows(layout, dynamics)
    largest = float(np.abs(rows @ layout.nominal()).max()) or 1.0
    scales = parameter_scales(layout, np.full(len(layout.joints), largest))
    scaled = np.asarray(np.linalg.qr(rows.reshape(-1, layout.size) * scales, mode='r'))
    independent = sorted(independent_columns(scaled, column_order(layout)))
    solution = np.linalg.lstsq(scaled[:, independent], scaled, rcond=None)[0]
    solution[np.abs(solution) < NO_COMBINATION] = 0.0
    solution[:, independent] = np.eye(len(independent))
    return Structure(
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


def _random_rows(layout: ParameterLayout, dynamics: RobotDynamics | None) -> Array:
    """Equations (N, n, p) at random states, some with loads and some without."""
    n = len(layout.joints)
    free = replace(layout, known={})
    maker = MotionEquations(free, dynamics, tried=False)
    recordings = ['', *dict.fromkeys(load.recording for load in layout.loads)]
    each = max(FEWEST_STATES, EQUATIONS * layout.size // n)
    states = list(random_states(layout.model, each * len(recordings)))
    q, v, a = (np.array([getattr(state, name) for state in states]) for name in 'qva')
    parts = []
    for number, name in enumerate(recordings):
        own = slice(number * each, (number + 1) * each)
        parts.append(maker.rows(q[own], v[own], a[own], name))
    rows, random = np.concatenate(parts), np.random.default_rng(0)
    for term in ('load', 'presliding', 'presliding_long'):
        # Of a motion, which depends on what was before: no state tells it.
        for joint, column in enumerate(layout.columns(term)):
            rows[:, joint, column] = random.normal(size=len(rows))
    if 'gain' in layout.terms:
        nominal = layout.nominal()
        drawn = parameter_scales(layout, np.ones(n)) * random.normal(size=layout.size)
        torques = rows @ np.where(layout.is_known, nominal, drawn)
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
    return np.argsort(ranks, kind='stable').tolist()


def _regrouped(joint: Joint) -> set[str]:
    """Parameters of a body that are felt as parts of the bodies before it."""
    if joint.kind == 'prismatic':
        return {name for name in PARAMETERS if name.startswith('I')}
    axis = int(np.abs(joint.axis).argmax())
    across = AXES[(axis + 2) % 3]
    return {'m', f'm{AXES[axis]}', f'I{across}{across}'}


@dataclass(frozen=True)
class BaseParameters:
    """What equations determine: beta = combination @ parameters, with Y pi = Y[:, columns] beta.

    Attributes:
        layout: of the parameters.
        structure: what the best data of this robot would determine.
        columns: (b,) of independent columns, ascending.
        combination: (b, p), the identity in `columns`; a dependent column d is
            Y[:, columns] @ combination[:, d].
        condition: of the independent columns, each scaled to unit length.
        undetermined_columns: those that the structure allows to determine, and these data do not.
        scales: (p,) plausible values of the parameters.
        spread: (b,) what these of the undetermined columns change of each base parameter.
    """

    layout: ParameterLayout
    structure: Structure
    columns: tuple[int, ...]
    combination: Array
    condition: float
    undetermined_columns: tuple[int, ...] = ()
    scales: Array = field(default_factory=lambda: np.zeros(0))
    spread: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def rank(self) -> int:
        """b, the number of base parameters that these data determine."""
        return len(self.columns)

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """Each (b,) as a sum, such as 'forearm Ixx - forearm Iyy + 0.16 hand m'."""
        sentences = []
        for row in self.combination:
            parts = np.abs(row) * self.scales
            chosen = np.flatnonzero(parts > PRINTED * parts.max(initial=0.0))
            text = ' '.join(_part(row[k], self.layout.names[k]) for k in chosen)
            sentences.append(f'-{text[2:]}' if text.startswith('- ') else text[2:])
        return tuple(sentences)

    @cached_property
    def undetermined(self) -> Mapping[str, str]:
        """A sentence for each body that stays at its prior, wholly or in part: why."""
        layout, names, found = self.layout, np.array(PARAMETERS), {}
        unfelt = ~(self.structure.combination.any(axis=0) | layout.is_known)
        missed = np.isin(np.arange(layout.size), self.undetermined_columns)
        for index, body in enumerate(layout.bodies):
            own, chain = layout.body_columns(index), ', '.join(layout.carrying(index))
            reasons = []
            if unfelt[own].any():
                which = ', '.join(names[unfelt[own]])
                reasons.append(f'no drive feels {which}: it is moved by {chain} alone')
            if missed[own].any():
                which = ', '.join(names[missed[own]])
                reasons.append(f'the efforts of {chain} do not show {which} in these data')
            if reasons:
                found[body] = f'{body}: {"; ".join(reasons)}. They stay at their prior.'
        return found

    @property
    def alone(self) -> Flags:
        """Which parameters (p,) the data tell alone, not in a sum with others."""
        found = np.zeros(self.layout.size, bool)
        for column, row in zip(self.structure.columns, self.structure.combination, strict=True):
            found[column] = column in self.columns and np.count_nonzero(row) == 1
        return found

    def values(self, parameters: Array) -> Array:
        """Base parameters (b,) of full parameters (p,)."""
        return self.combination @ parameters


def base_parameters(
    reduced: ReducedEquations, structure: Structure | None = None
) -> BaseParameters:
    """What these equations determine."""
    structure = structure or structure_of(reduced.layout)
    layout, white = reduced.layout, whitened(reduced, structure.columns)
    determined, undetermined, folded = _determined(layout, structure, white)
    # The dependent columns of the structure, by the determined ones.
    combination = folded @ structure.combination
    columns = tuple(structure.columns[k] for k in determined)
    combination[:, list(columns)] = np.eye(len(columns))
    undetermined_columns = tuple(structure.columns[k] for k in undetermined)
    return BaseParameters(
        layout,
        structure,
        columns,
        combination,
        _condition(white.triangle[:, list(columns)]),
        undetermined_columns,
        white.scales,
        np.linalg.norm(
            combination[:, list(undetermined_columns)] * white.scales[list(undetermined_columns)],
            axis=1,
        ),
    )


def _determined(
    layout: ParameterLayout, structure: Structure, white: Whitened
) -> tuple[list[int], list[int], Array]:
    """Which structural columns are determined, which are not, and these by those.

    Returns:
        Positions (b,) and (c,) in `structure.columns`, ascending; (b, b + c) each structural
        column as a combination of the determined ones, in units of the parameters.
    """
    linalg = required('scipy.linalg', 'identification')
    columns = np.array(structure.columns, int)
    # Plausible values of the base parameters: those of all their parts.
    scales = np.abs(structure.combination) @ white.scales
    rows = white.triangle[:, columns] * (scales / white.scales[columns])
    rows[:, _noisy_gains(layout, columns, white)] = 0.0
    factor, order = linalg.qr(rows, mode='r', pivoting=True, check_finite=False)
    pivots = np.abs(np.diag(factor))
    rank = int(np.count_nonzero(pivots >= max(DETERMINED, ROUNDING * pivots.max(initial=0.0))))
    determined, undetermined = np.sort(order[:rank]), np.sort(order[rank:])
    folded = np.zeros((rank, len(columns)))
    place = np.searchsorted(determined, order[:rank])
    folded[place, order[:rank]] = 1.0
    if 0 < rank < len(columns):
        weights = linalg.solve_triangular(factor[:rank, :rank], factor[:rank, rank:])
        weights[np.abs(weights) < ROUNDING] = 0.0
        folded[np.ix_(place, order[rank:])] = weights
    return determined.tolist(), undetermined.tolist(), folded * scales[determined, None] / scales


def _noisy_gains(layout: ParameterLayout, columns: Array, white: Whitened) -> Array:
    """Positions in `columns` of the gains whose columns are hardly more than noise.

    That is: what all other columns leave of the measured effort.
    """
    gains = np.flatnonzero(np.isin(columns, layout.columns('gain')))
    least = DETERMINED_BY_SAMPLE * np.sqrt(white.count / max(1, len(white.noise)))
    noisy = []
    for gain in gains:
        last = np.append(np.delete(columns, gain), columns[gain])
        upper = np.asarray(np.linalg.qr(white.triangle[:, last], mode='r'))
        if abs(upper[-1, -1]) < least:
            noisy.append(int(gain))
    return np.array(noisy, int)


def _condition(columns: Array) -> float:
    """Largest to smallest singular value of columns of unit length; 1 for none."""
    if not columns.shape[1]:
        return 1.0
    values = np.linalg.svd(columns / np.linalg.norm(columns, axis=0), compute_uv=False)
    return float(values[0] / values[-1])


@dataclass(frozen=True)
class Whitened:
    """The triangle of all equations, weighted by their noise.

    Attributes:
        triangle: (p, p); its rows are in standard deviations of the noise, its columns in
            plausible values of the parameters.
        scales: (p,) plausible values of the parameters.
        noise: (r,) of the equations [N m, N or W].
        count: independent equations.
    """

    triangle: Array
    scales: Array
    noise: Array
    count: float


def whitened(reduced: ReducedEquations, columns: Sequence[int] | None = None) -> Whitened:
    """All equations as one triangle.

    Args:
        reduced: equations of some data.
        columns: independent ones, on which all others depend; None: all.
    """
    layout = reduced.layout
    magnitudes = reduced.usual_torques
    largest = float(magnitudes.max(initial=0.0)) or 1.0
    scales = parameter_scales(layout, np.where(magnitudes > 0.0, magnitudes, largest))
    noise = _noise(reduced, range(layout.size) if columns is None else columns)
    noise = np.where(np.isnan(noise), ASSUMED_NOISE * magnitudes, noise)
    noise = np.maximum(noise, LEAST_NOISE * magnitudes)
    rows = []
    for j, factor in enumerate(reduced.triangles):
        if noise[j] > 0.0:
            share = reduced.independence[j]
            rows.append(np.sqrt(share) / noise[j] * factor[:, :-1] * scales)
    stacked = np.concatenate(rows) if rows else np.zeros((1, layout.size))
    return Whitened(triangle(stacked), scales, noise, float(reduced.independent.sum()))


def _noise(reduced: ReducedEquations, columns: Sequence[int]) -> Array:
    """Standard deviation (r,) of what no parameters explain, each equation fitted alone.

    Where the measured effort is a column too, as with unknown gains, it is what the other columns
    leave of it. NaN where the equations are too few.
    """
    layout = reduced.layout
    noise = np.zeros(len(reduced.triangles))
    for j, factor in enumerate(reduced.triangles):
        measured = layout.unknown_gains.get(j)
        explaining = [k for k in columns if k != measured and factor[:, k].any()]
        last = layout.size if measured is None else measured
        first = [] if measured is None else [layout.size]
        left = triangle(factor[:, [*first, *explaining, last]])
        used = np.count_nonzero(np.diag(left)[:-1])
        free = reduced.weights[j] - used
        noise[j] = abs(left[-1, -1]) / np.sqrt(free) if free >= FEWEST_FREE else np.nan
    return noise


def _part(coefficient: float, name: str) -> str:
    """A part of a sum, with its sign."""
    sign, size = '-' if coefficient < 0.0 else '+', f'{abs(coefficient):.4g}'
    return f'{sign} {name}' if size == '1' else f'{sign} {size} {name}'


def silent_joints(reduced: ReducedEquations, *, slow: bool) -> tuple[str, ...]:
    """Joints with hardly any equation.

    Args:
        reduced: the equations.
        slow: whether those that did not move out of the dead band, or those that did, of whose
            efforts none can be used.
    """
    rested = reduced.left_out[:, SLOW]
    every = float((reduced.counts + reduced.left_out.sum(axis=1)).max(initial=0.0))
    chosen = (reduced.counts < FEWEST) & ((rested >= RESTED * every) == slow)
    return tuple(np.array(reduced.layout.joints)[chosen].tolist())
