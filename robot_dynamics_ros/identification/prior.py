"""How much the prior counts, by cross-validation on the data that are fitted.

With white noise alone the prior of a parameter is worth one equation. Where the model lacks
something, such as friction that depends on load, residuals are correlated and the same for a whole
motion: there are fewer independent equations than the estimate counts, and the prior is worth
more. It gets the largest weight with which some motion predicts other motion as well as with the
best one, within one standard error (Stone, "Cross-validatory choice and assessment of statistical
predictions", 1974; Breiman, Friedman, Olshen, Stone, "Classification and regression trees", 1984).

What is predicted must be other motion than what is fitted: a fold is a quarter of the period of
the motion, in all its repetitions. A motion that does not repeat is one period. An embargo on both
sides of a fold keeps filtered neighbours apart.
"""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import IdentificationError
from robot_dynamics_ros.extra import required

from .consistent import consistent
from .equations import Equations, Numbers
from .estimate import Estimate

WEIGHTS = (1.0, 3.0, 10.0, 30.0, 100.0)
FOLDS = 4
# On each side of a fold, in times between two equations: as long as the filters.
EMBARGO = 8
# Of velocities one period apart: the least correlation of a motion that repeats itself, and what
# the correlation falls below between.
REPEATED, BETWEEN = 0.9, 0.5


def prior_weight(
    equations: Equations, weights: Array, found: Estimate, carried: Array | None = None
) -> float:
    """The largest weight with which the folds predict each other about as well as they can.

    Args:
        equations: that are fitted; no others are looked at.
        weights: (N, n) of these.
        found: the estimate without constraints.
        carried: see `consistent`.
    """
    ndimage = required('scipy.ndimage', 'identification')
    labels, used = folds(equations), found.noise > 0.0
    errors = np.zeros((len(WEIGHTS), FOLDS))
    for fold in range(FOLDS):
        inside = labels == fold
        outside = ~ndimage.binary_dilation(inside, iterations=EMBARGO)
        left_out, others = (equations.reduced(weights * one[:, None]) for one in (inside, outside))
        try:
            fits = [consistent(others, found, carried, one).estimate for one in WEIGHTS]
        except IdentificationError:
            # Less data than all: what has no solution here says nothing of the whole.
            continue
        solutions = np.array([np.append(one.parameters, -1.0) for one in fits])
        squares = np.sum((left_out.triangles[used] @ solutions.T) ** 2, axis=1)
        errors[:, fold] = np.sum(squares / found.noise[used, None] ** 2, axis=0)
    best = int(errors.sum(axis=1).argmin())
    worse = errors - errors[best]
    alike = worse.sum(axis=1) < np.sqrt(FOLDS) * worse.std(axis=1, ddof=1)
    alike[best] = True
    return WEIGHTS[int(np.flatnonzero(alike)[-1])]


def folds(equations: Equations) -> Numbers:
    """The fold (N,) of each equation, from 0 to `FOLDS` - 1."""
    labels = np.zeros(len(equations), int)
    for number in range(len(equations.recordings)):
        rows = np.flatnonzero(equations.number == number)
        if not rows.size:
            continue
        times = equations.times[rows] - equations.times[rows[0]]
        step = float(np.median(np.diff(times))) if len(times) > 1 else 1.0
        # At equal intervals, zero in gaps.
        places = np.rint(times / step).astype(int)
        velocities = np.zeros((int(places[-1]) + 1, len(equations.names)))
        velocities[places] = equations.velocities[rows]
        period = repeated_period(velocities) or len(velocities)
        labels[rows] = FOLDS * (places % period) // period
    return labels


def repeated_period(velocities: Array) -> int:
    """After how many samples a motion repeats itself; 0: it does not, twice in the data.

    Args:
        velocities: (K, n) at equal intervals [rad/s or m/s].
    """
    count = len(velocities)
    lags = np.arange(count // 2)
    scaled = velocities / np.maximum(velocities.std(axis=0), 1e-12)
    spectrum = np.abs(np.fft.rfft(scaled, 2 * count, axis=0)) ** 2
    products = np.fft.irfft(spectrum.sum(axis=1))[lags]
    squares = np.append(0.0, np.cumsum(np.sum(scaled**2, axis=1)))
    energy = np.sqrt(squares[count - lags] * (squares[-1] - squares[lags]))
    correlation = products / np.maximum(energy, 1e-12)
    correlation[: int(np.argmax(correlation < BETWEEN))] = 0.0
    highest = float(correlation.max(initial=0.0))
    if highest < REPEATED or not (correlation < BETWEEN).any():
        return 0
    # The first of the peaks that are about as high as the highest.
    peaks = correlation[1:-1] >= np.maximum(correlation[:-2], correlation[2:])
    return int(np.argmax(peaks & (correlation[1:-1] > 0.98 * highest))) + 1
