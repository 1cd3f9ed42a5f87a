"""Pinocchio as the judge of the rest: forward dynamics, frames, derivatives, the regressor."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.algorithms.kinematics import Axes
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference, pinocchio


class PinocchioKinetics(PinocchioReference):
    """The other methods of `RobotDynamics`, with the same arguments."""

    def __init__(self, text: str, model: RobotModel) -> None:
        """Let Pinocchio parse the URDF; see `PinocchioReference`."""
        super().__init__(text, model)
        self._mimics = any(joint.mimicked is not None for joint in model.joints)
        self.model = model
        self._names = [frame.name for frame in model.frames]
        # Bodies, in our order, among Pinocchio's; its joint 0 is the base.
        self._bodies = [self._model.getJointId(joint.name) - 1 for joint in model.joints]

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """a (n,) [rad/s^2 or m/s^2]; with mimic joints from M and the bias."""
        if self._mimics:
            a: Array = np.linalg.solve(self.mass_matrix(q), tau - self.bias_torque(q, v))
            return a
        spread = self._spread
        rates, torques = spread @ v, spread @ tau
        a = pinocchio.aba(self._model, self._data, self._positions(q), rates, torques)
        return spread.T @ a

    def inverse_dynamics_derivatives(self, q: Array, v: Array, a: Array) -> Array:
        """dtau/dq, dtau/dv and M, (3, n, n)."""
        spread = self._spread
        in_q, in_v, in_a = pinocchio.computeRNEADerivatives(
            self._model, self._data, self._positions(q), spread @ v, spread @ a
        )
        full = np.triu(in_a) + np.triu(in_a, 1).T
        return np.array([spread.T @ matrix @ spread for matrix in (in_q, in_v, full)])

    def forward_dynamics_derivatives(self, q: Array, v: Array, tau: Array) -> Array:
        """da/dq, da/dv and M^-1, (3, n, n); with mimic joints from inverse dynamics."""
        if self._mimics:
            a = self.forward_dynamics(q, v, tau)
            in_q, in_v, M = self.inverse_dynamics_derivatives(q, v, a)
            return np.array([*(-np.linalg.solve(M, (in_q, in_v))), np.linalg.inv(M)])
        spread = self._spread
        in_q, in_v, inverse = pinocchio.computeABADerivatives(
            self._model, self._data, self._positions(q), spread @ v, spread @ tau
        )
        full = np.triu(inverse) + np.triu(inverse, 1).T
        return np.array([spread.T @ matrix @ spread for matrix in (in_q, in_v, full)])

    def center_of_mass(self, q: Array) -> Array:
        """c (3,)."""
        return pinocchio.centerOfMass(self._model, self._data, self._positions(q)).copy()

    def center_of_mass_jacobian(self, q: Array) -> Array:
        """J (3, n)."""
        J = pinocchio.jacobianCenterOfMass(self._model, self._data, self._positions(q))
        return J.reshape(3, -1) @ self._spread

    def kinetic_energy(self, q: Array, v: Array) -> float:
        """T [J]."""
        rates = self._spread @ v
        energy = pinocchio.computeKineticEnergy(self._model, self._data, self._positions(q), rates)
        return float(energy)

    def potential_energy(self, q: Array) -> float:
        """U [J]."""
        energy = pinocchio.computePotentialEnergy(self._model, self._data, self._positions(q))
        return float(energy)

    def momentum(self, q: Array, v: Array) -> Array:
        """[linear; angular about the base origin] (6,), from the one about the centre of mass."""
        pinocchio.computeCentroidalMomentum(
            self._model, self._data, self._positions(q), self._spread @ v
        )
        linear, angular = self._data.hg.linear, self._data.hg.angular
        return np.concatenate([linear, angular + np.cross(self._data.com[0], linear)])

    def regressor(self, q: Array, v: Array, a: Array) -> Array:
        """Y (n, 10 bodies)."""
        spread = self._spread
        matrix = pinocchio.computeJointTorqueRegressor(
            self._model, self._data, self._positions(q), spread @ v, spread @ a
        )
        # The matrices of one joint come as vectors.
        rows = spread.T @ matrix.reshape(len(spread), -1)
        return rows.reshape(len(rows), -1, 10)[:, self._bodies].reshape(len(rows), -1)

    def jacobian(self, q: Array, frame: str, axes: Axes) -> Array:
        """J (6, n)."""
        J = pinocchio.computeFrameJacobian(
            self._model, self._data, self._positions(q), self._frame(frame), _named(axes)
        )
        return J.reshape(6, -1) @ self._spread

    def jacobian_derivative(self, q: Array, v: Array, frame: str, axes: Axes) -> Array:
        """dJ/dt (6, n)."""
        model, data = self._model, self._data
        rates = self._spread @ v
        pinocchio.computeJointJacobiansTimeVariation(model, data, self._positions(q), rates)
        pinocchio.updateFramePlacements(model, data)
        J_dot = pinocchio.getFrameJacobianTimeVariation(
            model, data, self._frame(frame), _named(axes)
        )
        return J_dot.reshape(6, -1) @ self._spread

    def frame_poses(self, q: Array) -> Array:
        """[R | p] of all frames in the base, (k, 3, 4)."""
        pinocchio.framesForwardKinematics(self._model, self._data, self._positions(q))
        poses = [self._data.oMf[self._frame(name)] for name in self._names]
        return np.array([pose.homogeneous[:3] for pose in poses])

    def frame_pose(self, q: Array, frame: str) -> tuple[Array, Array]:
        """Rotation (3, 3) and origin (3,) in the base."""
        pose = self.frame_poses(q)[self._names.index(frame)]
        return pose[:, :3], pose[:, 3]

    # What the definitions make of these.

    def mass_matrix_inverse(self, q: Array) -> Array:
        """M^-1 (n, n)."""
        return np.linalg.inv(self.mass_matrix(q))

    def momentum_terms(self, q: Array, v: Array) -> Array:
        """M v and C^T v, (2, n)."""
        return np.array([self.mass_matrix(q) @ v, self.coriolis_matrix(q, v).T @ v])

    def passivity_torque(self, q: Array, v: Array, v_r: Array, a_r: Array) -> Array:
        """M a_r + C v_r + g, (n,)."""
        C: Array = self.coriolis_matrix(q, v)
        return self.mass_matrix(q) @ a_r + C @ v_r + self.gravity_torque(q)

    def external_torque(self, q: Array, wrench: Array, frame: str) -> Array:
        """J^T h, (n,)."""
        return self.jacobian(q, frame, 'LOCAL_WORLD_ALIGNED').T @ wrench

    def frame_velocity(self, q: Array, v: Array, frame: str, axes: Axes) -> Array:
        """J v, (6,)."""
        return self.jacobian(q, frame, axes) @ v

    def frame_acceleration(self, q: Array, v: Array, a: Array, frame: str, axes: Axes) -> Array:
        """J a + dJ/dt v, (6,)."""
        rate = self.jacobian_derivative(q, v, frame, axes)
        return self.jacobian(q, frame, axes) @ a + rate @ v

    def _frame(self, name: str) -> int:
        return int(self._model.getFrameId(name, pinocchio.FrameType.BODY))


def _named(axes: Axes) -> pinocchio.ReferenceFrame:
    return getattr(pinocchio.ReferenceFrame, axes)
