"""Windows of time in which something else than the robot made the efforts, such as a contact.

Least squares follow a contact that lasts for a fifth of the data, and Huber's weights too, as the
first residuals do not show it. Least trimmed squares fit the windows that agree best with one
another (Rousseeuw, "Least median of squares regression", 1984): steps that fit the best windows
and choose them again lower their error each time, from many random beginnings (Rousseeuw, Van
Driessen, "Computing LTS regression for large data sets", 2006).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .window_sums import WindowSums

Flags = npt.NDArray[np.bool_]

# Of the windows: those that are fitted, and those of a random beginning.
FITTED, BEGINNING = 0.6, 0.35
# Beginnings: of 30, some have no window of the fifth that is disturbed.
BEGINNINGS, STEPS, ROUNDS = 30, 20, 3
# Of the usual RMS of an equation in a window: more is not noise, nor friction at a reversal.
FAR = 12.0
# Of the windows: where more of them are outlying, the model is wrong rather than disturbed.
MOST = 0.45
# Windows from which anything is concluded.
FEWEST = 10


def outlying_windows(sums: WindowSums) -> Flags:
    """Which windows (K,) do not fit what the others agree on; none where too many do not.

    Args:
        sums: of all windows.
    """
    count = len(sums.recordings)
    nothing = np.zeros(count, dtype=bool)
    if count < FEWEST:
        return nothing
    coefficients = _trimmed(sums)
    outlying = nothing
    for _ in range(ROUNDS):
        outlying = _outlying(sums, coefficients)
        if outlying.mean() > MOST:
            return nothing
        coefficients, _ = _fit(sums, ~outlying, _noise(sums, coefficients, ~outlying))
    return _lasting(outlying)


def _lasting(outlying: Flags) -> Flags:
    """Without single windows: Huber's weights are enough for these, and friction is among them."""
    beside = np.zeros_like(outlying)
    beside[1:] |= outlying[:-1]
    beside[:-1] |= outlying[1:]
    lasting: Flags = outlying & beside
    return lasting


def _outlying(sums: WindowSums, coefficients: Array) -> Flags:
    rms = np.sqrt(_squares(sums, coefficients) / np.maximum(sums.counts, 1.0))
    outlying = np.zeros(len(rms), dtype=bool)
    for column, used in zip(rms.T, sums.counts.T > 0.0, strict=True):
        if used.any():
            outlying |= used & (column > FAR * np.median(column[used]))
    return outlying


def _trimmed(sums: WindowSums) -> Array:
    """The coefficients of the windows that agree best with one another."""
    count = len(sums.recordings)
    fitted = math.ceil(FITTED * count)
    random = np.random.default_rng(0)
    everything = np.ones(count, dtype=bool)
    nothing = np.append(np.zeros(sums.products.shape[-1] - 1), -1.0)
    begin = _noise(sums, nothing, everything)
    best, lowest = nothing, math.inf
    for number in range(BEGINNINGS):
        chosen = everything
        if number:
            chosen = np.zeros(count, dtype=bool)
            chosen[random.choice(count, math.ceil(BEGINNING * count), replace=False)] = True
        coefficients, noise = _concentrated(sums, chosen, begin, fitted)
        error = float(np.log(noise[noise > 0.0]).sum())
        if error < lowest:
            best, lowest = coefficients, error
    return best


def _concentrated(
    sums: WindowSums, chosen: Flags, noise: Array, fitted: int
) -> tuple[Array, Array]:
    """Coefficients and noise after steps of concentration, until they choose the same windows."""
    for _ in range(STEPS):
        coefficients, noise = _fit(sums, chosen, noise)
        weights = _weights(noise)
        errors = _squares(sums, coefficients) @ weights
        errors /= np.maximum(sums.counts.sum(axis=1), 1.0)
        before, chosen = chosen, np.zeros_like(chosen)
        chosen[np.argsort(errors, kind='stable')[:fitted]] = True
        if np.array_equal(chosen, before):
            break
    return coefficients, noise


def _fit(sums: WindowSums, chosen: Flags, noise: Array) -> tuple[Array, Array]:
    """Coefficients (c + 1,), the last one -1, and noise (r,), of some windows.

    The prior is that of the plausible magnitudes: few windows may not tell all parameters.
    """
    products = sums.products[chosen].sum(axis=0)
    size = products.shape[-1] - 1
    for _ in range(2):
        weights = _weights(noise)
        total = np.tensordot(weights, products, axes=1)
        solution = np.linalg.solve(total[:size, :size] + np.eye(size), total[:size, size])
        coefficients = np.append(solution, -1.0)
        noise = _noise(sums, coefficients, chosen)
    return coefficients, noise


def _noise(sums: WindowSums, coefficients: Array, chosen: Flags) -> Array:
    """RMS (r,) of what is left in some windows; not less than rounding."""
    counts = np.maximum(sums.counts[chosen].sum(axis=0), 1.0)
    left = _squares(sums, coefficients)[chosen].sum(axis=0)
    floor = 1e-12 * sums.products[chosen, :, -1, -1].sum(axis=0)
    noise: Array = np.sqrt(np.maximum(left, floor) / counts)
    return noise


def _weights(noise: Array) -> Array:
    """1 / noise^2 (r,); 0 for equations that are not used."""
    weights = np.zeros_like(noise)
    used = noise > 0.0
    weights[used] = noise[used] ** -2.0
    return weights


def _squares(sums: WindowSums, coefficients: Array) -> Array:
    """Sums of squares (K, r) of what is left."""
    squares: Array = np.einsum('i,krij,j->kr', coefficients, sums.products, coefficients)
    return np.maximum(squares, 0.0)
