"""The information of a motion about the base parameters, and its log det."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr, solve_triangular

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.algorithms.friction import smooth_sign
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.friction import SMOOTHING
from robot_dynamics_ros.core.model.sampling import random_states

# Standard deviation of a measured torque, as a share of the effort limit.
NOISE = 0.005
# Random states, which show what is independent, and torques where there is no effort limit.
STATES = 120
# Of the longest column: a shorter one, or a shorter part that is independent, is rounding.
ROUNDING = 1e-9
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
        columns: (b,) of the independent ones (Gautier, 1991).
        noise: (n,) sigma [N m or N].
    """

    def __init__(self, dynamics: RobotDynamics) -> None:
        """Find the base parameters of a robot."""
        self._dynamics = dynamics
        states = [(one.q, one.v, one.a) for one in random_states(dynamics.model, STATES)]
        q, v, a = np.array(states).swapaxes(0, 1)
        largest = np.abs(dynamics.inverse_dynamics(q, v, a)).max(axis=0)
        limits = dynamics.model.effort_bounds
        self.noise = NOISE * np.where(np.isfinite(limits), limits, np.maximum(largest, 1e-3))
        rows = self.rows(q, v, a)
        rows = (rows / self.noise[:, None]).reshape(-1, rows.shape[2])
        lengths = np.linalg.norm(rows, axis=0)
        rows /= np.where(lengths > ROUNDING * lengths.max(), lengths, np.inf)
        triangle, order = qr(rows, mode='r', pivoting=True)
        size = np.abs(np.diag(triangle))
        self.columns = np.sort(order[: len(size)][size > ROUNDING * size[0]])

    @property
    def rank(self) -> int:
        """b, the number of base parameters."""
        return len(self.columns)

    def rows(self, q: Array, v: Array, a: Array) -> Array:
        """The regressor (m, n, 10 bodies + 4 n) of all parameters at m states, each (m, n).

        The last 4 n are the armatures of all joints, then viscous, Coulomb and offset.
        """
        kinds = np.stack([a, v, smooth_sign(v, SMOOTHING)[0], np.ones_like(v)], axis=1)
        own = np.einsum('mkj,ji->mikj', kinds, np.eye(v.shape[1])).reshape(*v.shape, -1)
        return np.concatenate([self._dynamics.regressor(q, v, a), own], axis=2)

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
        slopes, (m, n) = np.empty((3, *q.shape)), q.shape
        # Of (q, v, a) of a joint. Y is quadratic in v and linear in a: these are exact.
        shifts = np.array([[STEP, 0, 0], [-STEP, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1]])
        inertial = influence[..., : -4 * n]
        unchanged = np.einsum('mij,mij->m', rows[..., : -4 * n], inertial)
        for joint in range(n):
            states = np.array([q, v, a])[:, None].repeat(len(shifts), axis=1)
            states[..., joint] += shifts.T[:, :, None]
            regressor = self._dynamics.regressor(*states.reshape(3, -1, n))
            regressor = regressor.reshape(len(shifts), *inertial.shape)
            sums = np.einsum('kmij,mij->km', regressor, inertial, optimize=True)
            slopes[0, :, joint] = (sums[0] - sums[1]) / (2.0 * STEP)
            slopes[1, :, joint] = (sums[2] - sums[3]) / 2.0
            slopes[2, :, joint] = sums[4] - unchanged
        own = np.einsum('mikj,ij->mkij', influence[..., -4 * n :].reshape(m, n, 4, n), np.eye(n))
        armature, viscous, coulomb, _ = np.moveaxis(own.sum(axis=3), 1, 0)
        slopes[1] += viscous + SMOOTHING**2 / np.hypot(v, SMOOTHING) ** 3 * coulomb
        slopes[2] += armature
        return slopes
