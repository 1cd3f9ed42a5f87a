"""The figures of each joint: residual, delay, friction and what explains its effort."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings.low_pass import density

from .compared import TERMS, FrictionFit, JointComparison, Spectrum
from .delay import least_delay
from .evidence import (
    CORIOLIS,
    DIRECTION,
    FRICTION,
    GRAVITY,
    INERTIA,
    MEASURED,
    ONE,
    VELOCITY,
)
from .judge import GOOD, NEGLIGIBLE, ROUNDING, Explanation, Judge
from .observations import FEWEST, Observations

MODEL = np.sum([GRAVITY, CORIOLIS, INERTIA, FRICTION], axis=0)
# A delay with a larger standard deviation is not known [s].
KNOWN = 5e-3
# Bandwidth of the errors of a model [Hz].
SLOW = 1.0
# Friction is fitted last: errors of all other parts, each NEGLIGIBLE, look like some.
NOT_FRICTION = 2.0 * NEGLIGIBLE
# By how much the logarithm of the error must shrink, and the F statistic that it must reach.
WORTH, CERTAIN = 0.5, 5.0
# Coefficients of friction, and all that are fitted.
TESTED, FITTED = 2, 3
# Of a spectrum: the share of the samples of the longest window that others must have.
LONG_ENOUGH = 0.5


@dataclass(frozen=True)
class JointFriction:
    """The friction of one joint.

    Attributes:
        fit: None where the joint does not move enough.
        missing: whether the friction of the URDF is another.
        speed: RMS of the velocity in the fit [rad/s or m/s].
        rms: of what is left after the fit [unit of the efforts].
        left: its share of the RMS of the effort [-].
    """

    fit: FrictionFit | None
    missing: bool
    speed: float
    rms: float
    left: float

    @property
    def typical(self) -> float:
        """Torque at the RMS speed [N m or N]."""
        return self.fit.viscous * self.speed + self.fit.coulomb if self.fit else 0.0


def joint_figures(
    model: RobotModel, products: Array, delays: Array, frictions: Mapping[int, JointFriction]
) -> dict[str, JointComparison]:
    """The figures of each joint by name, in the order of the model.

    Args:
        model: whose joints they are.
        products: (n, 8, 8) sums over all samples, see `products_of`.
        delays: (n,) of the efforts [s], NaN where not known.
        frictions: fits by the index of the joint.
    """
    figures = {}
    for joint, (name, unit) in enumerate(zip(model.joint_names, model.effort_units, strict=True)):
        sums, friction = products[joint], frictions.get(joint)
        fit = friction.fit if friction else None
        rubbing = fit.viscous * VELOCITY + fit.coulomb * DIRECTION if fit else FRICTION
        count = sums[-1, -1] or np.nan
        square, residual = MEASURED @ sums @ MEASURED, MEASURED - MODEL
        with np.errstate(invalid='ignore', divide='ignore'):
            parts = np.stack([GRAVITY, CORIOLIS, INERTIA, rubbing]) @ sums @ MEASURED / square
        shares = dict(zip(TERMS, parts.tolist(), strict=True))
        figures[name] = JointComparison(
            unit=unit,
            rms_measured=float(np.sqrt(square / count)),
            rms_residual=float(np.sqrt(max(residual @ sums @ residual / count, 0.0))),
            bias=float(residual @ sums @ ONE / count),
            correlation=correlation(sums),
            delay=float(delays[joint]),
            shares={**shares, 'residual': 1.0 - sum(shares.values())},
            friction=fit,
            rms_after_fit=friction.rms if friction else np.nan,
        )
    return figures


def correlation(sums: Array) -> float:
    """Of measurement and model, from sums of products (8, 8); NaN where one does not vary."""
    both = np.stack([MEASURED, MODEL])
    weighted = both @ sums
    squares, means = weighted @ both.T, weighted @ ONE
    covariance = squares - np.outer(means, means) / max(sums[-1, -1], 1.0)
    variances = np.diag(covariance)
    if not (variances > ROUNDING * np.diag(squares)).all():
        return float('nan')
    return float(np.clip(covariance[0, 1] / np.sqrt(variances.prod()), -1.0, 1.0))


def joint_delays(judge: Judge, given: Explanation) -> Array:
    """The delay (n,) at which the error of each joint is smallest [s]; NaN where not known."""
    delays = np.full(judge.observations.size, np.nan)
    squares, _ = judge.target_products(given)
    # What is left is an error of the model, which changes as slowly as the motion.
    samples = max(2.0 * SLOW * judge.observations.duration, 1.0)
    for joint in np.flatnonzero(judge.judged).tolist():
        delay, error, curvature = least_delay(
            lambda delay, joint=joint: judge.errors(replace(given, delay=delay))[joint]
        )
        # An error S (d - d_0)^2 + E has the variance E / (S samples) of d_0.
        known = error < KNOWN**2 * curvature * samples
        # What a worse explanation leaves may look like a delay.
        if known and error < GOOD**2 * squares[joint]:
            delays[joint] = delay
    return delays


def friction_fits(judge: Judge, given: Explanation) -> dict[int, JointFriction]:
    """Friction and offset of each judged joint by its index, fitted to what is left."""
    seen = judge.observations
    gains = np.array(given.gains)[:, None]
    torque = seen.gravity * given.gravity + seen.motion
    if given.body is not None:
        torque = torque + (seen.load(given.body) @ np.array(given.load)).T
    efforts = seen.efforts(given.delay)[list(given.order)] / gains
    fits = {}
    for joint in np.flatnonzero(judge.judged).tolist():
        rows, moving = seen.weights[joint] > 0.0, bool(seen.moving[joint])
        columns, measured = seen.free[joint, rows], efforts[joint, rows]
        values = measured - torque[rows, joint]
        solution = _not_negative(columns, values)
        after = float(np.mean((values - columns @ solution) ** 2))
        before = float(np.var(values - seen.friction[rows, joint]))
        square = float(np.mean(measured**2))
        floor = NOT_FRICTION**2 * square
        samples = seen.independent * float(np.mean(rows))
        missed = np.log((before + floor) / (after + floor)) > WORTH
        fits[joint] = JointFriction(
            FrictionFit(*solution.tolist()) if moving else None,
            bool(moving and missed and is_certain(before, after, samples)),
            float(np.sqrt(np.mean(columns[:, 0] ** 2))),
            float(np.sqrt(after) * np.abs(gains[joint, 0])),
            float(np.sqrt(after / square)),
        )
    return fits


def is_certain(before: float, after: float, samples: float) -> bool:
    """Whether fitted friction lowers a mean square by more than chance: the F test.

    Args:
        before: mean square of what the friction of the URDF and an offset leave.
        after: mean square of what fitted friction and offset leave.
        samples: that are independent, of this joint.
    """
    left = samples - FITTED
    return bool(left > 0.0 and (before - after) / TESTED > CERTAIN * after / left)


def _not_negative(columns: Array, values: Array) -> Array:
    """Least squares (3,) with a viscous and a Coulomb coefficient that are not negative.

    Friction takes energy. With two coefficients the solution is the best of those in which each
    negative one is zero.
    """
    used = [0, 1, 2]
    while True:
        solution = np.zeros(3)
        solution[used], *_ = np.linalg.lstsq(columns[:, used], values, rcond=1e-9)
        worst = min(used[:-1], key=lambda column: solution[column], default=None)
        if worst is None or solution[worst] >= 0.0:
            return solution
        used.remove(worst)


def spectrum_of(seen: Observations) -> Spectrum | None:
    """The mean spectra of the windows; None where they are too short.

    Windows of other rates than the longest one are left out. Those without the efforts of a joint
    do not count for it: where all lack them, its spectra are NaN.
    """
    windows = [
        (1.0 / one.rate, span.start, span.stop - span.start)
        for one, span in zip(seen.windows, seen.spans, strict=True)
    ]
    interval, _, longest = max(windows, key=lambda one: one[2], default=(0.0, 0, 0))
    size = int(longest * LONG_ENOUGH)
    if longest * LONG_ENOUGH < FEWEST:
        return None
    starts = [
        start
        for step, start, count in windows
        if abs(step - interval) < 1e-3 * interval and count >= size
    ]
    residual = seen.measured - seen.gravity - seen.motion - seen.friction
    means = []
    for signal in seen.measured, residual:
        densities = [density(signal[start : start + size], 1.0 / interval) for start in starts]
        finite = np.isfinite(densities)
        counts = np.where(finite.any(axis=0), finite.sum(axis=0), np.nan)
        means.append(np.where(finite, densities, 0.0).sum(axis=0) / counts)
    return Spectrum(np.fft.rfftfreq(size, interval).astype(np.float64), *means)
