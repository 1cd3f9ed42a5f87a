"""Periods in which something else than the robot made the efforts: a contact, a hand, a cable.

A disturbance lasts: the residual of a joint is far off in consecutive short windows. Friction that
the law of the model does not have is far off too, near reversals: windows there are compared with
one another, and those away from reversals with their own median.

Least squares follow a contact that lasts for a fifth of the data, and Huber's weights too. So the
residuals are those of least trimmed squares: of the windows that agree best with one another
(Rousseeuw, "Least median of squares regression", 1984), found by steps that fit the best windows
and choose them again, from many random beginnings (Rousseeuw, Van Driessen, "Computing LTS
regression for large data sets", 2006).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .equations import Equations, Period
from .observability import whitened
from .reduced import ReducedEquations
from .structure import Structure

Flags = npt.NDArray[np.bool_]

# Windows that are fitted or not: of all recordings together, and equations of each, at least.
WINDOWS, SHORTEST_WINDOW = 60, 10
# Share of these that is fitted, and that of a random beginning.
FITTED, BEGINNING = 0.6, 0.35
# Beginnings: of 30, some have no window of a fifth that is disturbed.
BEGINNINGS, STEPS, ROUNDS = 30, 20, 3
LENGTH = 0.2  # [s] of a window in which a residual is far off or not
# Of the usual RMS of a joint's residual in a window: what exceeds it is not noise. Near reversals
# many windows have a step of friction: what three of four are below is usual there.
FAR, FAR_TURNING, UPPER = 6.0, 12.0, 0.75
# Windows of a disturbance, at least, and windows without one between two parts of it.
SHORTEST, GAP = 2, 2
# Of a recording: where more of it is far, the model is wrong rather than disturbed.
MOST = 0.4
# Of the usual speed: a joint that is slower may turn, where friction is not what a model says. The
# filter smears the step of friction into a window beside it.
SLOW = 0.2
# Windows from which anything is concluded.
FEWEST = 10


def contact_periods(
    equations: Equations, structure: Structure, reduced: ReducedEquations
) -> tuple[Period, ...]:
    """When the equations are disturbed; a window longer at both ends, as the filter smears it.

    Args:
        equations: of the recordings.
        structure: of the robot.
        reduced: the same equations.
    """
    parameters = trimmed_parameters(equations, structure, reduced)
    residuals = np.where(equations.used, equations.residuals(parameters), np.nan)
    found = []
    for number, name in enumerate(equations.recordings):
        runs = [run for run in equations.runs if equations.number[run.start] == number]
        v = equations.velocities
        pieces = [(equations.times[run], residuals[run], v[run]) for run in runs]
        found += [Period(name, begin - LENGTH, end + LENGTH) for begin, end in disturbed(pieces)]
    return tuple(found)


def trimmed_parameters(
    equations: Equations, structure: Structure, reduced: ReducedEquations
) -> Array:
    """Parameters (p,) of the windows of time that agree best with one another.

    The prior is that of the plausible magnitudes: few windows may not tell all parameters.

    Args:
        equations: of the recordings.
        structure: of the robot.
        reduced: the same equations.
    """
    columns, nominal = list(structure.columns), equations.layout.nominal()
    # Changes of the independent parameters in plausible magnitudes, and what the URDF leaves.
    changes = np.zeros((len(nominal) + 1, len(columns) + 1))
    scales = whitened(reduced, structure.columns).scales
    changes[columns, np.arange(len(columns))] = scales[columns]
    changes[:, -1] = np.append(-nominal, 1.0)
    size = max(SHORTEST_WINDOW, round(float(reduced.counts.max()) / WINDOWS))
    windows = equations.windows(equations.consecutive(size))
    joints = range(len(equations.names))
    products = np.stack([windows.products(joint, changes) for joint in joints], axis=1)
    total = len(windows)
    random, every = np.random.default_rng(0), np.arange(total)
    best, lowest = np.zeros(len(columns)), math.inf
    for number in range(BEGINNINGS):
        count = math.ceil(BEGINNING * total)
        chosen = random.choice(total, count, replace=False) if number else every
        for _ in range(STEPS):
            values, noise = _fit(products[chosen].sum(axis=0), windows.counts[chosen].sum(axis=0))
            errors = _squares(products, values) @ _weights(noise)
            errors /= np.maximum(windows.counts.sum(axis=1), 1.0)
            before, chosen = chosen, np.sort(np.argsort(errors)[: math.ceil(FITTED * total)])
            if np.array_equal(chosen, before):
                break
        error = float(np.log(noise[noise > 0.0]).sum())
        if error < lowest:
            best, lowest = values[:-1], error
    parameters: Array = nominal + changes[:-1, :-1] @ best
    return parameters


def _fit(products: Array, counts: Array) -> tuple[Array, Array]:
    """Coefficients (c + 1,), the last one -1, and noise (n,), of some windows."""
    values = np.append(np.zeros(products.shape[-1] - 1), -1.0)
    # Not less than rounding.
    floor = 1e-12 * products[:, -1, -1]
    for number in range(ROUNDS + 1):
        noise = np.sqrt(np.maximum(_squares(products, values), floor) / np.maximum(counts, 1.0))
        if number < ROUNDS:
            total = np.tensordot(_weights(noise), products, axes=1)
            normal = total[:-1, :-1] + np.eye(len(values) - 1)
            values[:-1] = np.linalg.solve(normal, total[:-1, -1])
    return values, noise


def _weights(noise: Array) -> Array:
    """1 / noise^2 (n,); 0 for joints without an equation."""
    return np.where(noise > 0.0, 1.0 / np.where(noise > 0.0, noise, 1.0) ** 2, 0.0)


def _squares(products: Array, values: Array) -> Array:
    """Sums of squares (..., n) of what is left."""
    left: Array = products @ values @ values
    return left


def disturbed(pieces: Iterable[tuple[Array, Array, Array]]) -> list[tuple[float, float]]:
    """Begin and end of each disturbance of a recording, in their order [s].

    Args:
        pieces: without a gap: times (N,) [s], residuals (N, n), NaN where not known [N m or N],
            and velocities (N, n) [rad/s or m/s].
    """
    windows = [_windows(*piece) for piece in pieces if len(piece[0]) > 1]
    if not windows:
        return []
    times, squares, speeds = (np.concatenate(part) for part in zip(*windows, strict=True))
    known = np.isfinite(speeds)
    usual = _quantiles(speeds, known, 0.5)
    turns = ~(speeds >= SLOW * np.where(np.isfinite(usual), usual, 0.0))
    near = turns.copy()
    near[1:] |= turns[:-1]
    near[:-1] |= turns[1:]
    large = squares > FAR**2 * _quantiles(squares, known & ~near, 0.5)
    turning = squares > FAR_TURNING**2 * _quantiles(squares, known & near, UPPER)
    far = known & np.where(near, turning, large)
    rows = np.flatnonzero(far.any(axis=1))
    if len(rows) > MOST * known.any(axis=1).sum():
        return []
    lasting = np.any(large | far, axis=1)
    found = []
    for run in np.split(rows, np.flatnonzero(np.diff(rows) > GAP + 1) + 1):
        if len(run) and far[run].sum(axis=0).max() >= SHORTEST:
            first, last = run[0], run[-1]
            while first > 0 and lasting[first - 1]:
                first -= 1
            while last + 1 < len(lasting) and lasting[last + 1]:
                last += 1
            found.append((float(times[first, 0]), float(times[last, 1])))
    return found


def _windows(times: Array, residuals: Array, velocities: Array) -> tuple[Array, Array, Array]:
    """Ends (W, 2), mean squares (W, n) and smallest speeds (W, n) of windows of `LENGTH`.

    The speed is 0 where the joint turns, and NaN where its residual is not known.
    """
    length = max(2, round(LENGTH / float(np.median(np.diff(times)))))
    count = len(times) // length

    def parts(values: Array) -> Array:
        result: Array = values[: count * length].reshape(count, length, -1)
        return result

    speeds = np.abs(velocities)
    # Also where the reversal lies between two windows.
    turns = velocities[1:] * velocities[:-1] <= 0.0
    speeds[1:][turns] = speeds[:-1][turns] = 0.0
    known = np.isfinite(parts(residuals)).any(axis=1)
    squares = parts(np.nan_to_num(residuals) ** 2).mean(axis=1)
    return parts(times)[:, [0, -1], 0], squares, np.where(known, parts(speeds).min(axis=1), np.nan)


def _quantiles(values: Array, chosen: Flags, share: float) -> Array:
    """A quantile (n,) of chosen values (W, n); infinite where they are too few, or zero."""
    found = [
        float(np.quantile(column[rows], share)) if np.count_nonzero(rows) >= FEWEST else 0.0
        for column, rows in zip(values.T, chosen.T, strict=True)
    ]
    return np.where(np.array(found) > 0.0, found, np.inf)
