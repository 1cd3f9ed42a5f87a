"""`RobotDynamics`: the dynamics of one robot, compiled, with every input checked once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from .checks import Array, checked_vector
from .frame_dynamics import FrameDynamics
from .robot_programs import RobotPrograms
from .task.samples import for_each_sample, number_or_rows, stacked
from .task.task_space import acceleration_of_moving_joints


class RobotDynamics(RobotPrograms, FrameDynamics):
    """The dynamics of one robot, in SI units, in the order of `model.joint_names`.

    A quantity is compiled when it is first asked for (or by `compile`). Positions q, velocities v
    and accelerations a are vectors (n,): NumPy arrays, lists, or anything that converts. Every
    method takes `out`, a float64 array of the shape of the result, to write into; without it the
    result is a new array. Wrong sizes, types and non-finite values raise StateError.

    For a batch of N samples pass (N, n) arrays: every shape of a result begins with N then. A
    vector (n,) beside them holds for all samples. See docs/batches.md.

    Attributes:
        model: the robot.
        backend: 'native' or 'python'.
        backend_description: one line that says which back end computes, and why.
        threads: that may compute a batch.
        payload_frame: link on whose body payloads are inputs of the compiled programs; None for
            none.
    """

    def inverse_dynamics(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """tau = M(q) a + C(q, v) v + g(q), shape (n,) [N m or N]."""
        return self._call['inverse_dynamics'](q, v, a, self._gravity, out)

    def gravity_torque(self, q: npt.ArrayLike, out: Array | None = None) -> Array:
        """g(q), shape (n,) [N m or N]: the torque that holds the robot still."""
        return self._call['gravity_torque'](q, self._gravity, out)

    def bias_torque(self, q: npt.ArrayLike, v: npt.ArrayLike, out: Array | None = None) -> Array:
        """C(q, v) v + g(q), shape (n,) [N m or N]: the torque that gives no acceleration."""
        return self._call['bias_torque'](q, v, self._gravity, out)

    def torque_terms(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """Rows g(q), C(q, v) v and M(q) a, shape (3, n) [N m or N]: what inverse_dynamics sums."""
        return self._call['torque_terms'](q, v, a, self._gravity, out)

    def mass_matrix(self, q: npt.ArrayLike, out: Array | None = None) -> Array:
        """M(q), shape (n, n) [kg m^2, kg m or kg], full and symmetric."""
        return self._call['mass_matrix'](q, out)

    def coriolis_matrix(
        self, q: npt.ArrayLike, v: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """C(q, v), shape (n, n), by Christoffel symbols: M_dot - 2 C is skew-symmetric."""
        return self._call['coriolis_matrix'](q, v, out)

    def momentum_terms(
        self, q: npt.ArrayLike, v: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """Rows p = M(q) v [N m s or N s] and c = C(q, v)^T v [N m or N], shape (2, n).

        The motion without accelerations: p_dot = tau + c - g. `p, c = dynamics.momentum_terms(q,
        v)` takes them apart; of a batch (N, 2, n), `result[:, 0]` are p and `result[:, 1]` c.
        """
        return self._call['momentum_terms'](q, v, out)

    def observer_step(
        self,
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        effort: npt.ArrayLike,
        friction: npt.ArrayLike,
        offset: npt.ArrayLike,
        rates: npt.ArrayLike,
        interval: npt.ArrayLike,
        previous: npt.ArrayLike,
        out: Array | None = None,
    ) -> Array:
        """One step of the momentum observer, (3, n); `ExternalForceObserver` is for users.

        The arguments are those of `core.algorithms.observer.observer_step`.
        """
        return self._call['observer_step'](
            q, v, effort, friction, offset, rates, interval, previous, self._gravity, out
        )

    def forward_dynamics(
        self, q: npt.ArrayLike, v: npt.ArrayLike, tau: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """The acceleration a (n,) that the torques give [rad/s^2 or m/s^2].

        Raises:
            SingularMassMatrixError: M(q) is singular at this q, or at any; the message names the
                joint that moves no mass.
        """
        return self._call['forward_dynamics'](q, v, tau, self._gravity, out)

    def forward_dynamics_holding(
        self,
        joints: Sequence[str],
        q: npt.ArrayLike,
        v: npt.ArrayLike,
        tau: npt.ArrayLike,
    ) -> Array:
        """The acceleration (k,) of some joints while the others are held [rad/s^2 or m/s^2].

        M_mm a_m = tau_m - (C v + g)_m, with m the joints that move: the acceleration of the others
        is zero, so that their columns of M drop out. Equivalent to the `forward_dynamics` of the
        robot reduced to these joints, but nothing is compiled for a choice of joints. A batch is
        computed one sample after the other.

        Args:
            joints: that move, k of them.
            q: (n,) positions of all independent joints [rad or m].
            v: (k,) velocities of the joints that move [rad/s or m/s].
            tau: (k,) their torques [N m or N].

        Raises:
            UnknownNameError: no independent joint has that name.
            ParameterError: `joints` is empty, or names one twice.
            StateError: sizes or values are wrong.
            SingularMassMatrixError: the mass matrix of these joints is singular.
        """
        moving = self.model.indices_of(joints)
        batch = for_each_sample(
            partial(self.forward_dynamics_holding, joints),
            q=(q, self.model.joint_names),
            v=(v, joints),
            tau=(tau, joints),
        )
        if batch is not None:
            return stacked(batch, (len(moving),))
        velocity = np.zeros(self.model.size)
        velocity[moving] = checked_vector('v', v, joints)
        torque = checked_vector('tau', tau, joints) - self.bias_torque(q, velocity)[moving]
        M = self._task_mass_matrix(q)[np.ix_(moving, moving)]
        return acceleration_of_moving_joints(M, torque, joints)

    def mass_matrix_inverse(self, q: npt.ArrayLike, out: Array | None = None) -> Array:
        """M(q)^-1, shape (n, n), full and symmetric; singular as for `forward_dynamics`."""
        return self._call['mass_matrix_inverse'](q, out)

    def inverse_dynamics_derivatives(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """dtau/dq, dtau/dv and dtau/da = M of inverse_dynamics, shape (3, n, n), exact."""
        return self._call['inverse_dynamics_derivatives'](q, v, a, self._gravity, out)

    def forward_dynamics_derivatives(
        self, q: npt.ArrayLike, v: npt.ArrayLike, tau: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """da/dq, da/dv and da/dtau = M^-1 of forward_dynamics, shape (3, n, n), exact.

        Singular as for `forward_dynamics`.
        """
        return self._call['forward_dynamics_derivatives'](q, v, tau, self._gravity, out)

    def regressor(
        self, q: npt.ArrayLike, v: npt.ArrayLike, a: npt.ArrayLike, out: Array | None = None
    ) -> Array:
        """Y with inverse_dynamics = Y inertial_parameters() without armature, (n, 10 bodies)."""
        return self._call['regressor'](q, v, a, self._gravity, out)

    def inertial_parameters(self) -> Array:
        """The vector (10 bodies,) of `RobotModel.inertial_parameters`."""
        return self.model.inertial_parameters()

    def kinetic_energy(self, q: npt.ArrayLike, v: npt.ArrayLike, out: Array | None = None) -> Any:
        """T = v^T M v / 2 [J] of the moving bodies, a float; for a batch an array (N,).

        With `out`, of the shape () or (N,), that array.
        """
        energy = self._call['kinetic_energy'](q, v, out)
        return number_or_rows(energy) if out is None else out

    def potential_energy(self, q: npt.ArrayLike, out: Array | None = None) -> Any:
        """U with dU/dq = g [J] of the moving bodies, zero for mass at the base origin.

        A float; for a batch an array (N,). With `out`, of the shape () or (N,), that array.
        """
        energy = self._call['potential_energy'](q, self._gravity, out)
        return number_or_rows(energy) if out is None else out

    def momentum(self, q: npt.ArrayLike, v: npt.ArrayLike, out: Array | None = None) -> Array:
        """[linear; angular about the base origin] of all bodies, in base axes, shape (6,)."""
        return self._call['momentum'](q, v, out)

    def center_of_mass(self, q: npt.ArrayLike, out: Array | None = None) -> Array:
        """c, shape (3,) [m]: the centre of mass of the moving bodies, in the base.

        Raises:
            InertiaError: no moving body has a mass.
        """
        return self._call['center_of_mass'](q, out)

    def center_of_mass_jacobian(self, q: npt.ArrayLike, out: Array | None = None) -> Array:
        """J(q), shape (3, n): the velocity of the centre of mass is J v, in base axes.

        Raises:
            InertiaError: no moving body has a mass.
        """
        return self._call['center_of_mass_jacobian'](q, out)
