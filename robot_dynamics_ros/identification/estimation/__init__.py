"""Estimates of the parameters from reduced equations.

>>> robust = estimate(reduced, reduce_again)
>>> periods = disturbed_periods(blocks, robust.parameters)
>>> weights = OutlierWeights(robust.parameters, robust.noise, periods)
>>> found = estimate(reduce_again(weights))
>>> honest = with_correlation(found, lagged_influence(blocks, found, weights), independence)

Modules::

    estimate          what an estimate is
    least_squares     base parameters, noise and covariance, weighted by the noise of each joint
    huber             weights that bound the influence of equations that do not fit
    instruments       gains of drives without the noise of the measured currents
    completion        full parameters from base parameters and the description
    robust            the estimate: weighted, or robust
    disturbances      times at which something touched the robot
    fast_weights      weights of fast joints alone
    outlier_weights   weights of the final estimate, without them
    correlated_noise  intervals for residuals that are correlated
    window_sums       sums of products over windows of time
    outlying_windows  windows in which something else made the efforts, such as a contact
    period_weights    weights that leave these out
"""

from .correlated_noise import LaggedInfluence, lagged_influence, with_correlation
from .disturbances import Period, disturbed_periods
from .estimate import Estimate
from .fast_weights import FastWeights
from .huber import HuberWeights
from .outlier_weights import OutlierWeights
from .period_weights import PeriodWeights, outlying_periods
from .robust import estimate
from .window_sums import WindowSums, window_sums

__all__ = [
    'Estimate',
    'FastWeights',
    'HuberWeights',
    'LaggedInfluence',
    'OutlierWeights',
    'Period',
    'PeriodWeights',
    'WindowSums',
    'disturbed_periods',
    'estimate',
    'lagged_influence',
    'outlying_periods',
    'window_sums',
    'with_correlation',
]
