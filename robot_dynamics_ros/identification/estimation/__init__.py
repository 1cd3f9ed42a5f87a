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
"""

from .correlated_noise import LaggedInfluence, lagged_influence, with_correlation
from .estimate import Estimate
from .huber import HuberWeights
from .robust import estimate

__all__ = [
    'Estimate',
    'HuberWeights',
    'LaggedInfluence',
    'estimate',
    'lagged_influence',
    'with_correlation',
]
