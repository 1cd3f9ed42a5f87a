"""What a link carries, from motion and measured efforts; NumPy alone.

>>> estimator = PayloadEstimator(RobotDynamics(model), 'flange', friction.torque)
>>> for motion in motions(recording):
...     estimator.add(motion)
>>> estimator.estimate().sentence()

`robot_dynamics identify --payload` and `~/estimate_payload` of the node use it alike.

Modules::

    estimator  from motions to the estimate
    fit        least squares, with covariances; a body that can exist
    estimate   what is determined, how certainly, or why the estimate must not be used
"""

from .estimate import MOMENTS, PayloadEstimate
from .estimator import PayloadEstimator, estimate_recorded_payload

__all__ = ['MOMENTS', 'PayloadEstimate', 'PayloadEstimator', 'estimate_recorded_payload']
