"""The information of a motion about the base parameters, and its log det."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.friction import SMOOTHING, smooth_sign
from robot_dynamics_ros.core.model.sampling import random_states

from ..observability.structure import structure_of
from ..parameters.parameter_layout import ParameterLayout

# Standard deviation of a measured torque, as a share of the effort limit.
NOISE = 0.005
# Random states, at which torques are computed where there is no effort limit.
STATES = 120
# In place of zero, for the logarithm.
TINY = 1e-150
# [rad or m]: of central differences, whose error is about 1e-10 of the derivative then.
STEP = 1e-5


@dataclass(frozen=True)
class Merit:
    """Figures of merit of a motion.

    Attributes:
        log_det: of the information matrix of the base parameters, in SI units.
        condition: of the weighted regressor of the base parameters, columns of unit length.
        slopes: (3, m, n) derivatives of `log_det` by q, v and a; None where not asked for.
    """

    log_det: float
    condition: float
    slopes: Array | None = None


class Information:
    """The information matrix of the base parameters, sum of Y^T W Y over the samples.

    Y (n, b) are the columns of the regressor that are independent for this robot: inertial
    parameters, and armature, viscous and Coulomb friction and offset of each joint.
    W = 1 / sigma^2 weighs each joint by the noise of its torque, `NOISE` of its effort limit.
    Maximising log det is the D-optimal design of Swevers et al. (1997): it minimises the volume of
    the confidence ellipsoid, whatever the units and the choice of base parameters.

    Attributes:
        layout: of all parameters.
        columns: (b,) of the independent ones.
        noise: (n,) sigma [N m or N].
    """

    def __init__(self, dynamics: RobotDynamics) -> None:
        """Find the base parameters of a robot."""
        self.layout = ParameterLayout(dynamics.model)
        self._dynamics = dynamics
        states = [*random_states(dynamics.model, STATES)]
        q, v, a = (np.array([getattr(state, name) for state in states]) for name in 'qva')
        limits = dynamics.model.effort_bounds
        largest = np.abs(dynamics.inverse_dynamics(q, v, a)).max(axis=0)
        self.noise = NOISE * np.where(np.isfinite(limits), limits, np.maximum(largest, 1e-3))
        self.columns = np.array(structure_of(self.layout, dynamics).columns)

    @property
    def rank(self) -> int:
        """b, the number of base parameters."""
        return len(self.columns)

    def rows(self, q: Array, v: Array, a: Array) -> Array:
        """The regressor (m, n, p) of all parameters at m states, each (m, n)."""
        size = self._dynamics.model.size
        rows = np.zeros((len(q), size, self.layout.size))
        inertial = self._dynamics.regressor(q, v, a)
        rows[:, :, : inertial.shape[2]] = inertial
        joints = np.arange(size)
        rows[:, joints, self.layout.columns('armature')] = a
        rows[:, joints, self.layout.columns('viscous')] = v
        rows[:, joints, self.layout.columns('coulomb')] = smooth_sign(v)
        rows[:, joints, self.layout.columns('offset')] = 1.0
        return rows

    def of(self, q: Array, v: Array, a: Array, *, slopes: bool = False) -> Merit:
        """The figures of merit of a motion.

        Args:
            q: (m, n) positions [rad or m].
            v: (m, n) velocities [rad/s or m/s].
            a: (m, n) accelerations [rad/s^2 or m/s^2].
            slopes: whether to compute the derivatives of `log_det`.
        """
        rows = self.rows(q, v, a)
        stacked = self._weighted(rows)[:, self.columns]
        lengths = np.linalg.norm(stacked, axis=0) + TINY
        triangle = np.linalg.qr(stacked / lengths, mode='r')
        diagonal = np.abs(np.diag(triangle)) + TINY
        log_det = 2.0 * float((np.log(diagonal) + np.log(lengths)).sum())
        if not slopes:
            return Merit(log_det, float(np.linalg.cond(triangle)))
        # d log det = sum over the samples of 2 W Y (Y^T W Y)^-1 : dY
        half = solve_triangular(triangle, (stacked / lengths).T, trans='T').T
        influence = np.zeros_like(rows)
        solved = solve_triangular(triangle, half.T).T / lengths
        influence[:, :, self.columns] = 2.0 * solved.reshape(*rows.shape[:2], -1)
        influence /= self.noise[:, None]
        return Merit(log_det, 0.0, self._slopes(q, v, a, influence))

    def _weighted(self, rows: Array) -> Array:
        """All equations, divided by their noise, (m n, p)."""
        return (rows / self.noise[:, None]).reshape(-1, rows.shape[2])

    def _slopes(self, q: Array, v: Array, a: Array, influence: Array) -> Array:
        """Derivatives (3, m, n) of the sum of influence : Y, by q, v and a.

        Y is quadratic in v and linear in a, so that differences over any step are exact there.
        """
        size = self._dynamics.model.size
        slopes = np.empty((3, *q.shape))
        inertial = influence[:, :, : 10 * len(self._dynamics.model.joints)]
        for joint in range(size):
            step = np.zeros(size)
            step[joint] = 1.0
            shifts = np.array([STEP, -STEP, 0.0, 0.0, 0.0, 0.0]), np.array([0, 0, 1, -1, 0, 0.0])
            rates = np.array([0, 0, 0, 0, 1, -1.0])
            states = [
                (values + shift[:, None, None] * step).reshape(-1, size)
                for values, shift in zip((q, v, a), (*shifts, rates), strict=True)
            ]
            regressor = self._dynamics.regressor(*states).reshape(6, *inertial.shape)
            sums = np.einsum('kmij,mij->km', regressor, inertial, optimize=True)
            slopes[0, :, joint] = (sums[0] - sums[1]) / (2.0 * STEP)
            slopes[1, :, joint] = (sums[2] - sums[3]) / 2.0
            slopes[2, :, joint] = (sums[4] - sums[5]) / 2.0
        joints = np.arange(size)
        sign_slope = SMOOTHING**2 / np.hypot(v, SMOOTHING) ** 3
        slopes[1] += influence[:, joints, self.layout.columns('viscous')]
        slopes[1] += sign_slope * influence[:, joints, self.layout.columns('coulomb')]
        slopes[2] += influence[:, joints, self.layout.columns('armature')]
        return slopes
