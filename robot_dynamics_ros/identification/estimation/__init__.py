"""Estimates of the parameters from reduced equations.

>>> found = estimate(reduced, lambda weights: reduce(equations, weights))

Modules::

    parameter_estimate  the result, with covariances
    regularized         least squares in units of noise, with the description as prior
    robust_estimate     weighted by the noise of joints, and by Huber
    robust_weights      Huber's weights of equations
"""

from .parameter_estimate import Estimate
from .robust_estimate import estimate
from .robust_weights import RobustWeights

__all__ = ['Estimate', 'RobustWeights', 'estimate']
