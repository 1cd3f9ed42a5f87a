"""The law of friction of each joint: one that `dynamics_node` evaluates, and its torque.

The regression has a basis: Coulomb friction with several v_0, pre-sliding over several ways. The
node evaluates one of each at once, and a second one (`core.algorithms.friction`), so each joint
gets the part of the basis that is such a law and leaves least. Coefficients are not negative, and
those of terms that a joint does not need are zero. What is written is then what was fitted, and
what was judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.algorithms.friction import AT_REST, CONSTANTS, TERMS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.regression.fit import FAR, Fit
from robot_dynamics_ros.regression.regressors import (
    DIRECTIONS,
    DISPLACEMENTS,
    OFFSET,
    PRESLIDING,
    SLIDING,
    SMOOTHINGS,
    STRIBECK,
    VISCOUS,
    Regressor,
    States,
    coulomb,
    load,
)
from robot_dynamics_ros.regression.rows import Rows

Friction = Literal['auto', 'asymmetric'] | float
Flags = npt.NDArray[np.bool_]
# v_0 that a joint may have [rad/s or m/s].
GRID = (AT_REST, *SMOOTHINGS)
# Terms of a joint that are no friction.
OTHERS = 'armature', 'offset', 'gain'
# Terms of pre-sliding in the node.
WAYS = 2


def friction_terms(friction: Friction) -> tuple[Regressor, ...]:
    """The regressors of friction and offset for a setting of `Identifier`."""
    if not isinstance(friction, str):
        return VISCOUS, coulomb(friction, 1), OFFSET
    presliding = [replace(term, sign=1) for term in PRESLIDING]
    more = (*(load(v_0, 1) for v_0 in GRID), STRIBECK, *presliding)
    gradual = tuple(coulomb(v_0, 1) for v_0 in SMOOTHINGS)
    if friction == 'asymmetric':
        return *DIRECTIONS, *gradual, *more
    return VISCOUS, coulomb(AT_REST, 1), *gradual, *more, OFFSET


@dataclass(frozen=True)
class JointLaw:
    """Names of the terms of a joint.

    Attributes:
        smoothing: v_0 of Coulomb friction, and of friction that grows with the load.
        always: terms that are not chosen.
        chosen: others.
    """

    smoothing: float
    always: tuple[str, ...]
    chosen: tuple[str, ...] = ()

    @property
    def terms(self) -> tuple[str, ...]:
        """All of them, as regressors are named."""
        own = f'coulomb {self.smoothing:g}'
        names = [f'load {self.smoothing:g}' if one == 'load' else one for one in self.chosen]
        both = 'coulomb' in self.always
        return (*self.always, *names) if both else (*self.always, own, *names)

    def larger(self, names: Sequence[str]) -> Iterator[JointLaw]:
        """Those with one term more, with any v_0.

        Args:
            names: of the regressors.
        """
        asymmetric = 'coulomb' in self.always
        for v_0 in (self.smoothing,) if asymmetric else GRID:
            if f'coulomb {v_0:g}' in self.chosen:
                continue
            for name in ('load', *names):
                kind = name.split()[0]
                same = sum(one.split()[0] == kind for one in self.chosen)
                most = {'presliding': WAYS, 'load': int(name == 'load'), 'viscous': 0}
                fits = kind in {'coulomb', 'load', 'presliding', 'stribeck'}
                again = name in (*self.chosen, *self.always, f'coulomb {v_0:g}')
                if fits and not again and same < most.get(kind, 1):
                    yield JointLaw(v_0, self.always, (*self.chosen, name))


def chosen_laws(rows: Rows, fitted: Fit, friction: Friction) -> list[JointLaw]:
    """The law of each joint, beside bodies that a fit with the whole basis has.

    Args:
        rows: that were fitted.
        fitted: this fit.
        friction: setting of `Identifier`.
    """
    own = [term for term, _ in rows.terms if not term.shared]
    names = [term.name for term in own]
    always = tuple(one for one in (*names[: names.index('viscous') + 1], 'offset') if one in names)
    if friction == 'asymmetric':
        always = (*always, *(term.name for term in DIRECTIONS if term.name not in always))
    always = (*always, *(['gain'] if 'gain' in names else []))
    if not isinstance(friction, str):
        return [JointLaw(float(friction), always)] * rows.torque.shape[1]
    s = rows.shared.shape[2]
    rigid = rows.shared @ fitted.theta[:s]
    left = rows.torque - fitted.predicted(rows)
    loads = np.abs(rows.rigid + rigid)[..., None]
    columns = rows.own * np.where([term.loaded for term in own], loads, 1.0)
    signs = np.array([term.sign > 0 for term in own])
    laws = []
    for joint in range(rows.torque.shape[1]):
        huber = FAR * fitted.noise[joint] / np.maximum(np.abs(left[:, joint]), 1e-300)
        weights = rows.used[:, joint] * np.minimum(1.0, huber)
        torque = rows.torque[:, joint] - rigid[:, joint]
        search = _Search(columns[:, joint], torque, weights, signs, names)
        if not weights.any():
            laws.append(JointLaw(AT_REST, always))
            continue
        begin = [JointLaw(v_0, always) for v_0 in (GRID if 'coulomb' not in always else GRID[:1])]
        laws.append(search.best(begin))
    return laws


class _Search:
    """Squared errors of laws of one joint."""

    def __init__(
        self, columns: Array, torque: Array, weights: Array, signs: Flags, names: Sequence[str]
    ) -> None:
        """Sums of products of columns and torque."""
        self._names, self._signs = list(names), signs
        self._count = max(2, int(np.count_nonzero(weights)))
        both = np.column_stack([columns, torque])
        self._products = (both.T * weights) @ both

    def best(self, begin: Sequence[JointLaw]) -> JointLaw:
        """That of the least Bayesian information criterion, to which single terms are added.

        G. Schwarz, "Estimating the dimension of a model", 1978.
        """
        law, worth = min(begin, key=self.error), self._count ** (1.0 / self._count)
        while others := [*law.larger(self._names)]:
            larger = min(others, key=self.error)
            if not self.error(larger) * worth < self.error(law):
                break
            law = larger
        return law

    def error(self, law: JointLaw) -> float:
        """What the law leaves."""
        own = [self._names.index(name) for name in law.terms]
        place = [*own, len(self._products) - 1]
        products = self._products[np.ix_(place, place)]
        found = _nonnegative(products[:-1, :-1], products[:-1, -1], self._signs[own])
        x = np.append(found, -1.0)
        return float(x @ products @ x)


def _nonnegative(gram: Array, right: Array, signs: Flags) -> Array:
    """Minimum of x^T G x - 2 g^T x with x >= 0 where a sign is asked for."""
    units = 1.0 / np.sqrt(np.maximum(np.diag(gram), np.finfo(float).tiny))
    root = np.linalg.cholesky(gram * np.outer(units, units) + 1e-9 * np.eye(len(gram)))
    target = np.linalg.solve(root, right * units)
    free = np.linalg.solve(root.T, target)
    if (free[signs] >= 0.0).all():
        return np.asarray(free * units)
    optimize = required('scipy.optimize', 'identification')
    # What may be negative is the difference of two that may not.
    both = np.concatenate([root.T, -root.T[:, ~signs]], axis=1)
    found = optimize.nnls(both, target)[0]
    x = found[: len(gram)]
    x[~signs] -= found[len(gram) :]
    return np.asarray(x * units)


def terms_of_laws(rows: Rows, laws: Sequence[JointLaw]) -> Flags:
    """Which terms (r, k) the joints have."""
    names = [term.name for term, _ in rows.terms if not term.shared]
    return np.array([[name in law.terms for name in names] for law in laws])


def node_friction(model: RobotModel, fitted: Fit, laws: Sequence[JointLaw]) -> dict[str, Array]:
    """Coefficients and constants (n,) by the names of `KINDS`, of the laws of the joints.

    Args:
        model: of the joints.
        fitted: with the terms of these laws alone.
        laws: of each joint.
    """
    kinds = {name: np.zeros(model.size) for name in TERMS}
    kinds |= {name: np.full(model.size, value) for name, value in CONSTANTS.items()}
    names = [term.name for term, _ in fitted.rows.terms if not term.shared]
    for joint, law in enumerate(laws):
        found = {name: float(fitted.value(name)[joint]) for name in law.terms if name in names}
        own = f'coulomb {law.smoothing:g}'
        kinds['smoothing'][joint] = law.smoothing
        for term in ('viscous', 'coulomb'):
            value = found.get(term, found.get(own, 0.0))
            kinds[term][joint] = value
            kinds[f'{term}_negative'][joint] = found.get(f'{term}_negative', value)
        kinds['stribeck'][joint] = found.get('stribeck', 0.0)
        kinds['load'][joint] = found.get(f'load {law.smoothing:g}', 0.0)
        for name, value in found.items():
            kind, _, constant = name.partition(' ')
            if kind == 'coulomb' and constant and name != own:
                kinds['gradual'][joint] = value
                kinds['gradual_smoothing'][joint] = float(constant)
        unit = SLIDING if model.sliding[joint] else 1.0
        ways = sorted(d for d in DISPLACEMENTS if f'presliding {d:g}' in law.terms)
        for key, way in zip(('', '_long'), ways, strict=False):
            kinds[f'presliding{key}'][joint] = found[f'presliding {way:g}']
            kinds[f'displacement{key}'][joint] = unit * way
    return kinds


def curve_slopes(
    dynamics: RobotDynamics, terms: Sequence[Regressor], v: Array, torque: float
) -> Array:
    """Derivatives (m, k) of the friction of a joint by the coefficients of its terms.

    Friction after a long way with one velocity.

    Args:
        dynamics: of the robot, on which friction does not depend.
        terms: of the joint, k of them.
        v: (m,) velocities [rad/s or m/s].
        torque: magnitude that the joint transmits [N m or N].
    """
    v = v[:, None]
    nothing, slips = np.zeros_like(v), np.sign(v)[:, None] * np.ones((1, len(DISPLACEMENTS), 1))
    states = States(
        dynamics, nothing, v, nothing, slips, np.array(CONSTANTS['smoothing']), nothing
    )
    columns = [
        term.column(states)[:, 0] * (torque if term.loaded else 1.0) * (term.name not in OTHERS)
        for term in terms
    ]
    return np.stack(columns, axis=1)
