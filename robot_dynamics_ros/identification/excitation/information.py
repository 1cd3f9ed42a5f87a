"""The information of a motion about the base parameters, and its log det."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.algorithms.friction import smooth_sign
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.friction import SMOOTHING
from robot_dynamics_ros.identification.base_parameters import base_parameters, random_motion

# Standard deviation of a measured torque, as a share of the effort limit: any share gives the same
# motion, since it is that of all joints. Random states, which show torques without a limit.
NOISE, STATES = 0.005, 120
TINY = float(np.finfo(float).tiny)


class Information:
    """The information matrix of the base parameters, sum of Y^T W Y over the samples.

    Y (n, b) are the columns of the regressor that are independent for this robot: those of bodies
    and rotors, and viscous and Coulomb friction and offset of each joint. W = 1 / sigma^2 weighs
    each joint by the noise of its torque, `NOISE` of its effort limit. Maximising log det is the
    D-optimal design of Swevers et al. (1997): it minimises the volume of the confidence ellipsoid,
    whatever the units and the choice of base parameters.

    Attributes:
        columns: (b,) of the independent ones, b of them are `rank`.
        noise: (n,) sigma [N m or N].
    """

    def __init__(self, dynamics: RobotDynamics) -> None:
        """Find the base parameters of a robot."""
        self._dynamics, limits = dynamics, dynamics.model.effort_bounds
        largest = np.abs(dynamics.inverse_dynamics(*random_motion(dynamics.model, STATES)))
        usual = np.maximum(largest.max(axis=0), 1e-3)
        self.noise = NOISE * np.where(np.isfinite(limits), limits, usual)
        base = base_parameters(dynamics, rotors=True)
        friction = len(base.names) + np.arange(3 * dynamics.model.size)
        self.columns = np.append(base.columns, friction)
        self.rank = len(self.columns)

    def rows(self, q: Array, v: Array, a: Array) -> Array:
        """The regressor (m, n, 10 bodies + 4 n) of all parameters at m states, each (m, n).

        The last 4 n are the armatures of all joints, then viscous, Coulomb and offset.
        """
        kinds = (a, v, smooth_sign(v, SMOOTHING)[0], np.ones_like(v))
        own = [kind[..., None] * np.eye(q.shape[1]) for kind in kinds]
        return np.concatenate([self._dynamics.regressor(q, v, a), *own], axis=2)

    def _factored(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Y / sigma (m n, b) with columns of unit length, these lengths (b,), and its R (b, b)."""
        rows = self.rows(q, v, a)[..., self.columns] / self.noise[:, None]
        columns = rows.reshape(-1, self.rank)
        lengths = np.maximum(np.linalg.norm(columns, axis=0), TINY)
        columns /= lengths
        return columns, lengths, np.asarray(np.linalg.qr(columns, mode='r'))

    def condition(self, q: Array, v: Array, a: Array) -> float:
        """Of the weighted regressor of the base parameters, columns of unit length."""
        return float(np.linalg.cond(self._factored(q, v, a)[2]))

    def log_det(self, q: Array, v: Array, a: Array) -> tuple[float, Array]:
        """That of the information matrix of a motion, each (m, n), in SI units.

        And its derivatives 2 W Y (Y^T W Y)^-1 (m, n, b) by the columns Y.
        """
        columns, lengths, triangle = self._factored(q, v, a)
        half = solve_triangular(triangle, columns.T, trans='T')
        solved = (solve_triangular(triangle, half).T / lengths).reshape(*q.shape, -1)
        diagonal = np.maximum(np.abs(np.diag(triangle)), TINY)
        log_det = 2.0 * float((np.log(diagonal) + np.log(lengths)).sum())
        return log_det, 2.0 * solved / self.noise[:, None]
