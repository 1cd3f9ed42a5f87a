"""The law of friction of each joint: one that `dynamics_node` evaluates, and its torque.

The regression has a basis: Coulomb friction with several v_0, pre-sliding over several ways. The
node evaluates one of each at once, and a second one (`core.algorithms.friction`), so each joint
gets the part of the basis that is such a law and leaves least. Coefficients are not negative, and
those of terms that a joint does not need are zero. What is written is then what was fitted, and
what was validated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
from robot_dynamics_ros.regression.rows import Flags, Rows

Friction = Literal['auto', 'asymmetric'] | float
# v_0 that a joint may have [rad/s or m/s].
GRID = (AT_REST, *SMOOTHINGS)
# Terms that are chosen, and how many of each the node has beside Coulomb friction.
MOST = {'coulomb': 1, 'load': 1, 'stribeck': 1, 'presliding': 2}
# Terms of a joint that are no friction.
OTHERS = 'armature', 'offset', 'gain'
# Of a diagonal: what keeps it definite.
ROUNDING = 1e-9


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
    free = [term.name for term in own if term.name not in always and not term.loaded]
    rigid = rows.shared @ fitted.theta[: rows.shared.shape[2]]
    left = np.abs(rows.torque - fitted.predicted(rows))
    far = FAR * fitted.noise
    weights = rows.used * (far / np.maximum(left, far))
    loads = np.abs(rows.rigid + rigid)[..., None]
    columns = rows.own * np.where([term.loaded for term in own], loads, 1.0)
    signs, torque = np.array([term.sign > 0 for term in own]), rows.torque - rigid
    begin = [JointLaw(v_0, always) for v_0 in (GRID[:1] if directed else GRID)]
    laws = []
    for joint in joints:
        both = np.column_stack([columns[:, joint], torque[:, joint]])
        products = (both.T * weights[:, joint]) @ both
        error = partial(_error, products=products, names=names, signs=signs)
        count = max(2, int(np.count_nonzero(weights[:, joint])))
        law = min(begin, key=error)
        while others := [*law.larger(['load', *free])]:
            larger = min(others, key=error)
            if not error(larger) * count ** (1.0 / count) < error(law):
                break
            law = larger
        laws.append(law)
    return tuple(laws)


def _error(law: JointLaw, products: Array, names: list[str], signs: Flags) -> float:
    """The square of what a law leaves, of products of columns and torque, the last one."""
    own = [names.index(name) for name in law.terms]
    place = [*own, -1]
    chosen = products[np.ix_(place, place)]
    x = np.append(_nonnegative(chosen[:-1, :-1], chosen[:-1, -1], signs[own]), -1.0)
    return float(x @ chosen @ x)


def _nonnegative(gram: Array, right: Array, signs: Flags) -> Array:
    """Minimum of x^T G x - 2 g^T x with x >= 0 where a sign is asked for."""
    units = 1.0 / np.sqrt(np.maximum(np.diag(gram), np.finfo(float).tiny))
    root = np.linalg.cholesky(gram * np.outer(units, units) + ROUNDING * np.eye(len(gram)))
    target = np.linalg.solve(root, right * units)
    free = np.linalg.solve(root.T, target)
    if (free[signs] >= 0.0).all():
        return free * units
    # What may be negative is the difference of two that may not.
    both = np.concatenate([root.T, -root.T[:, ~signs]], axis=1)
    found = required('scipy.optimize', 'identification').nnls(both, target)[0]
    found[: len(gram)][~signs] -= found[len(gram) :]
    return found[: len(gram)] * units


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
