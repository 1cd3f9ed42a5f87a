"""Whether a held-out motion repeats the fitted one, so that it cannot judge the model.

A model that follows the noise of the fitted samples, or has errors that this motion does not show,
is as good on a repetition as on the fitted part. So windows of the held-out positions are looked
for in the fitted ones, at any shift in time: a period that is played again is found, also in
another recording.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core.checks import Array

# Time between kept positions, between the points of a window, and length of a window [s].
STEP, POINT_STEP, LENGTH = 0.02, 0.1, 1.0
# A longer gap ends a stretch [s].
GAP = 0.2
# Windows in which no joint covers that share of its range hardly move: rest repeats itself.
LEAST_MOTION = 0.1
# Windows are the same if their positions differ by less, root mean square over joints and points,
# each as a share of the range of its joint.
SAME = 0.02
# Share of the held-out windows from which on the part is a repetition.
REPEATED = 0.5
# Windows of the held-out part that are looked for at most, and fewest that allow a statement.
MOST_WINDOWS, FEWEST_WINDOWS = 200, 3
# Fitted windows that are compared at the same time.
ROWS = 4096


@dataclass(frozen=True)
class Positions:
    """Positions of a stretch without a gap, every `STEP`.

    Attributes:
        values: (N, n) [rad or m].
    """

    values: Array

    def windows(self, stride: int) -> Iterator[Array]:
        """Windows (k, points n), each with the positions of all joints; up to `ROWS` at a time.

        Args:
            stride: steps between the beginnings of two windows.
        """
        offsets = np.arange(0, round(LENGTH / STEP), round(POINT_STEP / STEP))
        begins = np.arange(0, len(self.values) - offsets[-1], stride)
        for first in range(0, len(begins), ROWS):
            places = begins[first : first + ROWS, None] + offsets
            yield self.values[places].reshape(len(places), -1)


@dataclass
class PositionTrace:
    """The positions of a recording, few of them: samples that are `STEP` apart or more.

    Attributes:
        times: of the samples of each chunk [s].
        positions: of these [rad or m].
    """

    times: list[Array] = field(default_factory=list)
    positions: list[Array] = field(default_factory=list)

    def add(self, times: Array, positions: Array) -> None:
        """Take samples that follow those before.

        Args:
            times: (N,) increasing [s].
            positions: (N, n), NaN where unknown [rad or m].
        """
        first = np.diff(np.floor(times / STEP), prepend=-np.inf) > 0.0
        kept = first & np.isfinite(positions).all(axis=1)
        self.times.append(times[kept])
        self.positions.append(positions[kept])

    def between(self, start: float, stop: float) -> list[Positions]:
        """The stretches without a gap within a time span [s], on a grid of `STEP`."""
        if not self.times:
            return []
        times, positions = np.concatenate(self.times), np.concatenate(self.positions)
        inside = (times >= start) & (times < stop)
        times, positions = times[inside], positions[inside]
        steps = np.diff(times)
        borders = np.flatnonzero((steps > GAP) | (steps <= 0.0)) + 1
        pieces = zip(np.split(times, borders), np.split(positions, borders), strict=True)
        return [_on_grid(*piece) for piece in pieces if len(piece[0]) > 1]


def _on_grid(times: Array, positions: Array) -> Positions:
    grid = np.arange(times[0], times[-1], STEP)
    columns = [np.interp(grid, times, column) for column in positions.T]
    return Positions(np.stack(columns, axis=1) if columns else np.empty((len(grid), 0)))


def repeated_share(fitted: Sequence[Positions], held_out: Sequence[Positions]) -> float:
    """The share of the held-out windows that move and occur in the fitted part.

    Args:
        fitted: stretches of the fitted parts.
        held_out: stretches of the held-out parts.

    Returns:
        From 0 to 1; NaN where the held-out part has too few windows that move.
    """
    ranges = _ranges([*fitted, *held_out])
    wanted = _moving_windows(held_out, ranges)
    if len(wanted) < FEWEST_WINDOWS:
        return float('nan')
    nearest = np.full(len(wanted), np.inf)
    for stretch in fitted:
        for rows in stretch.windows(1):
            scaled = _scaled(rows, ranges)
            products = wanted @ scaled.T
            squares = (wanted**2).sum(axis=1)[:, None] + (scaled**2).sum(axis=1) - 2.0 * products
            np.minimum(nearest, squares.min(axis=1), out=nearest)
    return float((nearest < SAME**2).mean())


def repetition_findings(share: float) -> Iterator[Finding]:
    """That the held-out part repeats the fitted one.

    Args:
        share: of its windows, see `repeated_share`; NaN: unknown.
    """
    if not share >= REPEATED:
        return
    yield Finding(
        'repeated_motion',
        (),
        share,
        f'{share:.0%} of the held-out motion repeats the fitted motion: the held-out figures show '
        'the noise, not how the model predicts another motion. Hold out a recording of another '
        'motion (robot_dynamics excite --seed 1; identify --held-out)',
    )


def _ranges(stretches: Sequence[Positions]) -> Array:
    """What each joint (n,) covers; infinite where it stands still, so that it does not count."""
    values = [one.values for one in stretches if len(one.values)]
    if not values:
        return np.empty(0)
    low = np.min([one.min(axis=0) for one in values], axis=0)
    covered = np.max([one.max(axis=0) for one in values], axis=0) - low
    return np.where(covered > 0.0, covered, np.inf)


def _moving_windows(stretches: Sequence[Positions], ranges: Array) -> Array:
    """Windows (k, points n) of the stretches in which a joint moves, at most `MOST_WINDOWS`."""
    size, stride = len(ranges), round(LENGTH / STEP / 2.0)
    found = [_scaled(rows, ranges) for one in stretches for rows in one.windows(stride)]
    if not found or not size:
        return np.empty((0, 0))
    windows = np.concatenate(found)
    points = windows.reshape(len(windows), -1, size) * np.sqrt(windows.shape[1])
    moving = windows[np.ptp(points, axis=1).max(axis=1) > LEAST_MOTION]
    chosen = np.linspace(0, len(moving) - 1, min(len(moving), MOST_WINDOWS)).astype(int)
    return np.asarray(moving[chosen])


def _scaled(rows: Array, ranges: Array) -> Array:
    """Windows so that their squared distance is the mean square difference of shares."""
    repeated = np.tile(ranges, rows.shape[1] // len(ranges))
    return np.asarray(rows / repeated / np.sqrt(rows.shape[1]))
