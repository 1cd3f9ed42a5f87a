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
    completion        full parameters from base parameters and the description
    robust            the estimate: weighted, or robust
    disturbances      times at which something touched the robot
    outlier_weights   weights of the final estimate, without them
    correlated_noise  intervals for residuals that are correlated
"""

from .correlated_noise import LaggedInfluence, lagged_influence, with_correlation
from .disturbances import Period, disturbed_periods
from .estimate import Estimate
from .huber import HuberWeights
from .outlier_weights import OutlierWeights
from .robust import estimate

__all__ = [
    'Estimate',
    'HuberWeights',
    'LaggedInfluence',
    'OutlierWeights',
    'Period',
    'disturbed_periods',
    'estimate',
    'lagged_influence',
    'with_correlation',
]
