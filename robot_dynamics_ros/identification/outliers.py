"""What does not fit: periods of a contact, a hand, a cable; and single samples.

A disturbance lasts, and a force on a link acts on all joints before it: residuals of two joints
are far off in consecutive short windows. Friction that the law of the model does not have is off
too, near reversals and at high speeds, but at its own joint.

Least squares follow a contact that lasts for a fifth of the data, and Huber's weights too. So the
residuals are those of least trimmed squares: of the windows that agree best with one another
(Rousseeuw, "Least median of squares regression", 1984), found by steps that fit the best windows
and choose them again, from many random beginnings (Rousseeuw, Van Driessen, "Computing LTS
regression for large data sets", 2006). A single sample that is far off, as an effort that was sent
wrong, gets Huber's weight ("Robust estimation of a location parameter", 1964).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.extra import required

from .base_parameters import Structure, whitened
from .equations import Equations, Period, ReducedEquations
from .parameters import Flags

# Windows that are fitted or not: of all recordings together, and equations of each, at least.
WINDOWS, SHORTEST_WINDOW = 60, 10
# Share of these that is fitted, and that of a random beginning.
FITTED, BEGINNING = 0.6, 0.35
# Beginnings: of 30, some have no window of a fifth that is disturbed.
BEGINNINGS, STEPS, ROUNDS = 30, 20, 3
LENGTH = 0.2  # [s] of a window in which a residual is far off or not
# Of the usual RMS of a joint's residual in a window: what exceeds it at so many joints, or at the
# only one, is not noise.
FAR, JOINTS = 6.0, 2
# Windows of a disturbance, at least, and windows without one between two parts of it.
SHORTEST, GAP = 2, 2
# Of a recording: where more of it is far, the model is wrong rather than disturbed.
MOST = 0.4
# Of the usual speed: a joint that is slower may turn, where friction is not what a model says. The
# filter smears the step of friction into a window beside it.
SLOW = 0.2
# Of normal noise, the standard deviation relative to the median of the absolute value.
NORMAL = 1.4826
# Standard deviations up to which a sample has its whole weight. Friction that the model lacks is
# nearer: residuals of real arms have longer tails than normal ones, at all of the motion that is
# to be predicted. Of the torque: there is no less noise than that, rounding at least.
GROSS, LEAST_NOISE = 10.0, 1e-9
# Windows from which anything is concluded.
FEWEST = 10


def robust_weights(
    equations: Equations, structure: Structure, reduced: ReducedEquations
) -> tuple[Array, tuple[Period, ...]]:
    """Weights (N, n) of the equations, and when these are disturbed: there they are 0.

    A period is a window longer at both ends, as the filter smears it.
    """
    parameters = trimmed_parameters(equations, structure, reduced)
    residuals = np.where(equations.used, equations.residuals(parameters), np.nan)
    periods = []
    for number, name in enumerate(equations.recordings):
        runs = [run for run in equations.runs if equations.number[run.start] == number]
        v = equations.velocities
        pieces = [(equations.times[run], residuals[run], v[run]) for run in runs]
        periods += [Period(name, begin - LENGTH, end + LENGTH) for begin, end in disturbed(pieces)]
    inside = equations.inside(periods)
    sizes = np.abs(residuals)
    noise = [_scale(column[~inside]) for column in sizes.T]
    limits = GROSS * np.maximum(noise, LEAST_NOISE * reduced.usual_torques)
    with np.errstate(invalid='ignore', divide='ignore'):
        weights = np.where(sizes > limits, limits / sizes, 1.0)
    weights[inside] = 0.0
    return weights, tuple(periods)


def _scale(sizes: Array) -> float:
    """The RMS of residuals of these sizes, NaN where not known, but for gross outliers."""
    known = sizes[np.isfinite(sizes)]
    scale = NORMAL * float(np.median(known)) if known.size else 0.0
    for _ in range(ROUNDS):
        scale = float(np.sqrt(np.mean(np.minimum(known, GROSS * scale) ** 2))) if scale else 0.0
    return scale


def trimmed_parameters(
    equations: Equations, structure: Structure, reduced: ReducedEquations
) -> Array:
    """Parameters (p,) of the windows of time that agree best with one another.

    The prior is that of the plausible magnitudes: few windows may not tell all parameters.
    """
    columns, nominal = list(structure.columns), equations.layout.nominal()
    # Changes of the independent parameters in plausible magnitudes, and what the URDF leaves.
    changes = np.zeros((len(nominal) + 1, len(columns) + 1))
    scales = whitened(reduced, structure.columns).scales
    changes[columns, np.arange(len(columns))] = scales[columns]
    changes[:, -1] = np.append(-nominal, 1.0)
    size = max(SHORTEST_WINDOW, round(float(reduced.counts.max()) / WINDOWS))
    windows = equations.windows(equations.consecutive(size))
    joints = range(len(equations.layout.joints))
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
    return nominal + changes[:-1, :-1] @ best


def _fit(products: Array, counts: Array) -> tuple[Array, Array]:
    """Coefficients (c + 1,), the last one -1, and noise (n,), of some windows."""
    values = np.append(np.zeros(products.shape[-1] - 1), -1.0)
    # Not less than rounding.
    floor = 1e-12 * products[:, -1, -1]

    def noise() -> Array:
        left = np.maximum(_squares(products, values), floor)
        return np.sqrt(left / np.maximum(counts, 1.0))

    for _ in range(ROUNDS):
        total = np.tensordot(_weights(noise()), products, axes=1)
        normal = total[:-1, :-1] + np.eye(len(values) - 1)
        values[:-1] = np.linalg.solve(normal, total[:-1, -1])
    return values, noise()


def _weights(noise: Array) -> Array:
    """1 / noise^2 (n,); 0 for joints without an equation."""
    return np.where(noise > 0.0, 1.0 / np.where(noise > 0.0, noise, 1.0) ** 2, 0.0)


def _squares(products: Array, values: Array) -> Array:
    """Sums of squares (..., n) of what is left."""
    return products @ values @ values


def disturbed(pieces: Iterable[tuple[Array, Array, Array]]) -> list[tuple[float, float]]:
    """Begin and end of each disturbance of a recording, in their order [s].

    Args:
        pieces: without a gap: times (N,) [s], residuals (N, n), NaN where not known [N m or N],
            and velocities (N, n) [rad/s or m/s].
    """
    ndimage = required('scipy.ndimage', 'identification')
    windows = [_windows(*piece) for piece in pieces if len(piece[0]) > 1]
    if not windows:
        return []
    times, squares, speeds = (np.concatenate(part) for part in zip(*windows, strict=True))
    known = np.isfinite(speeds)
    usual = _medians(speeds, known)
    turns = ~(speeds >= SLOW * np.where(np.isfinite(usual), usual, 0.0))
    near = ndimage.binary_dilation(turns, np.ones((3, 1)))
    large = squares > FAR**2 * _medians(squares, known & ~near)
    far = known & ~near & large
    if np.count_nonzero(far.any(axis=1)) > MOST * np.count_nonzero(known.any(axis=1)):
        return []
    begun = far.sum(axis=1) >= min(JOINTS, np.count_nonzero(known.any(axis=0)))
    # Windows that are far off are joined over gaps; longer ones are a disturbance while it lasts.
    joined = ndimage.binary_closing(np.pad(begun, GAP + 1), np.ones(GAP + 2))[GAP + 1 : -GAP - 1]
    lasting = ndimage.binary_opening(joined, np.ones(SHORTEST))
    mask = lasting | np.any(large, axis=1)
    left_out = ndimage.binary_propagation(lasting, mask=mask)
    edges = np.flatnonzero(np.diff(left_out, prepend=False, append=False)).reshape(-1, 2)
    return [(float(times[first, 0]), float(times[stop - 1, 1])) for first, stop in edges.tolist()]


def _windows(times: Array, residuals: Array, velocities: Array) -> tuple[Array, Array, Array]:
    """Ends (W, 2), mean squares (W, n) and smallest speeds (W, n) of windows of `LENGTH`.

    The speed is 0 where the joint turns, and NaN where its residual is not known.
    """
    length = max(2, round(LENGTH / float(np.median(np.diff(times)))))
    count = len(times) // length

    def parts(values: Array) -> Array:
        return values[: count * length].reshape(count, length, -1)

    speeds = np.abs(velocities)
    # Also where the reversal lies between two windows.
    turns = velocities[1:] * velocities[:-1] <= 0.0
    speeds[1:][turns] = speeds[:-1][turns] = 0.0
    known = np.isfinite(parts(residuals)).any(axis=1)
    squares = parts(np.nan_to_num(residuals) ** 2).mean(axis=1)
    return parts(times)[:, [0, -1], 0], squares, np.where(known, parts(speeds).min(axis=1), np.nan)


def _medians(values: Array, chosen: Flags) -> Array:
    """Medians (n,) of chosen values (W, n); infinite where they are too few, or zero."""
    found = [
        float(np.median(column[rows])) if np.count_nonzero(rows) >= FEWEST else 0.0
        for column, rows in zip(values.T, chosen.T, strict=True)
    ]
    return np.where(np.array(found) > 0.0, found, np.inf)
