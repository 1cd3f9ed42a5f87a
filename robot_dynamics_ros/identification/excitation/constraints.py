"""What a motion may use: a share of each limit of the joints, and the space around the robot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core import JointFriction, RobotDynamics
from robot_dynamics_ros.core.checks import Array

from .clearance import Clearance, Nearness
from .fourier_series import FourierSeries
from .limits import MotionLimits
from .settings import Band

# Of which a motion uses a share of the limit.
QUANTITIES = ('position', 'velocity', 'acceleration', 'effort')
# A distance bends more between samples than a position, in shares of what is allowed.
WIDER = 10.0
# Samples in the shortest period with which a motion is checked at last.
SAMPLES = 64
# [m]: up to which distances are computed then.
FAR = 0.5
# [rad/s or m/s]: of central differences of the friction, well below its smoothing.
STEP = 1e-5


@dataclass(frozen=True)
class Violation:
    """By how much a motion exceeds what it may use, at m times.

    Attributes:
        total: sum of the squares of all excesses, each relative to what is allowed.
        largest: (m,) the largest excess.
        slopes: (3, m, n) derivatives of `total` by q, v and a.
    """

    total: float
    largest: Array
    slopes: Array


class Constraints:
    """What a motion may use of the limits of a robot.

    Attributes:
        limits: of the joints.
        share: of each that may be used.
        clearance: distances to keep.
    """

    def __init__(
        self, dynamics: RobotDynamics, limits: MotionLimits, share: float, clearance: Clearance
    ) -> None:
        """Take the limits, and the friction of the URDF."""
        self.limits, self.share, self.clearance = limits, share, clearance
        self._dynamics, self._friction = dynamics, JointFriction(dynamics.model).torque
        parts = limits.half, limits.velocity, limits.acceleration, limits.effort
        self._limits = np.array(parts)[:, None]

    def torque(self, q: Array, v: Array, a: Array) -> Array:
        """Inverse dynamics and friction of the URDF, (m, n) [N m or N]."""
        torque: Array = self._dynamics.inverse_dynamics(q, v, a) + self._friction(v)
        return torque

    def shares(self, q: Array, v: Array, a: Array) -> Array:
        """Shares of the limits of `QUANTITIES`, with signs (4, m, n); 0 of an infinite one."""
        return np.array([q - self.limits.middle, v, a, self.torque(q, v, a)]) / self._limits

    def violation(self, q: Array, v: Array, a: Array, reserve: float = 0.0) -> Violation:
        """How much a motion exceeds what is allowed.

        Args:
            q: (m, n) positions.
            v: (m, n) velocities.
            a: (m, n) accelerations.
            reserve: share of what is allowed that is to stay free.
        """
        shares = self.shares(q, v, a) / self.share
        excess = np.maximum(np.abs(shares) - (1.0 - reserve), 0.0)
        weights = 2.0 * excess * np.sign(shares) / (self.share * self._limits)
        near, nearest, slope = self.clearance.violation(q, WIDER * reserve)
        slopes = weights[:3]
        slopes[0] += slope
        if excess[3].any():
            derivatives = self._dynamics.inverse_dynamics_derivatives(q, v, a)
            slopes += np.einsum('mi,mkij->kmj', weights[3], derivatives)
            bend = self._friction(v + STEP) - self._friction(v - STEP)
            slopes[1] += weights[3] * bend / (2.0 * STEP)
        largest = np.maximum(excess.max(axis=(0, 2)), nearest)
        return Violation(float((excess**2).sum()) + near, largest, slopes)

    def at_rest(self, q: Array) -> Array:
        """Largest excess (m,) of the robot at rest at positions (m, n)."""
        return self.violation(q, np.zeros_like(q), np.zeros_like(q)).largest

    def excess_at(self, q: Array) -> str:
        """What exceeds most where the robot rests at a pose (n,), in words."""
        pose, zero = q[None], np.zeros((1, len(q)))
        shares = np.abs(self.shares(pose, zero, zero)[:, 0])
        kind, joint = np.unravel_index(shares.argmax(), shares.shape)
        if shares[kind, joint] / self.share - 1.0 < self.clearance.violation(pose)[1][0]:
            return self.clearance.nearest(q)
        return (
            f'{self._dynamics.model.joint_names[joint]} uses {shares[kind, joint]:.3g} of its '
            f'{QUANTITIES[kind]} limit (a position: of half the range), allowed is {self.share:g}'
        )

    def used(self, series: FourierSeries, band: Band, far: float = FAR) -> tuple[Array, Nearness]:
        """What a motion uses at all times: the largest shares (4, n), and how near bodies come.

        Positions, velocities and accelerations: a function whose second derivative is at most D
        exceeds its samples by at most D h^2 / 8. Torques: half of the second difference of the
        samples is added, which covers a sharp bend between two samples; friction, which jumps
        where a joint turns back, is the larger one of two samples. For distances see
        `below_samples`.

        Args:
            series: the motion.
            band: of its frequencies.
            far: distances beyond are not computed [m].
        """
        times = band.times(SAMPLES)
        q, v, a = series.at(times)
        shares = np.abs(self.shares(q, v, a)).max(axis=1)
        bends = np.array([series.largest(order) for order in (2, 3, 4)])
        shares[:3] += times[1] ** 2 / 8.0 * bends / self._limits[:3, 0]
        rigid, friction = self._dynamics.inverse_dynamics(q, v, a), self._friction(v)
        bend = np.abs(np.diff(rigid, 2, axis=0)).max(axis=0) / 2.0
        parts = np.array([[rigid, friction], [-rigid, -friction]])
        largest = np.maximum(parts[:, :, 1:], parts[:, :, :-1]).sum(axis=1).max(axis=(0, 1)) + bend
        shares[3] = largest / self.limits.effort
        return shares, self.clearance.along(q, far)
