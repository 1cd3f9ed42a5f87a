"""Which terms of friction a joint has, and with which constants.

What is left between a model and an arm is friction, but a term that an arm does not have fits
noise and predicts other motion worse. So a term is taken where it predicts other motion
certainly better (forward selection by cross-validation; Stone, "Cross-validatory choice and
assessment of statistical predictions", 1974). The law is not linear in its constants: those with
the best prediction are taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.core.algorithms.friction import CONSTANTS
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required

from .base_parameters import Structure
from .consistent import FOLDS, folds
from .equations import MADE_AS, VARIED, Equations, Period
from .estimate import Estimate
from .parameters import TERMS, Flags, JointTerm, parameter_scales

# The constants of the terms that depend on one.
OF = {**VARIED, 'load': 'smoothing'}
COULOMB = ('coulomb', 'coulomb_negative')

# Of the square of an error: what a term must take from it at least.
LEAST_GAIN = 0.02
# Of a square: what keeps a solution from the directions that nothing tells.
LEAST = 1e-9
# Student's quantile of a 95 % interval from `FOLDS` values.
STUDENT = 3.182


# By joint and term: the RMS on other motion relative to that without it, and its 95 % interval.
FrictionGains = Mapping[str, Mapping[str, tuple[float, float, float]]]


@dataclass(frozen=True)
class FrictionChoice:
    """Terms and constants of the friction of each joint.

    Attributes:
        terms: of the layout: those that any joint has.
        constants: (n,) each; those that are not the usual ones.
        missing: names of the parameters that a joint does not have.
        gains: for each joint, in the order in which they were chosen, its terms with the RMS
            on other motion relative to that without the term, and its 95 % interval.
    """

    terms: tuple[JointTerm, ...]
    constants: Mapping[str, tuple[float, ...]]
    missing: tuple[str, ...]
    gains: FrictionGains


def chosen_friction(
    equations: Equations, left_out: Sequence[Period], structure: Structure, found: Estimate
) -> FrictionChoice:
    """The terms that pay, by cross-validation over periods of the motion.

    Each joint is a small problem of its own: bodies near those of the estimate, as near as its
    prior wants them, and terms that are not negative. The folds are those of the weight of the
    prior. A term is added where it predicts other motion better by more than one standard error
    and by `LEAST_GAIN`, the best one first.

    Args:
        equations: made with `tried`, with the load of the estimate.
        left_out: periods that do not count.
        structure: of the robot.
        found: the physically consistent estimate.
    """
    layout, names = equations.layout, equations.layout.joints
    size = layout.felt.shape[1]
    torques = equations.residuals(np.append(found.parameters[:size], np.zeros(layout.size - size)))
    used = np.where(replace(equations, slow_count=True).used, equations.outside(left_out), 0.0)
    own_folds = folds(equations)
    # The prior of a body in equations: the noise over its plausible size.
    scales = parameter_scales(layout, np.sqrt(np.mean(equations.efforts**2, axis=0)))
    prior = np.sqrt(found.prior_weight / equations.independence.mean()) / scales
    free = [column for column in structure.columns if column < size]
    searches = [
        _Search(
            equations, joint, torques[:, joint], used[:, joint], own_folds, free,
            found.noise[joint] * prior,
        ).run()
        for joint in range(len(names))
    ]  # fmt: skip
    terms = [term for term in TERMS if any(term in one.terms for one in searches)]
    constants = {
        name: tuple(one.constants[name] for one in searches)
        for name in ('smoothing', 'displacement', 'displacement_long')
    }
    return FrictionChoice(
        tuple(term for term in TERMS if term in (*terms, *layout.terms)),
        {
            name: values
            for name, values in constants.items()
            if values != tuple(layout.constant(name).tolist())
        },
        tuple(
            f'{joint} {term}'
            for term in terms
            for joint, one in zip(names, searches, strict=True)
            if term not in one.terms and term not in layout.terms
        ),
        {joint: one.gains for joint, one in zip(names, searches, strict=True) if one.gains},
    )


class _Search:
    """The terms of one joint that pay.

    Attributes:
        terms: that were chosen, beside those of the layout.
        constants: that were chosen.
        gains: of each term.
    """

    def __init__(
        self,
        equations: Equations,
        joint: int,
        torques: Array,
        weights: Array,
        parts: Sequence[tuple[Flags, Flags]],
        free: Sequence[int],
        prior: Array,
    ) -> None:
        """Reduce the equations of a joint.

        Args:
            equations: of all joints.
            joint: its number.
            torques: (N,) without those of the bodies of the estimate.
            weights: (N,) of the equations.
            parts: see `folds`.
            free: columns of bodies.
            prior: (p,) weight of a change of each parameter [N m or N per its unit].
        """
        layout, made = equations.layout, equations.columns
        self._base = [term for term in layout.terms if term not in (*COULOMB, 'offset', 'gain')]
        self._coulomb = [term for term in layout.terms if term in COULOMB]
        self.terms: list[str] = []
        self.gains: dict[str, tuple[float, float, float]] = {}
        self._values = {name: one[:, joint] for name, one in equations.variants.items()}
        self.constants = {name: float(layout.constant(name)[joint]) for name in CONSTANTS}
        columns: dict[tuple[str, float], Array] = {}
        for term in (*self._base, 'gradual', 'stribeck', *self._coulomb, 'presliding'):
            if f'{layout.joints[joint]} {term}' in layout.known:
                continue
            values = self._values[VARIED[term]] if term in VARIED else [0.0]
            for index, value in enumerate(values):
                columns[term, float(value)] = made[term][:, index, joint]
        for value in self._values['smoothing']:
            sign = sum(columns[term, float(value)] for term in self._coulomb)
            columns['load', float(value)] = equations.load[:, joint] * sign
        self._places = {key: index for index, key in enumerate(columns)}
        numbers, bodies = equations.bodies_of(joint)
        chosen = [one for one, number in enumerate(numbers) if number in free]
        of_any_sign = [bodies[:, chosen]]
        if 'offset' in layout.terms:
            of_any_sign.append(np.ones((len(torques), 1)))
        rows = np.column_stack([*of_any_sign, *columns.values(), torques])
        rows = rows * np.sqrt(weights)[:, None]
        squares = np.zeros(rows.shape[1])
        squares[: len(chosen)] = prior[numbers[chosen]] ** 2
        size = rows.shape[1] - len(columns) - 1
        # Whether there is something to fit and to predict on each fold.
        self._known = all(weights[own].any() and weights[others].any() for own, others in parts)
        # Products of columns and torque on each fold, and on the others, where what may have any
        # sign has its best value there.
        self._held, self._rest = [], []
        for own, others in parts:
            rest = rows[others].T @ rows[others] + np.diag(squares)
            least = np.diag(np.maximum(LEAST * np.diag(rest[:size, :size]), np.finfo(float).tiny))
            best = np.linalg.solve(rest[:size, :size] + least, -rest[:size, size:])
            whole = np.vstack([best, np.eye(len(columns) + 1)])
            self._rest.append(whole.T @ rest @ whole)
            self._held.append(whole.T @ (rows[own].T @ rows[own]) @ whole)

    def run(self) -> _Search:
        """Choose the smoothing, then one term after the other."""
        if not (self._coulomb and self._known):
            return self
        errors = self._errors([], self.constants)
        for smoothing in self._values['smoothing'][1:].tolist():
            changes = {**self.constants, 'smoothing': smoothing}
            tried = self._errors([], changes)
            if _pays(errors, tried):
                errors, self.constants = tried, changes
        while True:
            found = [
                (self._errors([*self.terms, term], changes), term, changes)
                for term, changes in self._candidates()
            ]
            found = [one for one in found if _pays(errors, one[0])]
            if not found:
                return self
            best, term, self.constants = min(found, key=lambda one: float(one[0].sum()))
            self.gains[term] = _gain(errors, best)
            self.terms.append(term)
            errors = best

    def _candidates(self) -> Iterator[tuple[str, dict[str, float]]]:
        for term in ('load', 'stribeck', 'gradual'):
            if term not in self.terms:
                yield term, self.constants
        ways = [float(value) for value in np.unique(self._values['displacement'])]
        if 'presliding' not in self.terms:
            for way in ways:
                yield 'presliding', {**self.constants, 'displacement': way}
        elif 'presliding_long' not in self.terms:
            for way in ways:
                if way != self.constants['displacement']:
                    yield 'presliding_long', {**self.constants, 'displacement_long': way}

    def _errors(self, terms: Sequence[str], constants: Mapping[str, float]) -> Array:
        """Sums of squares (`FOLDS`,) on each fold, fitted to the others."""
        keys = [
            (MADE_AS.get(term, term), constants[OF[term]] if term in OF else 0.0)
            for term in (*self._base, *self._coulomb, *terms)
        ]
        chosen = [self._places[key] for key in keys if key in self._places]
        result = np.zeros(FOLDS)
        for fold, (held, rest) in enumerate(zip(self._held, self._rest, strict=True)):
            found = np.append(_not_negative(rest[np.ix_([*chosen, -1], [*chosen, -1])]), -1.0)
            own = held[np.ix_([*chosen, -1], [*chosen, -1])]
            # Rounding may leave a square below zero.
            result[fold] = max(float(found @ own @ found), np.finfo(float).tiny)
        return result


def _not_negative(products: Array) -> Array:
    """Coefficients of the least square, from products of [columns | torque]."""
    optimize = required('scipy.optimize', 'identification')
    scales = np.maximum(np.sqrt(np.diag(products)), np.finfo(float).tiny)
    values, vectors = np.linalg.eigh(products / np.outer(scales, scales))
    rows = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    found, _ = optimize.nnls(rows[:, :-1], rows[:, -1])
    return found * scales[-1] / scales[:-1]


def _pays(before: Array, after: Array) -> bool:
    """Whether errors of folds have certainly fallen."""
    better = before - after
    least = max(LEAST_GAIN * float(before.sum()), np.sqrt(FOLDS) * float(better.std(ddof=1)))
    return bool(better.sum() > least)


def _gain(before: Array, after: Array) -> tuple[float, float, float]:
    """RMS after over that before, and its interval over the folds [-]."""
    logs = 0.5 * np.log(after / before)
    value = 0.5 * math.log(after.sum() / before.sum())
    half = STUDENT * float(logs.std(ddof=1)) / math.sqrt(FOLDS)
    return math.exp(value), math.exp(value - half), math.exp(value + half)
