"""Estimates of the parameters from reduced equations.

>>> robust = estimate(reduced, reduce_again)

Modules::

    estimate       what an estimate is
    least_squares  base parameters, noise and covariance, weighted by the noise of each joint
    huber          weights that bound the influence of equations that do not fit
    completion     full parameters from base parameters and the description
    robust         the estimate: weighted, then robust
"""

from .estimate import Estimate
from .huber import HuberWeights
from .robust import estimate

__all__ = ['Estimate', 'HuberWeights', 'estimate']
