"""Thresholds of contacts, from residuals without a contact."""

from __future__ import annotations

from itertools import product
from typing import Protocol

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from .contact_thresholds import ContactThresholds
from .extreme_values import FEWEST, rare_level

# Of which maxima are taken as independent [s]: longer than the filters remember.
BLOCK = 1.0
HOUR = 3600.0
# A joint with a smaller mean speed has not been moved [rad/s or m/s].
REST = 0.01
# [N m or N]: of a joint whose residual is zero.
LEAST = 1e-6
# Shares of constant, velocity and acceleration in the mean threshold. Some constant is always
# there: nothing is known of a residual at rest that the recording does not have.
TENTHS = range(11)
SHARES = (
    np.array(
        [
            (10 - velocity - acceleration, velocity, acceleration)
            for velocity, acceleration in product(TENTHS, TENTHS)
            if velocity + acceleration < 10
        ]
    )
    / 10.0
)


class Peaks(Protocol):
    """Such as `ResidualPeaks`."""

    @property
    def seconds(self) -> float:
        """Of which peaks are kept."""

    def arrays(self) -> tuple[Array, Array, Array]:
        """See `ResidualPeaks.arrays`."""


def learned_thresholds(peaks: Peaks, false_alarms_per_hour: float) -> ContactThresholds:
    """The lowest thresholds that give that rate of false alarms.

    Of each joint and band, a threshold L (s_0 + s_1 |v| / mean |v| + s_2 |a| / mean |a|) with
    shares s whose sum is 1 has the mean L along the recording. So of all shares, in tenths, those
    with the lowest L are chosen. L is the level that the residual, divided by the sum in brackets,
    exceeds as rarely as is wanted: `rare_level` of its maxima in blocks of a second. No threshold
    is below what was recorded. All joints and bands get the same part of the rate: together they
    have at most that rate, whatever depends on what.

    Args:
        peaks: of a recording that has the motions of the application, and no contact.
        false_alarms_per_hour: of both bands and all joints together.

    Raises:
        StateError: there is too little time, or a residual is not finite.
    """
    _, sizes, motions = peaks.arrays()
    cells = cells_of_block(peaks)
    blocks = len(sizes) // cells
    if blocks < FEWEST:
        raise StateError(
            f'the residuals last {peaks.seconds:.3g} s, thresholds need {FEWEST * BLOCK:g} s '
            'without a contact'
        )
    # Of a cell without a finite residual it is negative.
    if not ((sizes >= 0.0) & np.isfinite(sizes)).all() or not np.isfinite(motions).all():
        raise StateError('a residual is not finite: learn from states that are measured')
    joints = sizes.shape[2]
    duration = cells * peaks.seconds / len(sizes)
    probability = min(0.1, false_alarms_per_hour / HOUR * duration / (2 * joints))
    coefficients = np.empty((2, 3, joints))
    used = slice(blocks * cells)
    for band, joint in product(range(2), range(joints)):
        coefficients[band, :, joint] = _of_joint(
            sizes[used, band, joint], motions[used, band, :, joint].T, cells, probability
        )
    return ContactThresholds.of_coefficients(coefficients, false_alarms_per_hour, peaks.seconds)


def cells_of_block(peaks: Peaks) -> int:
    """How many cells are a block; at a low rate of the states, cells are longer."""
    count = len(peaks.arrays()[0])
    return max(1, round(BLOCK * count / peaks.seconds)) if count else 1


def _of_joint(sizes: Array, motion: Array, cells: int, probability: float) -> Array:
    """Constant, velocity and acceleration part (3,).

    Args:
        sizes: (C,) largest residuals of the cells.
        motion: (2, C) speed and absolute acceleration at these.
        cells: of a block.
        probability: that a block exceeds the threshold.
    """
    means = np.maximum(motion.mean(axis=1), np.finfo(float).tiny)
    moved = means[0] >= REST
    shares = SHARES if moved else SHARES[:1]
    scaled = np.ones((3, len(sizes)))
    if moved:
        scaled[1:] = motion / means[:, None]
    ratios = sizes / (shares @ scaled)
    maxima = ratios.reshape(len(shares), -1, cells).max(axis=2)
    levels = np.maximum(rare_level(maxima, probability), maxima.max(axis=1))
    best = int(levels.argmin())
    result: Array = levels[best] * shares[best]
    if moved:
        result[1:] /= means
    result[0] = max(result[0], LEAST)
    return result
