"""The acceleration of a robot, estimated from its measured velocities."""

from __future__ import annotations

from .filtered_derivative import FilteredDerivative


class AccelerationEstimate(FilteredDerivative):
    """Filtered derivative of the velocity.

    It lags behind the true acceleration by about 1 / (2 pi f), and so does a torque that is
    computed from it. A high cutoff passes the noise of the velocity on to the torque.

    Attributes:
        a: (n,) the estimate [rad/s^2 or m/s^2]; zero before the second velocity.
    """

    def __init__(self, size: int, cutoff: float) -> None:
        """Without a velocity yet.

        Args:
            size: number of joints, n.
            cutoff: f [Hz].
        """
        super().__init__(size, cutoff)
        self.a = self.value
