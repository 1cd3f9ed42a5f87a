"""Disturbances: times at which the torques are far from the model for longer than noise is.

A contact, a hand or a cable lasts: the residual of a joint is far off in consecutive short
windows. Friction that the law of the model does not have is far off too, but near reversals, where
nothing is concluded, and at most of the others the residual is near its median.
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
# Of a recording: where more of it is far, the model is wrong rather than disturbed.
MOST = 0.4
# Windows beside a reversal to which the filter smears the step of friction.
SMEARED = 2
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


def disturbances(times: Array, squares: Array, clear: Flags) -> list[Disturbance]:
    """The disturbances of a recording, in their order.

    Args:
        times: (W,) middles of its windows of `LENGTH` [s].
        squares: (W, n) mean squares of the residuals [(N m)^2, N^2 or W^2].
        clear: (W, n) which of them are not near a reversal of the joint.
    """
    usual = np.array(
        [_median(column[rows]) for column, rows in zip(squares.T, clear.T, strict=True)]
    )
    far = clear & (squares > FAR**2 * np.where(usual > 0.0, usual, np.inf))
    touched: Flags = np.any(far, axis=1)
    if len(times) < FEWEST or not touched.any() or touched.mean() > MOST:
        return []
    found = []
    for rows in _runs(times, touched):
        joints = tuple(np.flatnonzero(far[rows].sum(axis=0) >= SHORTEST).tolist())
        if joints:
            begin, end = times[rows[0]] - LENGTH / 2.0, times[rows[-1]] + LENGTH / 2.0
            found.append(Disturbance(float(begin), float(end), joints))
    return found


def near(flags: Flags) -> Flags:
    """Which windows (W, n) have a flag, or are near one that has: the filter smears a step."""
    result = flags.copy()
    for shift in range(1, SMEARED + 1):
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
        times, squares, clear = (np.concatenate(part) for part in zip(*windows, strict=True))
        # What the filter smears of a disturbance is less than far.
        found += [
            Period(recording, one.begin - LENGTH, one.end + LENGTH)
            for one in disturbances(times, squares, ~near(~clear))
        ]
    return tuple(found)


def _windows(
    blocks: Iterable[EquationBlock], parameters: Array
) -> Iterator[tuple[Array, Array, Flags]]:
    """Middles (W,), mean squares (W, r), and whether all equations count; runs without a gap.

    Equations near a reversal do not count in an estimate.
    """
    parts = [
        (block.times, block.torques - block.rows @ parameters, block.used)
        for block in blocks
        if len(block)
    ]
    if not parts:
        return
    times, residuals, used = (np.concatenate(part) for part in zip(*parts, strict=True))
    steps = np.diff(times)
    interval = float(np.median(steps)) if len(steps) else LENGTH
    length = max(2, round(LENGTH / interval))
    cuts = np.flatnonzero((steps <= 0.0) | (steps > LARGEST_STEP * interval)) + 1
    squares = np.where(used, residuals, 0.0) ** 2
    for rows in np.split(np.arange(len(times)), cuts):
        count = len(rows) // length
        whole = rows[: count * length].reshape(count, length)
        yield times[whole].mean(axis=1), squares[whole].mean(axis=1), np.all(used[whole], axis=1)


def _median(values: Array) -> float:
    return float(np.median(values)) if len(values) >= FEWEST else 0.0


def _runs(times: Array, touched: Flags) -> list[npt.NDArray[np.int_]]:
    """Rows of touched windows that are near each other, for as long as a disturbance is."""
    rows = np.flatnonzero(touched)
    cuts = np.flatnonzero(np.diff(times[rows]) > (GAP + 1.5) * LENGTH) + 1
    return [run for run in np.split(rows, cuts) if len(run) >= SHORTEST]
