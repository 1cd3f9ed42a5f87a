"""The figures of each joint, from sums over all samples."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array

from .comparison import JointComparison
from .evidence.moments import (
    CONSTANT,
    CORIOLIS,
    DIRECTION,
    FRICTION,
    GRAVITY,
    INERTIA,
    MEASURED,
    MODEL,
    RESIDUAL,
    VELOCITY,
    Moments,
)
from .explanations.friction_fits import JointFriction

# Of a sum of squares: a variance below it is rounding of the sums.
ROUNDING = 1e-12


def joint_figures(
    model: RobotModel,
    moments: Moments,
    delays: Array,
    frictions: Mapping[int, JointFriction],
    scales: npt.NDArray[np.bool_],
) -> list[JointComparison]:
    """The figures of each joint, in the order of the model.

    Args:
        model: whose joints they are.
        moments: of all samples.
        delays: (n,) of the efforts [s], NaN where not known.
        frictions: fits by the index of the joint.
        scales: (n,) whether the torque of a joint shows the scale of its effort.
    """
    columns = np.eye(len(MODEL))
    counts = np.where(moments.counts > 0, moments.counts, np.nan)
    squares = moments.product(columns[MEASURED], columns[MEASURED]) / counts
    residual = moments.product(RESIDUAL, RESIDUAL) / counts
    bias = moments.product(RESIDUAL, CONSTANT) / counts
    correlations = correlation(moments)
    shares = _shares(moments, _friction_columns(len(counts), frictions))
    result = []
    for joint, described in enumerate(model.independent_joints):
        fit = frictions.get(joint)
        result.append(
            JointComparison(
                unit='N' if described.kind == 'prismatic' else 'N m',
                rms_measured=float(np.sqrt(squares[joint])),
                rms_residual=float(np.sqrt(max(residual[joint], 0.0))),
                bias=float(bias[joint]),
                correlation=float(correlations[joint]),
                delay=float(delays[joint]),
                shares={name: float(share[joint]) for name, share in shares.items()},
                friction=fit.fit if fit else None,
                rms_after_fit=fit.rms if fit else float('nan'),
                friction_drives=fit.drives if fit else 0.0,
                shows_scale=bool(scales[joint]),
            )
        )
    return result


def correlation(moments: Moments) -> Array:
    """Of measurement and model, (n,); NaN where one of them does not vary."""
    measured = np.eye(len(MODEL))[MEASURED]
    both = _covariance(moments, measured, MODEL)
    variances = [_covariance(moments, one, one) for one in (measured, MODEL)]
    varies = np.all(
        [
            variance > ROUNDING * moments.product(one, one)
            for one, variance in zip((measured, MODEL), variances, strict=True)
        ],
        axis=0,
    )
    result = np.full(len(both), np.nan)
    result[varies] = both[varies] / np.sqrt(variances[0][varies] * variances[1][varies])
    clipped: Array = np.clip(result, -1.0, 1.0)
    return clipped


def _covariance(moments: Moments, left: Array, right: Array) -> Array:
    means = moments.product(left, CONSTANT) * moments.product(right, CONSTANT)
    result: Array = moments.product(left, right) - means / np.maximum(moments.counts, 1.0)
    return result


def _friction_columns(size: int, frictions: Mapping[int, JointFriction]) -> Array:
    """Coefficients (n, 8) of friction: those of the fit, else that of the description."""
    coefficients = np.zeros((size, len(MODEL)))
    for joint in range(size):
        fit = frictions[joint].fit if joint in frictions else None
        if fit is None:
            coefficients[joint, FRICTION] = 1.0
        else:
            coefficients[joint, [VELOCITY, DIRECTION]] = fit.viscous, fit.coulomb
    return coefficients


def _shares(moments: Moments, friction: Array) -> dict[str, Array]:
    """<term, measured> / <measured, measured> of each term, and what is left of 1."""
    columns = np.eye(len(MODEL))
    squares = moments.product(columns[MEASURED], columns[MEASURED])
    squares = np.where(squares > 0.0, squares, np.nan)
    parts = {
        'gravity': columns[GRAVITY],
        'coriolis': columns[CORIOLIS],
        'inertia': columns[INERTIA],
        'friction': friction,
    }
    shares = {
        name: moments.product(part, columns[MEASURED]) / squares for name, part in parts.items()
    }
    shares['residual'] = 1.0 - np.sum(list(shares.values()), axis=0)
    return shares
