"""The law of friction of each joint: one that `dynamics_node` evaluates, and its torque.

The regression has a basis: Coulomb friction with several v_0, pre-sliding over several ways. The
node evaluates one of each at once, and a second one (`core.algorithms.friction`), so each joint
gets the part of the basis that is such a law and leaves least. Coefficients are not negative, and
those of terms that a joint does not need are zero. What is written is then what was fitted, and
what was validated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Literal

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.algorithms.friction import AT_REST, CONSTANTS, TERMS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.regression import regressors
from robot_dynamics_ros.regression.fit import FAR, Fit
from robot_dynamics_ros.regression.regressors import VISCOUS, Regressor, coulomb
from robot_dynamics_ros.regression.rows import Rows

Friction = Literal['auto', 'asymmetric'] | float
# Names of the terms of a joint that are chosen: Coulomb friction, which is full at first, others.
Law = tuple[str, ...]
# v_0 that a joint may have [rad/s or m/s].
GRID = (AT_REST, *regressors.SMOOTHINGS)
# Terms that are chosen, and how many of each the node has beside Coulomb friction.
MAX_TERMS = {'coulomb': 1, 'load': 1, 'stribeck': 1, 'presliding': 2}
# Terms of a joint that are no friction; and those that each law has.
OTHERS = 'armature', 'offset', 'gain'


def _directed(term: Regressor, side: float, ending: str) -> Regressor:
    name = f'{term.name}{ending}'
    return replace(term, name=name, column=lambda s: term.column(s) * (side * s.v > 0.0))


# Of each direction; the magnitude of the other one is zero.
DIRECTIONS = tuple(
    _directed(term, side, ending)
    for side, ending in ((1.0, ''), (-1.0, '_negative'))
    for term in (VISCOUS, regressors.COULOMB)
)
ALWAYS = {*OTHERS, *(term.name for term in DIRECTIONS)}


def friction_terms(friction: Friction) -> tuple[Regressor, ...]:
    """The regressors of friction and offset for a setting of `Identifier`."""
    if not isinstance(friction, str):
        return VISCOUS, coulomb(friction, 1), regressors.OFFSET
    more = (
        *(coulomb(v_0, 1) for v_0 in GRID[1:]),
        *(regressors.load(v_0, 1) for v_0 in GRID),
        regressors.STRIBECK,
        *(regressors.presliding(way, 1) for way in regressors.DISPLACEMENTS),
    )
    if friction == 'asymmetric':
        return *DIRECTIONS, *more
    return VISCOUS, coulomb(AT_REST, 1), *more, regressors.OFFSET


def friction_columns(rows: Rows, kind: str) -> Array:
    """The column (N, n) of 'viscous', or of the Coulomb friction that is full at first."""
    name = next((name for name in rows.own_names if name.startswith(kind)), '')
    own = [other in {name, f'{name}_negative'} for other in rows.own_names]
    return np.asarray(rows.own[..., own].sum(axis=2))


def chosen_laws(rows: Rows, fitted: Fit, friction: Friction) -> tuple[Law, ...]:
    """The law of each joint for a setting, beside bodies of a fit of rows with the whole basis.

    That of the least Bayesian information criterion, to which single terms are added (G. Schwarz,
    "Estimating the dimension of a model", 1978).
    """
    terms, names, size = rows.own_terms, rows.own_names, rows.shared.shape[2]
    if not isinstance(friction, str):
        return ((f'coulomb {friction:g}',),) * rows.used.shape[1]
    loads = {f'coulomb {v_0:g}': f'load {v_0:g}' for v_0 in GRID}
    if friction == 'asymmetric':
        loads = {'coulomb': f'load {AT_REST:g}'}
    more = ['load', *(one.name for one in terms if one.name not in ALWAYS and not one.loaded)]
    left, far = np.abs(rows.torque - fitted.predicted(rows)), FAR * fitted.noise
    weights = rows.used * np.sqrt(far / np.maximum(left, far))
    # Behind the columns that every law has with any sign, the others stand for themselves.
    free = [i for i, term in enumerate(terms) if not term.sign and term.name != 'gain']
    signed = [i for i, term in enumerate(terms) if term.sign]
    laws = []
    for joint, own in enumerate(weights.T):
        columns = rows.columns(fitted.theta, joint)
        torque = rows.torque[:, joint] - columns[:, :size] @ fitted.theta[:size]
        both = np.column_stack([columns[:, size:][:, free + signed], torque])
        triangle = np.asarray(np.linalg.qr(own[:, None] * both, mode='r'))
        error = _errors(triangle[len(free) :, len(free) :], [names[i] for i in signed])
        law: Law = min([(one,) for one in loads], key=error)
        count = max(2, int(np.count_nonzero(own)))
        while others := [*_larger(law, more, loads)]:
            larger = min(others, key=error)
            if not error(larger) * count ** (1.0 / count) < error(law):
                break
            law = larger
        laws.append(law)
    return tuple(laws)


def _larger(law: Law, names: Sequence[str], loads: Mapping[str, str]) -> Iterator[Law]:
    """Laws with one more of these terms, with any v_0, which is that of the load too."""
    for (first, loaded), name in product(loads.items(), names):
        others = [loaded if one.startswith('load') else one for one in (*law[1:], name)]
        counts = Counter(one.split()[0] for one in others)
        is_new = len({first, *others}) == 1 + len(others)
        if is_new and all(counts[kind] <= MAX_TERMS[kind] for kind in counts):
            yield first, *others


def _errors(triangle: Array, names: Sequence[str]) -> Callable[[Law], float]:
    """The square of what laws leave: the last column without others (k,), none negative."""
    nnls = required('scipy.optimize', 'identification').nnls
    columns, target = triangle[:, :-1], triangle[:, -1]
    columns = columns / np.maximum(np.linalg.norm(columns, axis=0), np.finfo(float).tiny)

    @cache
    def error(law: Law) -> float:
        own = [i for i, name in enumerate(names) if name in {*law, *ALWAYS}]
        return float(nnls(columns[:, own], target)[1]) ** 2

    return error


def node_friction(model: RobotModel, fitted: Fit, laws: Sequence[Law]) -> dict[str, Array]:
    """Coefficients and constants (n,) by the names of `KINDS`, of a fit with these laws alone."""
    kinds = {name: np.zeros(model.size) for name in TERMS}
    kinds |= {name: np.full(model.size, value) for name, value in CONSTANTS.items()}
    for joint, law in enumerate(laws):
        values = {'smoothing': float(law[0].partition(' ')[2] or AT_REST)}
        keys, unit = iter(('', '_long')), regressors.SLIDING if model.sliding[joint] else 1.0
        for name in fitted.rows.own_names:
            (kind, _, constant), value = name.partition(' '), float(fitted.value(name)[joint])
            if name not in {*law, *ALWAYS}:
                continue
            if kind == 'presliding':
                key = next(keys)
                values |= {f'{kind}{key}': value, f'displacement{key}': unit * float(constant)}
            elif kind == 'coulomb' and constant and name != law[0]:
                values |= {'gradual': value, 'gradual_smoothing': float(constant)}
            elif kind in TERMS:
                values[kind] = value
        for kind in ('viscous', 'coulomb'):
            values.setdefault(f'{kind}_negative', values[kind])
        for kind, value in values.items():
            kinds[kind][joint] = value
    return kinds
