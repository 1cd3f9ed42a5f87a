"""The levels that maxima of several quantities exceed rarely, from maxima of blocks of time."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Quantile of 5 % of the standard normal distribution.
UNSURE = -1.645
# Blocks from which a level is concluded, at least.
FEWEST = 10
# Maxima that show how large one quantity becomes, and how the tail of all decays, at least.
FEWEST_OF_ONE, FEWEST_OF_ALL = 3, 5


def rare_levels(maxima: Array, probability: float) -> Array:
    """The level of each quantity that the maximum of a block exceeds with a probability of p.

    A short recording has few large maxima of one quantity, too few to tell how their tail decays.
    So all quantities are taken to have the same tail but for a scale, the mean of the largest
    maxima of each (`scales`; the index of regional frequency analysis). Of all maxima together,
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
    unit = scales(maxima)
    ordered = np.sort(maxima / unit[:, None], axis=None)
    count = len(ordered)
    largest = min(max(FEWEST_OF_ALL, round(math.sqrt(count))), count - 1)
    start = float(ordered[-largest - 1])
    excess = float(ordered[-largest:].mean()) - start
    # Of chi-square with 2 m degrees of freedom, divided by 2 m.
    spread = 1.0 / (9.0 * largest)
    low = (1.0 - spread + UNSURE * math.sqrt(spread)) ** 3
    beyond = max(0.0, math.log(largest / (count * probability)))
    level = max(start + excess / low * beyond, float(ordered[-1]))
    return level * unit


def scales(maxima: Array) -> Array:
    """How large quantities become: the mean (...) of the sqrt(N) largest maxima, 3 at least.

    Args:
        maxima: (..., N) of N blocks.
    """
    count = maxima.shape[-1]
    largest = max(FEWEST_OF_ONE, round(math.sqrt(count)))
    mean: Array = np.sort(maxima, axis=-1)[..., -largest:].mean(axis=-1)
    return mean
