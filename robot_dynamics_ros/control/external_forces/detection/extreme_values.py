"""The level that maxima exceed rarely, from maxima of blocks of time."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Quantile of 5 % of the standard normal distribution.
UNSURE = -1.645
# Blocks from which a level is concluded, at least, and maxima that show how the tail decays.
FEWEST, FEWEST_LARGEST = 10, 5


def rare_level(maxima: Array, probability: float) -> Array:
    """The level that the maximum of a block exceeds with a probability of at most p.

    Of N maxima, the m = sqrt(N) largest show how the tail decays, m at least 5: beyond the next
    one, u, they have the mean excess s, and the level is u + s ln(m / (N p)). That is exact for a
    tail that decays exponentially, and too high for one that decays faster or is bounded. For m
    values, 2 m s / (true s) has the chi-square distribution with 2 m degrees of freedom: s is
    multiplied so that it is above the true one with a probability of 95 %.

    Sources: I. Weissman, Estimation of parameters and large quantiles based on the k largest
    observations, J. American Statistical Association 73, 1978; E. B. Wilson, M. M. Hilferty, The
    distribution of chi-square, PNAS 17, 1931 (quantile).

    Args:
        maxima: (..., N) of N blocks, of any quantities.
        probability: p, below m / N.

    Returns:
        (...) levels.
    """
    count = maxima.shape[-1]
    largest = max(FEWEST_LARGEST, round(math.sqrt(count)))
    ordered = np.sort(maxima, axis=-1)[..., -largest - 1 :]
    start = ordered[..., 0]
    excess = ordered[..., 1:].mean(axis=-1) - start
    # Of chi-square with 2 m degrees of freedom, divided by 2 m.
    spread = 1.0 / (9.0 * largest)
    low = (1.0 - spread + UNSURE * math.sqrt(spread)) ** 3
    level: Array = start + excess / low * math.log(largest / (count * probability))
    return level
