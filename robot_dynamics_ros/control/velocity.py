"""The velocity of a robot, estimated from its measured positions."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.model.robot import RobotModel

from .filtered_derivative import FilteredDerivative


class VelocityEstimate(FilteredDerivative):
    """Filtered derivative of the position, for hardware that does not measure velocities.

    It lags behind the true velocity by about 1 / (2 pi f), and so does a torque that is computed
    from it. A high cutoff passes the noise and the steps of the encoder on to the torque: a
    resolution of dq gives steps of up to 2 pi f dq.

    Attributes:
        v: (n,) the estimate [rad/s or m/s]; zero before the second position.
    """

    def __init__(self, model: RobotModel, cutoff: float) -> None:
        """Without a position yet.

        Args:
            model: of the robot; positions of its continuous joints may be wrapped.
            cutoff: f [Hz].
        """
        turning = np.array([joint.kind == 'continuous' for joint in model.independent_joints])
        super().__init__(model.size, cutoff, turning)
        self.v = self.value
