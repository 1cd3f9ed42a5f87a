"""The arm: MuJoCo integrates the motion of its joints under the torques that act on them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from robot_dynamics_ros.control.trajectory import Point, Trajectory

from .joint_friction import Law, SimulatedFriction
from .mujoco_model import MAX_STEP, SimulationError, Wall, compile_model
from .outside_forces import OutsideForces

Vector = NDArray[np.float64]

IMPLICIT_MAX_STEP = 0.0002
"""Longest step of the implicit method [s], of first order: the error is about 1e-4 rad."""


@dataclass(frozen=True)
class JointServo:
    """A PD servo per joint, as in a drive: tau = kp (q_r - q) + kd (v_r - v).

    It has no model of the arm, so that gravity and inertia cause tracking errors.

    Attributes:
        kp: stiffness of each joint (n,) [N m/rad or N/m].
        kd: damping of each joint (n,) [N m s/rad or N s/m].
    """

    kp: Vector
    kd: Vector

    @classmethod
    def tuned(cls, inertia: Vector, bandwidth: float) -> JointServo:
        """Critically damped for the inertia: kp = I w^2, kd = 2 I w, with w = 2 pi bandwidth.

        Args:
            inertia: of each joint, (n,) [kg m^2 or kg].
            bandwidth: of the closed loop [Hz].
        """
        omega = 2.0 * math.pi * bandwidth
        return cls(inertia * omega**2, 2.0 * inertia * omega)

    def torque(self, q: Vector, v: Vector, q_reference: Vector, v_reference: Vector) -> Vector:
        """The torque that is added to the commanded one, (n,) [N m or N]."""
        return self.kp * (q_reference - q) + self.kd * (v_reference - v)


class Physics:
    """An arm with its joint limits as end stops, its damping and friction.

    `all_joints` are the moving joints in MuJoCo's order, the order of `position`, `velocity` and
    `effort`. `joints` are the commanded joints, in the order of all commands; `servo` is None
    while it is off. Nothing but `outside` touches it: pushes, and the wall while it is present.
    """

    def __init__(
        self,
        urdf_text: str,
        joints: Sequence[str] = (),
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        friction: bool | Law = True,
        adds_gravity: bool = False,
        max_step: float | None = None,
        wall: Wall | None = None,
    ) -> None:
        """Build the arm at rest, at position zero or the nearest position within its limits.

        Args:
            urdf_text: text of the URDF.
            joints: names of the commanded joints, in order; none: all that do not mimic another.
            gravity: in the frame of the root link, (3,) [m/s^2].
            friction: whether joints have the damping and friction that the URDF gives them; or
                the values of friction.yaml by joint.
            adds_gravity: whether the drive adds the gravity torque to each command.
            max_step: longest integration step [s]; None: MAX_STEP or IMPLICIT_MAX_STEP.
            wall: that a link can touch once `outside.wall` is set; None for none.

        Raises:
            SimulationError: the URDF cannot be read, MuJoCo refuses it, or a joint or the link of
                the wall is unknown.
        """
        self._model = model = compile_model(urdf_text, wall)
        self._data, self._at_rest = mujoco.MjData(model), mujoco.MjData(model)
        self.outside = OutsideForces(model, self._data, wall)
        model.opt.gravity = gravity
        if friction is False:
            model.dof_damping[:] = model.dof_frictionloss[:] = 0.0
        self._max_step = MAX_STEP if max_step is None else max_step
        self.all_joints = tuple(model.joint(i).name for i in range(model.njnt))
        free = [name for i, name in enumerate(self.all_joints) if i not in model.eq_obj1id]
        self.joints = tuple(joints) or tuple(free)
        self._index = self._indices(self.joints)
        unlimited = np.where(model.jnt_actfrclimited, 0.0, np.inf)
        self._effort_limit = (model.jnt_actfrcrange[:, 1] + unlimited)[self._index]
        self._gear, self._offset = self._coupling()
        self._moved = self._gear.any(axis=1)
        self._command = np.zeros(len(self.joints))
        self._adds_gravity = adds_gravity
        # Of the drives, in the order of `all_joints`.
        self._effort = np.zeros(model.nv)
        self._friction: SimulatedFriction | None = None
        if not isinstance(friction, bool):
            self._friction = SimulatedFriction(model, self._data, friction, self.all_joints)
        self.servo: JointServo | None = None
        self.brake = False
        self.reset()
        stiff = self._is_stiff()
        if stiff and max_step is None:
            self._max_step = IMPLICIT_MAX_STEP
        method = mujoco.mjtIntegrator
        model.opt.integrator = method.mjINT_IMPLICITFAST if stiff else method.mjINT_RK4

    @property
    def name(self) -> str:
        """Of the robot."""
        return self._model.names.partition(b'\0')[0].decode()

    @property
    def time(self) -> float:
        """Simulated time since the arm was built [s]."""
        return float(self._data.time)

    @property
    def position(self) -> Vector:
        """Joint positions in the order of `all_joints`, a view [rad or m]."""
        return self._data.qpos

    @property
    def velocity(self) -> Vector:
        """Joint velocities in the order of `all_joints`, a view [rad/s or m/s]."""
        return self._data.qvel

    @property
    def effort(self) -> Vector:
        """Torque of the drive in the order of `all_joints`, a view [N m or N].

        The sum of command, servo and gravity compensation of the drive, clamped to the effort
        limit.
        """
        return self._effort

    def set_torque(self, tau: ArrayLike) -> None:
        """Command torques (n,) in the order of `joints`, until the next call [N m or N]."""
        self._command[:] = tau

    def set_servo(self, servo: JointServo | None) -> None:
        """Switch the servo on, holding the arm where it is, or off (None)."""
        if servo is not None:
            self.follow(Trajectory([Point(0.0, self.position[self._index])]))
        self.servo = servo

    def follow(self, reference: Trajectory, start: float | None = None) -> None:
        """Give the servo a reference in the order of `joints`.

        Args:
            reference: the trajectory.
            start: simulated time at which it starts [s]; None for now.
        """
        self._reference = reference
        self._reference_start = self.time if start is None else start

    def reference(self) -> tuple[Vector, Vector]:
        """Position and velocity (n,) of the reference of the servo, now."""
        q, v, _ = self._reference.at(self.time - self._reference_start)
        return q, v

    def advance(self, duration: float) -> None:
        """Integrate over a duration [s], in equal steps of at most `max_step`.

        With the brake on, the joints do not move.

        Raises:
            SimulationError: the positions or velocities are not finite.
        """
        if duration <= 0.0:
            return
        steps = math.ceil(duration / self._max_step)
        self._model.opt.timestep = duration / steps
        self._exert()
        if self.brake:
            self._data.qvel[:] = 0.0
            self.stand_still(duration)
        elif self.servo is None and self._friction is None:
            mujoco.mj_step(self._model, self._data, steps)
        else:
            for _ in range(steps):
                self._exert()
                mujoco.mj_step(self._model, self._data)
        if not (np.isfinite(self._data.qpos).all() and np.isfinite(self._data.qvel).all()):
            raise SimulationError(
                'the simulated motion is not finite: torques or steps are too large'
            )

    def stand_still(self, duration: float) -> None:
        """Advance the time by a duration [s] without motion; velocities are kept."""
        self._data.time += duration

    def reset(self, position: ArrayLike | None = None) -> None:
        """Set the arm at rest at a position in the order of `joints`, with zero torques.

        Pushes end. The time is kept. A servo that is on holds the arm at this position.
        """
        home = self._home()
        if position is not None:
            home[:] = position
        time = self.time
        mujoco.mj_resetData(self._model, self._data)
        self._data.time = time
        self._data.qpos[self._moved] = (self._gear @ home + self._offset)[self._moved]
        self._command[:] = 0.0
        self._effort[:] = 0.0
        if self._friction is not None:
            self._friction.reset()
        self.outside.clear()
        self.follow(Trajectory([Point(0.0, home)]))

    def inertia(self) -> Vector:
        """The inertia of each joint at the present position: the diagonal of M(q), (n,)."""
        mujoco.mj_forward(self._model, self._data)
        inertia, product = np.empty(len(self.joints)), np.empty(self._model.nv)
        for i, motion in enumerate(self._gear.T.copy()):
            mujoco.mj_mulM(self._model, self._data, product, motion)
            inertia[i] = motion @ product
        return inertia

    def energy(self) -> float:
        """Kinetic plus potential energy [J], the latter up to a constant."""
        mujoco.mj_forward(self._model, self._data)
        mujoco.mj_energyPos(self._model, self._data)
        mujoco.mj_energyVel(self._model, self._data)
        return float(self._data.energy.sum())

    def required_torque(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Vector:
        """The torque of a motion (q, v, a), with friction and damping, (n,) [N m or N].

        Other joints rest at their positions. The state of the arm is not changed.
        """
        trial = mujoco.MjData(self._model)
        trial.qpos[:] = np.where(self._moved, self._gear @ q + self._offset, self._data.qpos)
        trial.qvel[:], trial.qacc[:] = self._gear @ v, self._gear @ a
        mujoco.mj_inverse(self._model, trial)
        return self._gear.T @ trial.qfrc_inverse

    def gravity_torque(self) -> Vector:
        """The torque that holds the arm against gravity at its position, (n,) [N m or N]."""
        rest = self._at_rest
        rest.qpos[:] = self._data.qpos
        mujoco.mj_kinematics(self._model, rest)
        mujoco.mj_comPos(self._model, rest)
        gravity = np.empty(self._model.nv)
        # At zero velocity and without accelerations the result is gravity alone.
        mujoco.mj_rne(self._model, rest, 0, gravity)
        return self._gear.T @ gravity

    def _exert(self) -> None:
        self.outside.exert()
        torque = self._command
        if self.servo is not None:
            q, v = self.position[self._index], self.velocity[self._index]
            torque = torque + self.servo.torque(q, v, *self.reference())
        if self._adds_gravity:
            torque = torque + self.gravity_torque()
        limit = self._effort_limit
        self._effort[self._index] = np.minimum(np.maximum(torque, -limit), limit)
        self._data.qfrc_applied[:] = self._effort
        if self._friction is not None:
            self._data.qfrc_applied += self._friction.torque(self._effort)

    def _home(self) -> Vector:
        lower, upper = self._model.jnt_range[self._index].T
        limited = self._model.jnt_limited[self._index]
        return np.where(limited, np.clip(0.0, lower, upper), 0.0)

    def _indices(self, joints: Sequence[str]) -> NDArray[np.intp]:
        unknown = [name for name in joints if name not in self.all_joints]
        if unknown or len(set(joints)) != len(joints):
            raise SimulationError(
                f'joints are {", ".join(joints)}: each must be named once and be one of '
                f'{", ".join(self.all_joints)}'
            )
        return np.array([self.all_joints.index(name) for name in joints], dtype=np.intp)

    def _coupling(self) -> tuple[NDArray[np.float64], Vector]:
        """G and o with q_all = G q + o: each joint moves itself and the joints that mimic it."""
        model = self._model
        gear, offset = np.zeros((model.nv, len(self.joints))), np.zeros(model.nv)
        gear[self._index, np.arange(len(self.joints))] = 1.0
        for i in range(model.neq):
            follower, leader = model.eq_obj1id[i], model.eq_obj2id[i]
            offset[follower], ratio = model.eq_data[i, :2]
            gear[follower] = ratio * gear[leader]
        return gear, offset

    def _is_stiff(self) -> bool:
        """Whether damping is too large for an explicit method at the longest step."""
        mujoco.mj_forward(self._model, self._data)
        inverse = np.eye(self._model.nv)
        mujoco.mj_solveM(self._model, self._data, inverse, np.eye(self._model.nv))
        decay = inverse @ np.diag(self._model.dof_damping.ravel())
        return bool(np.abs(np.linalg.eigvals(decay)).max() * self._max_step > 1.0)
