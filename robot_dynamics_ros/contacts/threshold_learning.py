"""Thresholds of contacts, from residuals without a contact."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.control.settings import UNKNOWN_LIMIT
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from .residuals import BLOCK, ResidualPeaks

# Quantile of 95 % of the standard normal distribution.
SURE = 1.645
# Blocks from which a level is concluded, at least.
FEWEST = 10
# Maxima that show how large one quantity becomes, and how the tail of all decays, at least.
FEWEST_OF_ONE, FEWEST_OF_ALL = 3, 5


def rare_levels(maxima: Array, probability: float) -> Array:
    """The level of each quantity that the maximum of a block exceeds with a probability of p.

    A short recording has few large maxima of one quantity, too few to tell how their tail decays.
    So all quantities are taken to have the same tail but for a scale, the mean of the largest
    maxima of each (the index of regional frequency analysis). Of all maxima together,
    divided by their scales, the m = sqrt(count) largest have the mean excess s beyond the next
    one, u: the level is u + s ln(m / (count p)), times the scale. That is exact for a tail that
    decays exponentially, and too high for one that decays faster or is bounded. For m values,
    2 m s / (true s) has the chi-square distribution with 2 m degrees of freedom: s is multiplied
    so that it is above the true one with a probability of 95 %. No level is below a maximum.

    Sources: J. R. M. Hosking, J. R. Wallis, Regional frequency analysis, 1997, section 1.3 (index
    flood); I. Weissman, Estimation of parameters and large quantiles based on the k largest
    observations, J. American Statistical Association 73, 1978; E. B. Wilson, M. M. Hilferty, The
    distribution of chi-square, PNAS 17, 1931 (quantile).

    Args:
        maxima: (K, N) of K quantities in N blocks, positive.
        probability: p.

    Returns:
        (K,) levels.
    """
    unit = _scales(maxima)
    ordered = np.sort(maxima / unit[:, None], axis=None)
    count = len(ordered)
    largest = max(FEWEST_OF_ALL, round(math.sqrt(count)))
    start = float(ordered[-largest - 1])
    excess = float(ordered[-largest:].mean()) - start
    # Of chi-square with 2 m degrees of freedom, divided by 2 m.
    spread = 1.0 / (9.0 * largest)
    low = (1.0 - spread - SURE * math.sqrt(spread)) ** 3
    beyond = max(0.0, math.log(largest / (count * probability)))
    level = max(start + excess / low * beyond, float(ordered[-1]))
    return level * unit


def _scales(maxima: Array) -> Array:
    """How large quantities become: mean (K,) of the sqrt(N) largest of their maxima (K, N)."""
    largest = max(FEWEST_OF_ONE, round(math.sqrt(maxima.shape[1])))
    return np.sort(maxima, axis=1)[:, -largest:].mean(axis=1)


# Largest deviation of the friction from the model, as a share of it [-]: five standard deviations
# of a friction that varies by 5 %.
VARIATION = 0.25


def friction_thresholds(bounds: Array) -> Array:
    """Coefficients (2, 3, n) of thresholds that friction within `VARIATION` does not exceed.

    The friction of a joint at rest has any value up to its Coulomb friction F_s, and the model
    takes zero there: the residual is up to (1 + E) F_s, E being the variation. In motion the
    friction is that of the model but for a share of at most E: the residual is up to
    E (F_s + F_v |v|). So it is in every motion: also where joints stop, creep and turn back,
    however rarely a recording has that. The slow band, a low pass, has the same bound with the
    low-passed speed. The fast band is how much the residual has changed of late: at most the sum
    of both bounds, where a joint starts or stops. It can be more where rest, motion and rest again
    follow each other faster than the low pass; and the lag of the observer is left out.

    Source: the friction of `core.friction.JointFriction`, and the bands of `ResidualBands`.

    Args:
        bounds: rows F_s [N m or N] and F_v [N m s/rad or N s/m], (2, n); see
            `JointFriction.bounds`.
    """
    coulomb, viscous = bounds
    none = np.zeros_like(coulomb)
    push = np.stack([(1.0 + VARIATION) * coulomb, VARIATION * viscous, none])
    moving = VARIATION * np.stack([coulomb, viscous, none])
    return np.stack([push + moving, push])


# Share of the effort limit that no external torque is more exact than [-].
ACCURACY = 0.01


def least_thresholds(bounds: Array, limits: Array) -> Array:
    """Coefficients (2, 3, n) below which no recording leads: friction, and a floor.

    A recording shows the errors of its own poses and loads alone: at rest, the residual of an arm
    without noise is constant, or zero. Elsewhere the error is `ACCURACY` times the effort limit
    for each of these: efforts in steps of 2 % of the limit; masses of the model that are wrong by
    2 % where gravity takes half of the limit; efforts that err by 1 % of their range. That is the
    least constant of both bands.

    Args:
        bounds: (2, n) of friction, see `friction_thresholds`.
        limits: (n,) effort limits of the URDF [N m or N]; infinite for none.
    """
    least = friction_thresholds(bounds)
    floor = ACCURACY * np.where(np.isfinite(limits), limits, UNKNOWN_LIMIT)
    least[:, 0] = np.maximum(least[:, 0], floor)
    return least


HOUR = 3600.0
# A joint with a smaller mean speed has not been moved [rad/s or m/s].
REST = 0.01
# Stands for a residual of zero, by which nothing can be divided [N m or N].
LEAST = 1e-6
# Shares of constant, velocity and acceleration in the mean threshold. Some constant is always
# there: nothing is known of a residual at rest that the recording does not have.
TENTHS = product(reversed(range(11)), repeat=3)
SHARES = np.array([each for each in TENTHS if sum(each) == 10 and each[0]]) / 10.0


def learned_thresholds(
    peaks: ResidualPeaks,
    false_alarms_per_hour: float,
    *,
    least: Array | None = None,
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

    Other motion has other residuals. What is known of all motion is in `least_thresholds`; for
    the rest there is the margin.

    Args:
        peaks: of a recording that has the motions of the application, and no contact.
        false_alarms_per_hour: of both bands and all joints together.
        least: (2, 3, n) coefficients that none is below, see `least_thresholds`; None for none.
        margin: factor of what was learned, for motion unlike that of the peaks [-]; `least` does
            not have it.

    Raises:
        StateError: there is too little time, or a residual is not finite.
    """
    sizes, motions, cells = peaks.sizes, peaks.motions, peaks.cells
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
        found = [
            _shape(sizes[used, band, joint], motions[used, band, :, joint].T, cells)
            for joint in range(joints)
        ]
        shapes, maxima = (np.stack(each) for each in zip(*found, strict=True))
        coefficients[band] = shapes.T * rare_levels(maxima, probability)
    coefficients[:, 0] = np.maximum(coefficients[:, 0], LEAST)
    coefficients *= margin
    if least is not None:
        coefficients = np.maximum(coefficients, least)
    return ContactThresholds(coefficients, false_alarms_per_hour, peaks.seconds)


def _shape(sizes: Array, motion: Array, cells: int) -> tuple[Array, Array]:
    """Parts (3,) of the threshold of mean L = 1 of a joint and band, and maxima (B,) of blocks.

    Of sizes (C,), speed and absolute acceleration (2, C), and the number of cells in a block.
    """
    means = np.maximum(motion.mean(axis=1), np.finfo(float).tiny)
    moved = means[0] >= REST
    shares = SHARES if moved else SHARES[:1]
    scaled = np.ones((3, len(sizes)))
    if moved:
        scaled[1:] = motion / means[:, None]
    ratios = np.maximum(sizes, LEAST) / (shares @ scaled)
    maxima = ratios.reshape(len(shares), -1, cells).max(axis=2)
    best = int(_scales(maxima).argmin())
    shape: Array = shares[best].copy()
    if moved:
        shape[1:] /= means
    return shape, maxima[best]


# Quantiles of the maxima of blocks, which no contact changes as long as it is rare.
QUANTILES = np.array([0.1, 0.5])
# Number of recordings as long as this one, of which one would exceed the level by chance.
RARE = 100.0
# Times that what is left is searched again.
SEARCHES = 3
# Of a recording: where more of it is beyond the level, the model is wrong rather than touched.
MOST = 0.4


def without_contacts(peaks: ResidualPeaks, false_alarms_per_hour: float) -> ResidualPeaks:
    """The cells in which nothing seems to touch the robot.

    Where the residual, divided by a threshold, is far above what its usual maxima in blocks let
    expect, something touches it. The usual ones are two quantiles of these maxima, which contacts
    do not change as long as they are in less than half of the blocks: they give the two parameters
    of a Gumbel distribution. Where that is so for much of the recording, the model is wrong, and
    all cells are kept.

    Args:
        peaks: of a recording with contacts.
        false_alarms_per_hour: of the thresholds whose dependence on the motion is used.

    Raises:
        StateError: there is too little time.
    """
    free = peaks
    for _ in range(SEARCHES):
        limits = learned_thresholds(free, false_alarms_per_hour).limits(free.motions)
        ratios, cells = free.sizes / limits, free.cells
        blocks = len(ratios) // cells
        maxima = ratios[: blocks * cells].reshape(blocks, cells, *ratios.shape[1:]).max(axis=1)
        low, middle = np.quantile(maxima, QUANTILES, axis=0)
        reduced = -np.log(-np.log(QUANTILES))
        scale = (middle - low) / (reduced[1] - reduced[0])
        level = middle + scale * (np.log(maxima.size * RARE) - reduced[1])
        touched = (ratios > level).any(axis=(1, 2))
        if not touched.any():
            break
        # Cells that are at most half a block away from a contact may be part of it: a window of
        # an odd number of cells.
        near = np.convolve(touched, np.ones(cells | 1), mode='same') > 0.5
        free = free.part(~near)
        if len(free.times) < (1.0 - MOST) * len(peaks.times):
            return peaks
    return free
