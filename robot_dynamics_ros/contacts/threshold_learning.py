"""Thresholds of contacts, from residuals without a contact."""

from __future__ import annotations

import math
from itertools import product
from typing import Protocol

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.control.external.contact_detector import PUSH, SPEED
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from .extreme_values import FEWEST, rare_levels, scales
from .friction_thresholds import friction_thresholds

# Of which maxima are taken as independent [s]: longer than the filters remember.
BLOCK = 1.0
HOUR = 3600.0
# A joint with a smaller mean speed has not been moved [rad/s or m/s].
REST = 0.01
# Stands for a residual of zero, by which nothing can be divided [N m or N].
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


def learned_thresholds(
    peaks: Peaks,
    false_alarms_per_hour: float,
    *,
    friction: Array | None = None,
    floor: Array | None = None,
    margin: float = 1.0,
) -> ContactThresholds:
    """The lowest thresholds that give that rate of false alarms in motion like that of the peaks.

    Of each joint and band, a threshold L (s_0 + s_1 |v| / mean |v| + s_2 |a| / mean |a|) with
    shares s whose sum is 1 has the mean L along the recording. Of all shares, in tenths, those are
    chosen for which the residual, divided by the sum in brackets, becomes least large. L is the
    level that this ratio exceeds as rarely as is wanted: `rare_levels` of its maxima in blocks of
    a second. No threshold is below what was recorded. All joints and bands get the same part of
    the rate: together they have at most that rate, whatever depends on what.

    The rate is that of tails that decay exponentially, and lower for others. A recording of less
    than a minute tells too little of the tail: the rate is then one of an order of magnitude.

    Other motion has other residuals. What friction contributes to them is known for all motion:
    each part is at least that of `friction_thresholds`. What poses and loads that were not
    recorded contribute, and the accuracy of efforts, is in `threshold_floor`. For the rest there
    is the margin.

    Args:
        peaks: of a recording that has the motions of the application, and no contact.
        false_alarms_per_hour: of both bands and all joints together.
        friction: (2, n) of the joints, see `JointFriction.bounds`; None for none.
        floor: (n,) least constant part of both bands, see `threshold_floor`; None for none.
        margin: factor of what was learned, for motion unlike that of the peaks [-]; friction and
            floor do not have it.

    Raises:
        StateError: there is too little time, or a residual is not finite.
    """
    _, sizes, motions = peaks.arrays()
    cells = cells_of_block(peaks)
    duration = cells * peaks.seconds / max(1, len(sizes))
    blocks = len(sizes) // cells
    if blocks < FEWEST:
        needed = FEWEST * (duration or BLOCK)
        missing = math.ceil(needed - peaks.seconds)
        raise StateError(
            f'external torques are known for {peaks.seconds:.3g} s, without the time in which the '
            f'observer settles at the start and after each gap; thresholds need {needed:.3g} s '
            f'without a contact: take {missing} s more'
        )
    # Of a cell without a finite residual it is negative.
    if not ((sizes >= 0.0) & np.isfinite(sizes)).all() or not np.isfinite(motions).all():
        raise StateError('a residual is not finite: learn from states that are measured')
    used, joints = slice(blocks * cells), sizes.shape[2]
    probability = false_alarms_per_hour / HOUR * duration / (2 * joints)
    coefficients = np.empty((2, 3, joints))
    for band in range(2):
        shapes, maxima = zip(
            *(
                _shape(sizes[used, band, joint], motions[used, band, :, joint].T, cells)
                for joint in range(joints)
            ),
            strict=True,
        )
        levels = rare_levels(np.stack(maxima), probability)
        coefficients[band] = np.stack(shapes, axis=1) * levels
    coefficients[:, 0] = np.maximum(coefficients[:, 0], LEAST)
    coefficients *= margin
    if friction is not None:
        coefficients = np.maximum(coefficients, friction_thresholds(friction))
    if floor is not None:
        coefficients[:, 0] = np.maximum(coefficients[:, 0], floor)
    return ContactThresholds(coefficients, false_alarms_per_hour, peaks.seconds)


def standing_still(peaks: Peaks) -> npt.NDArray[np.bool_]:
    """(n,) joints whose thresholds are those for standing still: they hardly moved."""
    speeds: Array = peaks.arrays()[2][:, PUSH, SPEED].mean(axis=0)
    return speeds < REST


def cells_of_block(peaks: Peaks) -> int:
    """How many cells are a block; at a low rate of the states, cells are longer."""
    count = len(peaks.arrays()[0])
    return max(1, round(BLOCK * count / peaks.seconds)) if count else 1


def _shape(sizes: Array, motion: Array, cells: int) -> tuple[Array, Array]:
    """Constant, velocity and acceleration part (3,) for L = 1, and maxima (B,) of the ratio.

    Args:
        sizes: (C,) largest residuals of the cells.
        motion: (2, C) speed and absolute acceleration at these.
        cells: of a block.
    """
    means = np.maximum(motion.mean(axis=1), np.finfo(float).tiny)
    moved = means[0] >= REST
    shares = SHARES if moved else SHARES[:1]
    scaled = np.ones((3, len(sizes)))
    if moved:
        scaled[1:] = motion / means[:, None]
    ratios = np.maximum(sizes, LEAST) / (shares @ scaled)
    maxima = ratios.reshape(len(shares), -1, cells).max(axis=2)
    best = int(scales(maxima).argmin())
    shape: Array = shares[best].copy()
    if moved:
        shape[1:] /= means
    return shape, maxima[best]
