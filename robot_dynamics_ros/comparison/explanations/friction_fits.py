"""Friction and offset of each joint, from what an explanation leaves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..comparison import FrictionFit
from .explanation import Explanation
from .judge import Judge

# Deviations below this share of the effort are not friction that is missed.
NEGLIGIBLE = 0.02
# By how much the logarithm of the error must shrink, and the F statistic that it must reach.
WORTH, CERTAIN = 0.5, 10.0


@dataclass(frozen=True)
class JointFriction:
    """The friction of one joint.

    Attributes:
        fit: None where the joint does not move enough.
        missing: whether the friction of the description is another.
        speed: RMS of the velocity in the fit [rad/s or m/s].
        rms: of what is left after the fit [unit of the efforts].
    """

    fit: FrictionFit | None
    missing: bool
    speed: float
    rms: float

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
    efforts = seen.weighted_efforts(given.delay, given.order)
    left = efforts - gains * weights * seen.torque(given).T
    described = gains * weights * seen.friction.T
    fits = {}
    for joint in np.flatnonzero(judge.judged).tolist():
        rows = weights[joint] > 0.0
        size = float(np.mean(efforts[joint, rows] ** 2))
        columns = seen.project.columns[joint, rows]
        solution, *_ = np.linalg.lstsq(columns, left[joint, rows], rcond=1e-9)
        after = float(np.mean((left[joint, rows] - columns @ solution) ** 2))
        before = float(np.var(left[joint, rows] - described[joint, rows]))
        speed = float(np.sqrt(np.mean(columns[:, 0] ** 2)))
        viscous, coulomb, offset = (solution / gains[joint]).tolist()
        fit = FrictionFit(viscous, coulomb, offset) if seen.moving[joint] else None
        real = fit is not None and viscous * speed + coulomb > 0.0
        missing = real and _is_better(before, after, NEGLIGIBLE**2 * size, seen.independent)
        fits[joint] = JointFriction(fit, missing, speed, float(np.sqrt(after)))
    return fits


def _is_better(before: float, after: float, floor: float, samples: float) -> bool:
    """Whether an error is smaller by more than chance, and by more than what is negligible."""
    shrunk = np.log((before + floor) / (after + floor)) > WORTH
    return bool(shrunk and (before - after) * samples > CERTAIN * after)
