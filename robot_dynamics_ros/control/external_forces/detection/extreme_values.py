"""The level that maxima exceed rarely, from maxima of blocks of time."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Standard deviations of the estimate that are added: quantile of 95 % of the normal distribution.
CONFIDENCE = 1.645
# Blocks from which a level is concluded, at least.
FEWEST = 10


def rare_level(maxima: Array, probability: float) -> Array:
    """The level that the maximum of a block exceeds with a probability of at most p.

    The maxima have a Gumbel distribution, exp(-exp(-(x - m) / b)): that of the maximum of many
    values whose tail decays exponentially, or faster. With b and m from the L-moments l_1 and l_2,
    b = l_2 / ln 2, m = l_1 - 0.5772 b, the level is m + b y, y = -ln(-ln(1 - p)). Its variance is
    b^2 / N (1.1128 + 0.4574 y + 0.8046 y^2); what is returned is above the true level with a
    probability of 95 % for many blocks, and of at least 85 % for ten.

    Sources: J. R. M. Hosking, L-moments: analysis and estimation of distributions using linear
    combinations of order statistics, J. Royal Statistical Society B 52, 1990; H. N. Phien, A
    review of methods of parameter estimation for the extreme value type-1 distribution, J.
    Hydrology 90, 1987 (variance).

    Args:
        maxima: (..., N) of N blocks, of any quantities.
        probability: p.

    Returns:
        (...) levels.
    """
    count = maxima.shape[-1]
    ordered = np.sort(maxima, axis=-1)
    mean = ordered.mean(axis=-1)
    rising = ordered @ (np.arange(count) / (count - 1.0)) / count
    scale = (2.0 * rising - mean) / math.log(2.0)
    mode = mean - np.euler_gamma * scale
    y = -math.log(-math.log1p(-probability))
    deviation = math.sqrt((1.1128 + 0.4574 * y + 0.8046 * y * y) / count)
    level: Array = mode + scale * (y + CONFIDENCE * deviation)
    return level
