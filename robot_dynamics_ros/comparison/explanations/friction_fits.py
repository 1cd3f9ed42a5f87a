"""Friction and offset of each joint, from what an explanation leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..comparison import FrictionFit
from .explanation import Explanation
from .judge import Judge

# Deviations below this share of the effort are not friction that is missed.
NEGLIGIBLE = 0.02
# By how much the logarithm of the error must shrink, and the F statistic that it must reach.
WORTH, CERTAIN = 0.5, 5.0
# Coefficients of friction, and all that are fitted.
TESTED, FITTED = 2, 3


@dataclass(frozen=True)
class JointFriction:
    """The friction of one joint.

    Attributes:
        fit: None where the joint does not move enough.
        missing: whether the friction of the description is another.
        speed: RMS of the velocity in the fit [rad/s or m/s].
        rms: of what is left after the fit [unit of the efforts].
        drives: torque at the RMS speed of a fit that may be negative, where it is negative beyond
            chance: friction that drives the joint; else 0 [N m or N].
    """

    fit: FrictionFit | None
    missing: bool
    speed: float
    rms: float
    drives: float = 0.0

    @property
    def typical(self) -> float:
        """Torque at the RMS speed [N m or N]; NaN where nothing was fitted."""
        return self.fit.viscous * self.speed + self.fit.coulomb if self.fit else np.nan


def friction_fits(judge: Judge, given: Explanation) -> dict[int, JointFriction]:
    """Fit viscous v + coulomb sgn(v) + offset to the residual of each judged joint.

    Args:
        judge: has the observations.
        given: explains the rest; its gains convert the efforts.
    """
    seen, gains = judge.observations, np.array(given.gains)[:, None]
    weights = seen.project.weights.T
    efforts = seen.weighted_efforts(given.delay, given.order) / gains
    left = efforts - weights * seen.torque(given).T
    described = weights * seen.friction.T
    fits = {}
    for joint in np.flatnonzero(judge.judged).tolist():
        rows = weights[joint] > 0.0
        columns, values = seen.project.columns[joint, rows], left[joint, rows]
        viscous, coulomb, offset = solution = _not_negative(columns, values)
        after = float(np.mean((values - columns @ solution) ** 2))
        before = float(np.var(values - described[joint, rows]))
        floor = NEGLIGIBLE**2 * float(np.mean(efforts[joint, rows] ** 2))
        speed = float(np.sqrt(np.mean(columns[:, 0] ** 2)))
        moving = bool(seen.moving[joint])
        samples = seen.independent * float(np.mean(rows))
        fits[joint] = JointFriction(
            FrictionFit(float(viscous), float(coulomb), float(offset)) if moving else None,
            moving
            and np.log((before + floor) / (after + floor)) > WORTH
            and is_certain(before, after, samples),
            speed,
            float(np.sqrt(after) * np.abs(gains[joint, 0])),
            _driving(columns, values, speed, after, samples) if moving else 0.0,
        )
    return fits


def _driving(columns: Array, values: Array, speed: float, after: float, samples: float) -> float:
    """Torque of friction at the RMS speed if it is negative beyond chance, else 0.

    Args:
        columns: (N, 3) velocity, direction and 1.
        values: (N,) to fit.
        speed: RMS of the velocity [rad/s or m/s].
        after: mean square of what friction leaves that is not negative.
        samples: that are independent.
    """
    solution, *_ = np.linalg.lstsq(columns, values, rcond=1e-9)
    torque = float(solution @ (speed, 1.0, 0.0))
    left = float(np.mean((values - columns @ solution) ** 2))
    is_better = after > np.exp(WORTH) * left and is_certain(after, left, samples)
    return torque if torque < 0.0 and is_better else 0.0


def is_certain(before: float, after: float, samples: float) -> bool:
    """Whether fitted friction lowers a mean square by more than chance: the F test.

    Args:
        before: mean square of what the described friction and an offset leave.
        after: mean square of what fitted friction and offset leave.
        samples: that are independent, of this joint.
    """
    left = samples - FITTED
    return bool(left > 0.0 and (before - after) / TESTED > CERTAIN * after / left)


def _not_negative(columns: Array, values: Array) -> Array:
    """Least squares (3,) with a viscous and a Coulomb coefficient that are not negative.

    Friction takes energy. With two coefficients the solution is the best of those in which each
    negative one is zero.

    Args:
        columns: (N, 3) velocity, direction and 1.
        values: (N,) to fit.
    """
    used = [0, 1, 2]
    while True:
        solution = np.zeros(3)
        solution[used], *_ = np.linalg.lstsq(columns[:, used], values, rcond=1e-9)
        worst = min(used[:-1], key=lambda column: solution[column], default=None)
        if worst is None or solution[worst] >= 0.0:
            return solution
        used.remove(worst)
