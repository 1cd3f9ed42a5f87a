"""Pinocchio as the judge of the rest: forward dynamics, frames, derivatives, the regressor."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle

import numpy as np

from robot_dynamics_ros.core.algorithms.kinematics import AXES, Axes
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.dynamics import RobotDynamics
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.sampling import State
from robot_dynamics_ros.oracle.pinocchio_reference import VANISHING, PinocchioReference, pinocchio

# Condition number of M beyond which it is singular; that of iCub's hands is 6e7.
SINGULAR = 1e12


class PinocchioKinetics(PinocchioReference):
    """As `PinocchioReference`; `compare` covers more: each state takes the next frame."""

    def __init__(self, text: str, model: RobotModel) -> None:
        """Let Pinocchio parse the URDF; see `PinocchioReference`."""
        super().__init__(text, model)
        self._mimics = any(joint.mimicked is not None for joint in model.joints)
        self._frames = cycle(reversed(model.frames))
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

    def frame_pose(self, q: Array, frame: str) -> tuple[Array, Array]:
        """Rotation (3, 3) and origin (3,) in the base."""
        (pose,) = self.frame_poses(q, [frame])
        return pose[:, :3], pose[:, 3]

    def frame_poses(self, q: Array, frames: Iterable[str]) -> Array:
        """[R | p] of frames in the base, (k, 3, 4)."""
        pinocchio.framesForwardKinematics(self._model, self._data, self._positions(q))
        poses = [self._data.oMf[self._frame(frame)] for frame in frames]
        return np.array([pose.homogeneous[:3] for pose in poses])

    def _pairs(
        self, dynamics: RobotDynamics, state: State
    ) -> dict[str, tuple[Array, Array, float]]:
        pairs = super()._pairs(dynamics, state)
        q, v, a = state.q, state.v, state.a
        M, tau = pairs['mass_matrix'][1], pairs['inverse_dynamics'][1]
        # Their entries are sums of terms of these sizes, which may cancel.
        torque = pairs['inverse_dynamics'][2] / VANISHING
        inertia, speed = float(np.abs(M).max()), float(np.abs(v).max())
        pairs['coriolis_matrix'] = *pairs['coriolis_matrix'][:2], inertia * speed
        if M.any() and np.linalg.cond(M) < SINGULAR:
            pairs |= self._forward_pairs(dynamics, state, tau, torque)
        ours = dynamics.inverse_dynamics_derivatives(q, v, a)
        theirs = self.inverse_dynamics_derivatives(q, v, a)
        pairs['dtau/dq'] = ours[0], theirs[0], VANISHING * torque
        pairs['dtau/dv'] = ours[1], theirs[1], inertia * speed
        pairs['dtau/da'] = ours[2], theirs[2], VANISHING * inertia
        motion = float(np.linalg.norm(dynamics.gravity)) + speed**2 + float(np.abs(a).max())
        pairs['regressor'] = (
            dynamics.regressor(q, v, a),
            self.regressor(q, v, a),
            VANISHING * motion,
        )
        pairs['momentum_terms'] = (
            dynamics.momentum_terms(q, v),
            np.array([M @ v, pairs['coriolis_matrix'][1].T @ v]),
            inertia * max(speed, speed**2),
        )
        pairs |= self._body_pairs(dynamics, q, v, VANISHING * inertia)
        return pairs | self._frame_pairs(dynamics, q, v, next(self._frames).name)

    def _forward_pairs(
        self, dynamics: RobotDynamics, state: State, tau: Array, torque: float
    ) -> dict[str, tuple[Array, Array, float]]:
        """Forward dynamics and its derivatives: solutions X of M X = B.

        Rounding changes M and B by some parts in 1e16 of their sizes, whatever solves. That
        changes M X by as much of |M| |X| + |B| (backward error: Higham, "Accuracy and stability of
        numerical algorithms", 2002, section 7.1), but X by up to |M^-1| times that: by 1e-9 of X
        in iCub's hands, in Pinocchio too. So M X is compared, and X itself for a.
        """
        q, v = state.q, state.v
        M = self.mass_matrix(q)
        size, speed = float(np.linalg.norm(M, np.inf)), float(np.abs(v).max())
        ours, theirs = dynamics.forward_dynamics(q, v, tau), self.forward_dynamics(q, v, tau)
        given = size * float(np.abs(theirs).max()) + torque
        reach = float(np.linalg.norm(np.linalg.inv(M), np.inf))
        pairs = {
            'M forward_dynamics': (M @ ours, M @ theirs, given),
            'forward_dynamics': (ours, theirs, reach * given),
        }
        names = 'M da/dq', 'M da/dv', 'M da/dtau'
        right_sides = torque, float(np.abs(M).max()) * speed, 1.0
        derivatives = dynamics.forward_dynamics_derivatives(q, v, tau)
        expected = self.forward_dynamics_derivatives(q, v, tau)
        for name, X, X_expected, B in zip(names, derivatives, expected, right_sides, strict=True):
            scale = size * float(np.abs(X_expected).max()) + B
            pairs[name] = M @ X, M @ X_expected, scale
        return pairs

    def _body_pairs(
        self, dynamics: RobotDynamics, q: Array, v: Array, inertia: float
    ) -> dict[str, tuple[Array, Array, float]]:
        """Energies, momentum and centre of mass."""
        speed = float(np.abs(v).max())
        mass = sum(joint.inertia.mass for joint in dynamics.model.joints)
        weight = mass * float(np.linalg.norm(dynamics.gravity))
        kinetic, potential = self.kinetic_energy(q, v), self.potential_energy(q)
        pairs = {
            'kinetic_energy': (dynamics.kinetic_energy(q, v), kinetic, inertia * speed**2),
            'potential_energy': (dynamics.potential_energy(q), potential, VANISHING * weight),
        }
        # Pinocchio divides by the mass, also for the momentum.
        if mass:
            theirs = self.momentum(q, v)
            pairs['momentum'] = dynamics.momentum(q, v), theirs, VANISHING * mass * speed
            pairs['center_of_mass'] = dynamics.center_of_mass(q), self.center_of_mass(q), VANISHING
            J = self.center_of_mass_jacobian(q)
            pairs['center_of_mass_jacobian'] = dynamics.center_of_mass_jacobian(q), J, VANISHING
        return pairs

    def _frame_pairs(
        self, dynamics: RobotDynamics, q: Array, v: Array, frame: str
    ) -> dict[str, tuple[Array, Array, float]]:
        rotation, origin = dynamics.frame_pose(q, frame)
        their_rotation, their_origin = self.frame_pose(q, frame)
        ours, theirs = [rotation, origin[:, None]], [their_rotation, their_origin[:, None]]
        names = [each.name for each in dynamics.model.frames]
        pairs = {
            'frame_pose': (np.hstack(ours), np.hstack(theirs), 1.0),
            'frame_poses': (dynamics.frame_poses(q), self.frame_poses(q, names), 1.0),
        }
        for axes in AXES:
            J = self.jacobian(q, frame, axes)
            pairs[f'jacobian {axes}'] = dynamics.jacobian(q, frame, axes), J, VANISHING
            pairs[f'jacobian_derivative {axes}'] = (
                dynamics.jacobian_derivative(q, v, frame, axes),
                self.jacobian_derivative(q, v, frame, axes),
                float(np.abs(v).max() * max(np.abs(J).max(), 1.0)),
            )
        return pairs

    def _frame(self, name: str) -> int:
        return int(self._model.getFrameId(name, pinocchio.FrameType.BODY))


def _named(axes: Axes) -> pinocchio.ReferenceFrame:
    return getattr(pinocchio.ReferenceFrame, axes)
