"""Estimates of the parameters from reduced equations.

>>> robust = estimate(reduced, reduce_again)
>>> honest = with_correlation(robust, lagged_influence(blocks, robust), independence)

Modules::

    estimate          what an estimate is
    least_squares     base parameters, noise and covariance, weighted by the noise of each joint
    huber             weights that bound the influence of equations that do not fit
    completion        full parameters from base parameters and the description
    robust            the estimate: weighted, then robust
    correlated_noise  intervals for residuals that are correlated
    window_sums       sums of products over windows of time
    touched_windows   windows in which something else made the efforts, such as a contact
    period_weights    weights that leave these out
"""

from .correlated_noise import LaggedInfluence, lagged_influence, with_correlation
from .estimate import Estimate
from .huber import HuberWeights
from .period_weights import Period, PeriodWeights, touched_periods
from .robust import estimate
from .window_sums import WindowSums, window_sums

__all__ = [
    'Estimate',
    'HuberWeights',
    'LaggedInfluence',
    'Period',
    'PeriodWeights',
    'WindowSums',
    'estimate',
    'lagged_influence',
    'touched_periods',
    'window_sums',
    'with_correlation',
]
