"""The information of a motion about the base parameters, and its log det."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.friction import SMOOTHING
from robot_dynamics_ros.core.model.sampling import random_states

from ..base_parameters import structure_of
from ..motion_equations import MotionEquations
from ..parameters import ParameterLayout

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
        slopes: (3, m, n) derivatives of `log_det` by q, v and a; empty where not asked for.
    """

    log_det: float
    condition: float
    slopes: Array


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
        self._equations = MotionEquations(self.layout, dynamics, tried=False)
        states = [(one.q, one.v, one.a) for one in random_states(dynamics.model, STATES)]
        limits = dynamics.model.effort_bounds
        largest = np.abs(dynamics.inverse_dynamics(*np.array(states).swapaxes(0, 1))).max(axis=0)
        self.noise = NOISE * np.where(np.isfinite(limits), limits, np.maximum(largest, 1e-3))
        self.columns = np.array(structure_of(self.layout, dynamics).columns)

    @property
    def rank(self) -> int:
        """b, the number of base parameters."""
        return len(self.columns)

    def rows(self, q: Array, v: Array, a: Array) -> Array:
        """The regressor (m, n, p) of all parameters at m states, each (m, n)."""
        return self._equations.rows(q, v, a)

    def of(self, q: Array, v: Array, a: Array, *, slopes: bool = False) -> Merit:
        """The figures of merit of a motion.

        Args:
            q: (m, n) positions [rad or m].
            v: (m, n) velocities [rad/s or m/s].
            a: (m, n) accelerations [rad/s^2 or m/s^2].
            slopes: whether to compute the derivatives of `log_det`, in place of the condition.
        """
        rows = self.rows(q, v, a)
        weighted = (rows / self.noise[:, None])[..., self.columns].reshape(-1, self.rank)
        lengths = np.maximum(np.linalg.norm(weighted, axis=0), TINY)
        weighted /= lengths
        triangle = np.linalg.qr(weighted, mode='r')
        diagonal = np.maximum(np.abs(np.diag(triangle)), TINY)
        log_det = 2.0 * float((np.log(diagonal) + np.log(lengths)).sum())
        if not slopes:
            return Merit(log_det, float(np.linalg.cond(triangle)), np.empty(0))
        # d log det = sum over the samples of 2 W Y (Y^T W Y)^-1 : dY
        half = solve_triangular(triangle, weighted.T, trans='T')
        solved = solve_triangular(triangle, half).T / lengths
        influence = np.zeros_like(rows)
        influence[..., self.columns] = 2.0 * solved.reshape(*rows.shape[:2], -1)
        influence /= self.noise[:, None]
        return Merit(log_det, np.nan, self._slopes(q, v, a, rows, influence))

    def _slopes(self, q: Array, v: Array, a: Array, rows: Array, influence: Array) -> Array:
        """Derivatives (3, m, n) of the sum of influence : Y, by q, v and a, from the rows Y."""
        slopes, joints = np.empty((3, *q.shape)), np.arange(q.shape[1])
        # Of (q, v, a) of a joint. Y is quadratic in v and linear in a: these are exact.
        shifts = np.array([[STEP, 0, 0], [-STEP, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]])
        inertial = influence[:, :, : 10 * len(self._dynamics.model.joints)]
        unchanged = np.einsum('mij,mij->m', rows[:, :, : inertial.shape[2]], inertial)
        for joint in joints:
            states = np.array([q, v, a])[:, None].repeat(len(shifts), axis=1)
            states[..., joint] += shifts.T[:, :, None]
            regressor = self._dynamics.regressor(*states.reshape(3, -1, len(joints)))
            regressor = regressor.reshape(len(shifts), *inertial.shape)
            sums = np.einsum('kmij,mij->km', regressor, inertial, optimize=True)
            slopes[0, :, joint] = (sums[0] - sums[1]) / (2.0 * STEP)
            slopes[1, :, joint] = (sums[2] - sums[3]) / 2.0
            slopes[2, :, joint] = sums[4] - unchanged
        sign_slope = SMOOTHING**2 / np.hypot(v, SMOOTHING) ** 3
        slopes[1] += influence[:, joints, self.layout.columns('viscous')]
        slopes[1] += sign_slope * influence[:, joints, self.layout.columns('coulomb')]
        slopes[2] += influence[:, joints, self.layout.columns('armature')]
        return slopes
