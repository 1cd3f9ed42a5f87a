"""Whether friction near reversals is that of the law, and from which speed on it is full.

The law is viscous friction and Coulomb's with a smooth sign, s(v) = v / sqrt(v^2 + v_0^2).
Friction of drives may reach its full size only at some speed, and stiction exceeds it: then what
is left at slow speeds is larger than at fast ones, and the parameters depend on the speeds that
are fitted. With noise alone both have the same variance (Goldfeld, Quandt, "Some tests for
homoscedasticity", 1965). v_0 is not linear in the equations: each joint gets the value with the
largest likelihood (profile likelihood; Murphy, van der Vaart, "On profile likelihood", 2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.friction import SMOOTHING

from .base_parameters import BaseParameters, Structure, whitened
from .equations import Equations, Period, ReducedEquations
from .estimate import Estimate, estimate
from .motion_equations import SMOOTHINGS, dead_bands

# Dead bands below which a joint is slow: 0.2 rad/s, 0.05 m/s.
BANDS = 10.0
# RMS of slow equations, relative to that of fast ones, from which on the law does not hold.
LARGER = 1.3
# Standard deviations of the ratio of two variances of noise, and of a v_0, that are certain.
DEVIATIONS = 5.0
# Share of fast equations that the estimate from them alone needs.
LEAST_FAST = 0.5
# Times that the v_0 of all joints are looked at, at most: that of one changes what others feel.
SWEEPS = 4


@dataclass(frozen=True)
class FrictionLaw:
    """Joints at which the law of friction does not hold near reversals.

    Attributes:
        joints: their names.
        shift: (p,) by how much parameters change where fast equations alone are fitted; zero
            where the law holds at all joints.
    """

    joints: tuple[str, ...]
    shift: Array

    def widened(self, found: Estimate) -> Estimate:
        """The estimate, its intervals wide enough for what the choice of speeds changes."""
        if not found.draws.size or not self.shift.any():
            return found
        random = np.random.default_rng(2)
        draws = found.draws + random.normal(size=(len(found.draws), 1)) * self.shift
        if found.method == 'consistent':
            bounded = found.layout.not_negative
            draws[:, bounded] = np.maximum(draws[:, bounded], 0.0)
        return replace(found, draws=draws)


def fast_weights(equations: Equations, weights: Array, limits: Array) -> Array:
    """Weights (N, n), zero for joints that are slower than limits (n,) [rad/s or m/s]."""
    return np.where(np.abs(equations.velocities) < limits, 0.0, weights)


def friction_law(
    equations: Equations,
    weights: Array,
    weighted: ReducedEquations,
    base: BaseParameters,
    found: Estimate,
) -> FrictionLaw:
    """Compare slow equations with fast ones.

    Args:
        equations: that are fitted.
        weights: (N, n) of these.
        weighted: with these weights.
        base: what they determine.
        found: the estimate from them.
    """
    layout = base.layout
    holds = FrictionLaw((), np.zeros(layout.size))
    limits = BANDS * dead_bands(layout.model)
    fast = equations.reduced(fast_weights(equations, weights, limits))
    used = weighted.weights > 0.0
    if np.any(fast.weights[used] < LEAST_FAST * weighted.weights[used]):
        return holds
    larger = _larger(weighted, fast, found.parameters)
    joints = tuple(name for name, one in zip(layout.joints, larger, strict=True) if one)
    if not joints:
        return holds
    return FrictionLaw(joints, estimate(fast, base).parameters - found.parameters)


def certain_smoothings(
    equations: Equations, left_out: Sequence[Period], structure: Structure, inflation: float
) -> tuple[float, ...]:
    """The smoothing of each joint (n,); the usual one where no other is certain [rad/s or m/s].

    Args:
        equations: made with `SMOOTHINGS`; slow joints count too.
        left_out: periods that do not count.
        structure: of the robot.
        inflation: of variances, by the correlation of residuals.
    """
    size = len(equations.names)
    weights = equations.outside(left_out)
    every = replace(equations, slow_count=True)
    values = (SMOOTHING, *SMOOTHINGS)
    tried = [every.smoothed((value,) * size).reduced(weights) for value in values]
    columns, white = list(structure.columns), whitened(tried[0], structure.columns)
    noise = np.where(white.noise > 0.0, white.noise, np.inf)
    triangles = np.stack([one.triangles for one in tried]) / noise[:, None, None]
    rows, torques = triangles[..., columns] * white.scales[columns], triangles[..., -1]

    def likelihood(numbers: Sequence[int]) -> float:
        """Its logarithm, with one of the values at each joint."""
        own = np.arange(size)
        left = torques[numbers, own]
        chosen_rows = rows[numbers, own]
        found = np.linalg.lstsq(chosen_rows.reshape(left.size, -1), left.ravel(), rcond=None)[0]
        lengths = np.linalg.norm(chosen_rows @ found - left, axis=1)
        return -float(tried[0].independent @ np.log(np.where(lengths > 0.0, lengths, 1.0)))

    # Twice the logarithm of the likelihood is a square of standard deviations.
    least = 0.5 * DEVIATIONS**2 * max(1.0, inflation)
    chosen = [0] * size
    for _ in range(SWEEPS):
        before = tuple(chosen)
        for joint in range(size):
            logs = np.array(
                [
                    likelihood([*chosen[:joint], one, *chosen[joint + 1 :]])
                    for one in range(len(values))
                ]
            )
            best = int(logs.argmax())
            chosen[joint] = best if logs[best] - logs[0] > least else 0
        if tuple(chosen) == before:
            break
    return tuple(values[one] for one in chosen)


def _larger(weighted: ReducedEquations, fast: ReducedEquations, parameters: Array) -> Array:
    """(n,) bool: whether slow equations certainly leave more than fast ones."""
    unknown = np.append(parameters, -1.0)
    squares = [np.sum((one.triangles @ unknown) ** 2, axis=1) for one in (weighted, fast)]
    numbers = np.stack([weighted.weights - fast.weights, fast.weights])
    with np.errstate(all='ignore'):
        slow, quick = (squares[0] - squares[1]) / numbers[0], squares[1] / numbers[1]
        ratio = np.nan_to_num(slow / quick)
        spread = np.sqrt((2.0 / (numbers * weighted.independence)).sum(axis=0))
        certain = ratio > 1.0 + DEVIATIONS * np.nan_to_num(spread, nan=np.inf)
    larger: Array = certain & (ratio > LARGER**2)
    return larger


def law_words(joints: Sequence[str]) -> str:
    """The sentence of the verdict.

    Args:
        joints: at which the law does not hold.
    """
    return (
        f'Below 0.2 rad/s or 0.05 m/s the residuals at {", ".join(joints)} are larger than above: '
        'friction near reversals is not that of the model, viscous and Coulomb friction. The '
        'intervals include what the fit to faster motion alone changes, and may still be too '
        'narrow.'
    )
