"""The acceleration of a robot, estimated from its measured velocities."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array


class AccelerationEstimate:
    """Difference quotient of the velocity, filtered by a first-order low-pass filter.

    a_k = a_(k-1) + (1 - exp(-2 pi f dt)) ((v_k - v_(k-1)) / dt - a_(k-1)). It lags behind the true
    acceleration by about 1 / (2 pi f), and so does a torque that is computed from it. A high
    cutoff passes the noise of the velocity on to the torque.

    Attributes:
        cutoff: f [Hz]; may change at any time.
        a: (n,) the estimate [rad/s^2 or m/s^2]; zero before the second velocity.
    """

    def __init__(self, size: int, cutoff: float) -> None:
        """Without a velocity yet.

        Args:
            size: number of joints, n.
            cutoff: f [Hz].
        """
        self.cutoff = cutoff
        self.a = np.zeros(size)
        self._v = np.zeros(size)
        self._time = -math.inf

    @property
    def delay(self) -> float:
        """Lag of the estimate, 1 / (2 pi f) [s]."""
        return 1.0 / (2.0 * math.pi * self.cutoff)

    def reset(self) -> None:
        """Return to zero, without a velocity to compare with."""
        self.a.fill(0.0)
        self._time = -math.inf

    def update(self, time: float, v: Array) -> Array:
        """Take a velocity, and return the new estimate (n,) [rad/s^2 or m/s^2].

        Args:
            time: of the measurement [s]; one that is not newer than the last is ignored.
            v: (n,) velocities [rad/s or m/s].
        """
        elapsed = time - self._time
        if 0.0 < elapsed < math.inf:
            weight = -math.expm1(-2.0 * math.pi * self.cutoff * elapsed)
            self.a += weight * ((v - self._v) / elapsed - self.a)
        if elapsed > 0.0:
            self._v[:] = v
            self._time = time
        return self.a
