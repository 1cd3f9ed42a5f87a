"""Whether a held-out motion repeats the fitted one, so that it cannot judge the model.

A model that follows the noise of the fitted samples, or has errors that this motion does not show,
is as good on a repetition as on the fitted part. For the dynamics a motion is a repetition where
the velocities are the same and the torques of the URDF too, which depend on pose and acceleration.
So windows of these on the held-out part are looked for in the fitted ones, at any shift in time: a
period that is played again is found, also in another recording.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .held_out import Torques

# Time between two beginnings of fitted windows, between the points of a window, and length [s].
STEP, POINT_STEP, LENGTH = 0.02, 0.1, 1.0
# Of the range of a velocity: windows in which no joint is faster repeat each other, as rest does.
LEAST_MOTION = 0.1
# Of the largest range of a torque: a smaller range is mostly noise of accelerations.
LEAST_TORQUE = 0.1
# Windows are the same if they differ by less, root mean square over columns and points, each as a
# share of the range of its column.
SAME = 0.05
# Windows of the held-out part that are looked for at most, and fewest that allow a statement.
MOST_WINDOWS, FEWEST_WINDOWS = 200, 3
# Fitted windows that are compared at the same time.
ROWS = 4096


def repeated_share(torques: Sequence[Torques]) -> float:
    """The share of the held-out windows that move and occur in the fitted part.

    Args:
        torques: of each recording.

    Returns:
        From 0 to 1; NaN where the held-out part has too few windows that move.
    """
    fitted, held_out = _stretches(torques, False), _stretches(torques, True)
    if not held_out:
        return float('nan')
    ranges = np.ptp(np.concatenate([*fitted, *held_out]), axis=0)
    size = len(ranges) // 2
    ranges[size:] = np.maximum(ranges[size:], LEAST_TORQUE * ranges[size:].max())
    # A joint that stands still does not count.
    ranges[ranges == 0.0] = np.inf
    stride = round(LENGTH / STEP / 2.0)
    windows = np.concatenate([rows for one in held_out for rows in _windows(one / ranges, stride)])
    speeds = np.abs(windows.reshape(len(windows), -1, 2 * size)[:, :, :size])
    wanted = windows[speeds.max(axis=(1, 2)) > LEAST_MOTION]
    if len(wanted) < FEWEST_WINDOWS:
        return float('nan')
    wanted = wanted[np.linspace(0, len(wanted) - 1, min(len(wanted), MOST_WINDOWS)).astype(int)]
    nearest = np.full(len(wanted), np.inf)
    for stretch in fitted:
        for rows in _windows(stretch / ranges, 1):
            squares = (wanted**2).sum(axis=1)[:, None] + (rows**2).sum(axis=1)
            np.minimum(nearest, (squares - 2.0 * wanted @ rows.T).min(axis=1), out=nearest)
    return float((nearest < SAME**2 * wanted.shape[1]).mean())


def _stretches(torques: Sequence[Torques], held_out: bool) -> list[Array]:
    """Velocities and torques of the URDF (N, 2 n) without a gap, each `STEP`."""
    found = []
    for one in torques:
        for rows in one.pieces():
            times = one.times[rows]
            if one.held_out[rows.start] == held_out and times[-1] - times[0] > LENGTH:
                values = np.hstack([one.velocities[rows], one.nominal[rows]])
                grid = np.arange(times[0], times[-1], STEP)
                found.append(np.stack([np.interp(grid, times, each) for each in values.T], axis=1))
    return found


def _windows(shares: Array, stride: int) -> Iterator[Array]:
    """Windows (k, points c) of columns as shares of their ranges, up to `ROWS` at a time.

    Args:
        shares: (N, c) [-].
        stride: steps between the beginnings of two windows.
    """
    offsets = np.arange(0, round(LENGTH / STEP), round(POINT_STEP / STEP))
    begins = np.arange(0, len(shares) - offsets[-1], stride)
    for first in range(0, len(begins), ROWS):
        places = begins[first : first + ROWS, None] + offsets
        yield shares[places].reshape(len(places), -1)
