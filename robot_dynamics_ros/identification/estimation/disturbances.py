"""Disturbances: times at which the torques are far from the model for longer than noise is.

A contact, a hand or a cable lasts: the residual of a joint is far off in consecutive short
windows. Friction that the law of the model does not have is far off too, near reversals: windows
there are compared with one another, and those away from reversals with their own median.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from ..regression.equations import EquationBlock

Flags = npt.NDArray[np.bool_]

LENGTH = 0.2  # [s] of a window
# Of the usual RMS of a joint's residual in a window: what exceeds it is not noise.
FAR = 6.0
# Windows of a disturbance, at least, and windows without one between two parts of it.
SHORTEST, GAP = 2, 2
# Near reversals many windows have a step of friction: of what three of four are below.
UPPER, FAR_TURNING = 0.75, 12.0
# Of a recording: where more of it is far, the model is wrong rather than disturbed.
MOST = 0.4
# Of the usual speed: a joint that is slower may turn, where friction is not what a model says.
SLOW = 0.2
# Windows beside a reversal to which the filter smears the step of friction; of equations that an
# estimate uses, which do not count near a reversal.
SMEARED, SMEARED_OF_USED = 2, 1
# Windows from which anything is concluded.
FEWEST = 10
# Of the time between two equations: larger gaps end a run of consecutive equations.
LARGEST_STEP = 1.5


@dataclass(frozen=True)
class Disturbance:
    """A time at which something touched the robot, or else pushed it.

    Attributes:
        begin: [s].
        end: [s].
        joints: indices of those that felt it.
    """

    begin: float
    end: float
    joints: tuple[int, ...]


@dataclass(frozen=True)
class Period:
    """A part of a recording; plain data.

    Attributes:
        recording: its name.
        begin: [s].
        end: [s].
    """

    recording: str
    begin: float
    end: float


def disturbances(
    times: Array, squares: Array, speeds: Array, smeared: int = SMEARED
) -> list[Disturbance]:
    """The disturbances of a recording, in their order.

    They last for as long as a residual is far off.

    Args:
        times: (W,) middles of its windows of `LENGTH` [s].
        squares: (W, n) mean squares of the residuals [(N m)^2, N^2 or W^2].
        speeds: (W, n) smallest absolute velocity of the joint; 0 at a reversal, NaN where its
            residual is not known, as at rest [rad/s or m/s].
        smeared: windows beside a reversal from which nothing is concluded.
    """
    if len(times) < FEWEST:
        return []
    known, away = np.isfinite(speeds), away_from_reversals(speeds, smeared)
    large = squares > FAR**2 * _reference(squares, away, 0.5)
    turning = known & ~away
    exceeding = away & large
    exceeding |= turning & (squares > FAR_TURNING**2 * _reference(squares, turning, UPPER))
    disturbed: Flags = np.any(exceeding, axis=1)
    lasting: Flags = np.any(large | exceeding, axis=1)
    if not disturbed.any() or disturbed.sum() > MOST * known.any(axis=1).sum():
        return []
    found = []
    for rows in _runs(times, disturbed):
        joints = tuple(np.flatnonzero(exceeding[rows].sum(axis=0) >= SHORTEST).tolist())
        if joints:
            first, last = _grown(rows[0], rows[-1], lasting)
            begin, end = times[first] - LENGTH / 2.0, times[last] + LENGTH / 2.0
            found.append(Disturbance(float(begin), float(end), joints))
    return found


def _reference(squares: Array, chosen: Flags, share: float) -> Array:
    """A quantile (n,) of chosen mean squares (W, n); infinite where they are too few, or zero."""
    quantiles = [
        float(np.quantile(column[rows], share)) if np.count_nonzero(rows) >= FEWEST else 0.0
        for column, rows in zip(squares.T, chosen.T, strict=True)
    ]
    return np.where(np.array(quantiles) > 0.0, quantiles, np.inf)


def away_from_reversals(speeds: Array, smeared: int = SMEARED) -> Flags:
    """Which windows (W, n) are known, and away from reversals.

    Args:
        speeds: (W, n) as of `disturbances`.
        smeared: windows beside a reversal that are not away from it.
    """
    known = np.isfinite(speeds)
    usual = [_median(column[rows]) for column, rows in zip(speeds.T, known.T, strict=True)]
    away: Flags = known & ~_near(~(speeds >= SLOW * np.array(usual)), smeared)
    return away


def _grown(first: int, last: int, large: Flags) -> tuple[int, int]:
    """The first and the last of the windows around these without one that is not large."""
    while first > 0 and large[first - 1]:
        first -= 1
    while last + 1 < len(large) and large[last + 1]:
        last += 1
    return first, last


def _near(flags: Flags, smeared: int) -> Flags:
    """Which windows (W, n) have a flag, or are near one that has: the filter smears a step."""
    result = flags.copy()
    for shift in range(1, smeared + 1):
        result[shift:] |= flags[:-shift]
        result[:-shift] |= flags[shift:]
    return result


def disturbed_periods(blocks: Iterable[EquationBlock], parameters: Array) -> tuple[Period, ...]:
    """When the equations that an estimate uses are disturbed; a window longer at both ends.

    Args:
        blocks: those of a recording follow each other, in the order of time.
        parameters: (p,) of a robust estimate, which disturbances have not bent.
    """
    found: list[Period] = []
    for recording, some in groupby(blocks, key=lambda block: block.recording):
        windows = list(_windows(some, parameters))
        if not windows:
            continue
        times, squares, speeds = (np.concatenate(part) for part in zip(*windows, strict=True))
        # What the filter smears of a disturbance is less than far.
        found += [
            Period(recording, one.begin - LENGTH, one.end + LENGTH)
            for one in disturbances(times, squares, speeds, SMEARED_OF_USED)
        ]
    return tuple(found)


def _windows(
    blocks: Iterable[EquationBlock], parameters: Array
) -> Iterator[tuple[Array, Array, Array]]:
    """Times (W,), mean squares (W, r) and speeds (W, r) as of `disturbances`, of each run.

    Equations near a reversal do not count in an estimate.
    """
    parts = [
        (block.times, block.torques - block.rows @ parameters, _velocities(block))
        for block in blocks
        if len(block)
    ]
    if not parts:
        return
    times, residuals, velocities = (np.concatenate(part) for part in zip(*parts, strict=True))
    steps = np.diff(times)
    interval = float(np.median(steps)) if len(steps) else LENGTH
    length = max(2, round(LENGTH / interval))
    cuts = np.flatnonzero((steps <= 0.0) | (steps > LARGEST_STEP * interval)) + 1
    squares = np.where(velocities == 0.0, 0.0, residuals) ** 2
    for rows in np.split(np.arange(len(times)), cuts):
        count = len(rows) // length
        whole = rows[: count * length].reshape(count, length)
        known = np.any(velocities[whole] != 0.0, axis=1)
        speeds = np.where(known, smallest(velocities[whole]), np.nan)
        yield times[whole].mean(axis=1), squares[whole].mean(axis=1), speeds


def smallest(velocities: Array) -> Array:
    """Smallest absolute velocity (W, n) in windows (W, k, n); 0 where the sign changes."""
    turned = velocities.min(axis=1) * velocities.max(axis=1) <= 0.0
    speeds: Array = np.where(turned, 0.0, np.abs(velocities).min(axis=1))
    return speeds


def _velocities(block: EquationBlock) -> Array:
    """Velocities (m, r) where the equation counts, else 0.

    The power of all joints is always fast: friction takes none at reversals.
    """
    layout = block.layout
    terms = [term for term in ('viscous', 'viscous_negative') if term in layout.terms]
    velocities = np.ones(block.used.shape)
    if terms and len(block.equations) == len(layout.joints):
        joints = np.arange(len(layout.joints))
        velocities = np.sum(
            [block.rows[:, joints, layout.columns(term)] for term in terms], axis=0
        )
    return np.where(block.used, velocities, 0.0)


def _median(values: Array) -> float:
    return float(np.median(values)) if len(values) >= FEWEST else 0.0


def _runs(times: Array, disturbed: Flags) -> list[npt.NDArray[np.int_]]:
    """Rows of disturbed windows that are near each other, for as long as a disturbance is."""
    rows = np.flatnonzero(disturbed)
    cuts = np.flatnonzero(np.diff(times[rows]) > (GAP + 1.5) * LENGTH) + 1
    return [run for run in np.split(rows, cuts) if len(run) >= SHORTEST]
