"""The law of friction of each joint: one that `dynamics_node` evaluates, and its torque.

The regression has a basis: Coulomb friction with several v_0, pre-sliding over several ways. The
node evaluates one of each at once, and a second one (`core.algorithms.friction`), so each joint
gets the part of the basis that is such a law and leaves least. Coefficients are not negative, and
those of terms that a joint does not need are zero. What is written is then what was fitted, and
what was validated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from robot_dynamics_ros.regression.regressors import DIRECTIONS, DISPLACEMENTS, SMOOTHINGS
from robot_dynamics_ros.regression.rows import Rows

Friction = Literal['auto', 'asymmetric'] | float
# v_0 that a joint may have [rad/s or m/s].
GRID = (AT_REST, *SMOOTHINGS)
# Terms that are chosen, and how many of each the node has beside Coulomb friction.
MOST = {'coulomb': 1, 'load': 1, 'stribeck': 1, 'presliding': 2}
# Terms of a joint that are no friction.
OTHERS = 'armature', 'offset', 'gain'


def friction_terms(friction: Friction) -> tuple[regressors.Regressor, ...]:
    """The regressors of friction and offset for a setting of `Identifier`."""
    offset, viscous, coulomb = regressors.OFFSET, regressors.VISCOUS, regressors.coulomb
    if not isinstance(friction, str):
        return viscous, coulomb(friction, 1), offset
    presliding = [replace(term, sign=1) for term in regressors.PRESLIDING]
    loads = [regressors.load(v_0, 1) for v_0 in GRID]
    more = [*(coulomb(v_0, 1) for v_0 in SMOOTHINGS), *loads, regressors.STRIBECK, *presliding]
    if friction == 'asymmetric':
        return *DIRECTIONS, *more
    return viscous, coulomb(AT_REST, 1), *more, offset


def own_names(rows: Rows) -> list[str]:
    """The terms of which each joint has a coefficient of its own."""
    return [term.name for term, _ in rows.terms if not term.shared]


def friction_columns(rows: Rows, kind: str) -> Array:
    """The column (N, n) of 'viscous', or of the Coulomb friction that is full at first."""
    names = own_names(rows)
    name = next((name for name in names if name.startswith(kind)), '')
    own = [i for i, other in enumerate(names) if other in {name, f'{name}_negative'}]
    return np.asarray(rows.own[..., own].sum(axis=2))


@dataclass(frozen=True)
class JointLaw:
    """Names of the terms of a joint; `smoothing` is v_0 of Coulomb friction and of the load."""

    smoothing: float
    always: tuple[str, ...]
    chosen: tuple[str, ...] = ()

    @property
    def coulomb(self) -> str:
        """The name of Coulomb friction of both directions."""
        return f'coulomb {self.smoothing:g}'

    @property
    def terms(self) -> tuple[str, ...]:
        """All of them, as regressors are named."""
        names = [f'load {self.smoothing:g}' if one == 'load' else one for one in self.chosen]
        both = () if 'coulomb' in self.always else (self.coulomb,)
        return (*self.always, *both, *names)

    def larger(self, names: Sequence[str]) -> Iterator[JointLaw]:
        """Those with one more of these terms, with any v_0."""
        kinds = [one.split()[0] for one in self.chosen]
        grid = (self.smoothing,) if 'coulomb' in self.always else GRID
        for v_0, name in product(grid, names):
            law, kind = JointLaw(v_0, self.always, (*self.chosen, name)), name.split()[0]
            again = name in self.chosen or law.coulomb in law.chosen
            if not again and kinds.count(kind) < MOST[kind]:
                yield law


def chosen_laws(rows: Rows, fitted: Fit, friction: Friction) -> tuple[JointLaw, ...]:
    """The law of each joint for a setting, beside bodies of a fit of rows with the whole basis.

    That of the least Bayesian information criterion, to which single terms are added (G. Schwarz,
    "Estimating the dimension of a model", 1978).
    """
    own, names = [term for term, _ in rows.terms if not term.shared], own_names(rows)
    directed = {term.name for term in DIRECTIONS} if friction == 'asymmetric' else set()
    always = tuple(one for one in names if one in {*OTHERS, 'viscous', *directed})
    joints = range(rows.torque.shape[1])
    if not isinstance(friction, str):
        return tuple(JointLaw(float(friction), always) for _ in joints)
    more = ['load', *(one.name for one in own if one.name not in always and not one.loaded)]
    begin = [JointLaw(v_0, always) for v_0 in (GRID[:1] if directed else GRID)]
    rigid = rows.shared @ fitted.theta[: rows.shared.shape[2]]
    left, far = np.abs(rows.torque - fitted.predicted(rows)), FAR * fitted.noise
    weights = rows.used * np.sqrt(far / np.maximum(left, far))
    loads = np.abs(rows.rigid + rigid)[..., None]
    columns = rows.own * np.where([term.loaded for term in own], loads, 1.0)
    # Behind the columns that every law has with any sign, the others stand for themselves.
    free = [i for i, term in enumerate(own) if not term.sign and term.name != 'gain']
    signed = [i for i, term in enumerate(own) if term.sign]
    laws = []
    for joint in joints:
        chosen, torque = columns[:, joint, free + signed], (rows.torque - rigid)[:, joint, None]
        both = weights[:, joint, None] * np.concatenate([chosen, torque], axis=1)
        triangle = np.asarray(np.linalg.qr(both, mode='r'))[len(free) :, len(free) :]
        error = _errors(triangle, [names[i] for i in signed])
        count, law = max(2, int(np.count_nonzero(weights[:, joint]))), min(begin, key=error)
        while others := [*law.larger(more)]:
            larger = min(others, key=error)
            if not error(larger) * count ** (1.0 / count) < error(law):
                break
            law = larger
        laws.append(law)
    return tuple(laws)


def _errors(triangle: Array, names: Sequence[str]) -> Callable[[JointLaw], float]:
    """The square of what laws leave: the last column without others (k,), none negative."""
    nnls = required('scipy.optimize', 'identification').nnls
    columns, target = triangle[:, :-1], triangle[:, -1]
    columns = columns / np.maximum(np.linalg.norm(columns, axis=0), np.finfo(float).tiny)

    @cache
    def error(law: JointLaw) -> float:
        own = [names.index(name) for name in law.terms if name in names]
        return float(nnls(columns[:, own], target)[1]) ** 2

    return error


def node_friction(model: RobotModel, fitted: Fit, laws: Sequence[JointLaw]) -> dict[str, Array]:
    """Coefficients and constants (n,) by the names of `KINDS`, of a fit with these laws alone."""
    kinds = {name: np.zeros(model.size) for name in TERMS}
    kinds |= {name: np.full(model.size, value) for name, value in CONSTANTS.items()}
    for joint, law in enumerate(laws):
        found = {name: float(fitted.value(name)[joint]) for name in law.terms}
        unit = regressors.SLIDING if model.sliding[joint] else 1.0
        for kind, value in _node_values(law, found, unit).items():
            kinds[kind][joint] = value
    return kinds


def _node_values(law: JointLaw, found: Mapping[str, float], unit: float) -> dict[str, float]:
    """Of one joint, from coefficients by the names of regressors, with the unit of its way."""
    values = {'smoothing': law.smoothing}
    for name, value in found.items():
        kind, _, constant = name.partition(' ')
        if kind == 'coulomb' and constant and name != law.coulomb:
            values |= {'gradual': value, 'gradual_smoothing': float(constant)}
        elif kind in TERMS and kind != 'presliding':
            values[kind] = value
    for kind in ('viscous', 'coulomb'):
        values.setdefault(f'{kind}_negative', values[kind])
    ways = [way for way in DISPLACEMENTS if f'presliding {way:g}' in found]
    for key, way in zip(('', '_long'), ways, strict=False):
        values[f'presliding{key}'] = found[f'presliding {way:g}']
        values[f'displacement{key}'] = unit * way
    return values
