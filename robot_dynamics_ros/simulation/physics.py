"""The arm itself: MuJoCo integrates its joints under the torques that act on them."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from robot_dynamics_ros.control.trajectory import Point, Trajectory

from .mujoco_description import SimulationError, strip
from .servo import JointServo

Vector = NDArray[np.float64]

MAX_STEP = 0.0006
"""Longest step of RK4 [s]. It follows a falling arm to about 1e-9 rad."""
IMPLICIT_MAX_STEP = 0.0002
"""Longest step of the implicit method [s]. It is of first order and follows to 1e-4 rad."""


class Physics:
    """An arm in free space: no contacts, its joint limits as end stops, its damping and friction.

    `all_joints` are the moving joints in MuJoCo's order, the order of `position`, `velocity` and
    `effort`. `joints` are those that take torques, the order of everything that is commanded.
    """

    def __init__(
        self,
        urdf_text: str,
        joints: Sequence[str] = (),
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        friction: bool = True,
        adds_gravity: bool = False,
        max_step: float | None = None,
    ) -> None:
        """Build the arm at rest, at zero or as near to zero as its limits allow.

        Args:
            urdf_text: the URDF itself, not a file name.
            joints: which joints take torques, in which order; none: all that do not mimic another.
            gravity: in the frame of the root link, (3,) [m/s^2].
            friction: whether joints have the damping and friction that the URDF gives them.
            adds_gravity: whether the drive adds what holds the arm against gravity to all that
                is commanded.
            max_step: longest integration step [s]; None: MAX_STEP or IMPLICIT_MAX_STEP.

        Raises:
            SimulationError: the URDF cannot be read, or MuJoCo refuses it, or a joint is unknown.
        """
        description = strip(urdf_text)
        self.name = description.name
        self._model = _compile(description.text)
        self._data = mujoco.MjData(self._model)
        self._model.opt.gravity = gravity
        if not friction:
            self._model.dof_damping[:] = 0.0
            self._model.dof_frictionloss[:] = 0.0
        self._max_step = MAX_STEP if max_step is None else max_step
        self.all_joints = tuple(self._model.joint(i).name for i in range(self._model.njnt))
        data = {joint.name: joint for joint in description.joints}
        self.joints = tuple(joints) or tuple(j for j in self.all_joints if not data[j].mimic)
        self._index = self._indices(self.joints)
        self.limits = tuple(data[name] for name in self.joints)
        self._effort_limit = np.array([joint.effort for joint in self.limits])
        self._gear, self._offset = self._coupling()
        self._moved = self._gear.any(axis=1)
        self._command = np.zeros(len(self.joints))
        self._adds_gravity = adds_gravity
        self._at_rest = mujoco.MjData(self._model)
        self._servo: JointServo | None = None
        self._reference = Trajectory([Point(0.0, self._home())])
        self._reference_start = 0.0
        self.brake = False
        self.reset()
        if self._is_stiff():
            self._model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
            self._max_step = IMPLICIT_MAX_STEP if max_step is None else max_step
        else:
            self._model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4

    @property
    def time(self) -> float:
        """How much time the arm has lived through [s]."""
        return float(self._data.time)

    @property
    def position(self) -> Vector:
        """Joint positions in the order of `all_joints`, a view [rad or m]."""
        return self._data.qpos  # type: ignore[no-any-return]

    @property
    def velocity(self) -> Vector:
        """Joint velocities in the order of `all_joints`, a view [rad/s or m/s]."""
        return self._data.qvel  # type: ignore[no-any-return]

    @property
    def effort(self) -> Vector:
        """What the drive exerts, in the order of `all_joints`, a view [N m or N].

        All of it: the command, the servo and the drive's own gravity compensation, after the
        effort limit.
        """
        return self._data.qfrc_applied  # type: ignore[no-any-return]

    @property
    def servo(self) -> JointServo | None:
        """The servo, while one is on."""
        return self._servo

    def set_torque(self, tau: ArrayLike) -> None:
        """Command torques in the order of `joints`; they act until the next call."""
        self._command[:] = tau

    def set_servo(self, servo: JointServo | None) -> None:
        """Switch the servo on, holding the arm where it is, or off (None)."""
        if servo is not None:
            self.follow(Trajectory([Point(0.0, self.position[self._index])]))
        self._servo = servo

    def follow(self, reference: Trajectory, start: float | None = None) -> None:
        """Give the servo a reference in the order of `joints`, that starts at a time (now)."""
        self._reference = reference
        self._reference_start = self.time if start is None else start

    def reference(self) -> tuple[Vector, Vector]:
        """Return where the servo wants the joints to be now: position and velocity, (n,) each."""
        q, v, _ = self._reference.at(self.time - self._reference_start)
        return q, v

    def advance(self, duration: float) -> None:
        """Let time pass [s], in equal steps of at most `max_step`.

        With the brake on the joints do not move, whatever acts on them.

        Raises:
            SimulationError: the motion has grown beyond all bounds.
        """
        if duration <= 0.0:
            return
        steps = math.ceil(duration / self._max_step)
        self._model.opt.timestep = duration / steps
        self._exert()
        if self.brake:
            self._data.qvel[:] = 0.0
            self.stand_still(duration)
        elif self._servo is None:
            mujoco.mj_step(self._model, self._data, steps)
        else:
            for _ in range(steps):
                self._exert()
                mujoco.mj_step(self._model, self._data)
        if not (np.isfinite(self._data.qpos).all() and np.isfinite(self._data.qvel).all()):
            raise SimulationError('the simulated motion has grown beyond all bounds')

    def stand_still(self, duration: float) -> None:
        """Let time pass [s] without motion; velocities are kept for afterwards."""
        self._data.time += duration

    def reset(self, position: ArrayLike | None = None) -> None:
        """Put the arm at a position in the order of `joints`, at rest, all torques zero.

        Time goes on. A servo that is on holds the arm at this position.
        """
        home = self._home()
        if position is not None:
            home[:] = position
        time = self.time
        mujoco.mj_resetData(self._model, self._data)
        self._data.time = time
        self._data.qpos[self._moved] = (self._gear @ home + self._offset)[self._moved]
        self._command[:] = 0.0
        self.follow(Trajectory([Point(0.0, home)]))

    def inertia(self) -> Vector:
        """Return what each joint sees of the arm where it is: the diagonal of M(q), (n,)."""
        mujoco.mj_forward(self._model, self._data)
        inertia, product = np.empty(len(self.joints)), np.empty(self._model.nv)
        for i, motion in enumerate(self._gear.T.copy()):
            mujoco.mj_mulM(self._model, self._data, product, motion)
            inertia[i] = motion @ product
        return inertia

    def energy(self) -> float:
        """Return kinetic plus potential energy [J], the latter up to a constant."""
        mujoco.mj_forward(self._model, self._data)
        mujoco.mj_energyPos(self._model, self._data)
        mujoco.mj_energyVel(self._model, self._data)
        return float(self._data.energy.sum())

    def required_torque(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Vector:
        """Return what motion (q, v, a) takes, friction and damping included, (n,).

        The other joints rest where they are. The arm itself stays untouched.
        """
        trial = mujoco.MjData(self._model)
        trial.qpos[:] = np.where(self._moved, self._gear @ q + self._offset, self._data.qpos)
        trial.qvel[:], trial.qacc[:] = self._gear @ v, self._gear @ a
        mujoco.mj_inverse(self._model, trial)
        return self._gear.T @ trial.qfrc_inverse  # type: ignore[no-any-return]

    def gravity_torque(self) -> Vector:
        """Return what holds the arm against gravity where it is, (n,)."""
        rest = self._at_rest
        rest.qpos[:] = self._data.qpos
        mujoco.mj_kinematics(self._model, rest)
        mujoco.mj_comPos(self._model, rest)
        gravity = np.empty(self._model.nv)
        # Its velocity stays zero: without accelerations, gravity is all that is left.
        mujoco.mj_rne(self._model, rest, 0, gravity)
        return self._gear.T @ gravity  # type: ignore[no-any-return]

    def _exert(self) -> None:
        torque = self._command
        if self._servo is not None:
            q, v = self.position[self._index], self.velocity[self._index]
            torque = torque + self._servo.torque(q, v, *self.reference())
        if self._adds_gravity:
            torque = torque + self.gravity_torque()
        limit = self._effort_limit
        self._data.qfrc_applied[self._index] = np.minimum(np.maximum(torque, -limit), limit)

    def _home(self) -> Vector:
        return np.array([min(max(0.0, joint.lower), joint.upper) for joint in self.limits])

    def _indices(self, joints: Sequence[str]) -> NDArray[np.intp]:
        unknown = [name for name in joints if name not in self.all_joints]
        if unknown or len(set(joints)) != len(joints):
            raise SimulationError(
                f'joints are {", ".join(joints)}: each must stand once and be one of '
                f'{", ".join(self.all_joints)}'
            )
        return np.array([self.all_joints.index(name) for name in joints], dtype=np.intp)

    def _coupling(self) -> tuple[NDArray[np.float64], Vector]:
        """G and o with q_all = G q + o: every joint moves itself, and those that mimic it."""
        model = self._model
        gear, offset = np.zeros((model.nv, len(self.joints))), np.zeros(model.nv)
        gear[self._index, np.arange(len(self.joints))] = 1.0
        for i in range(model.neq):
            follower, leader = model.eq_obj1id[i], model.eq_obj2id[i]
            offset[follower], ratio = model.eq_data[i, :2]
            gear[follower] = ratio * gear[leader]
        return gear, offset

    def _is_stiff(self) -> bool:
        """Whether damping is so strong for the step that only an implicit method is stable."""
        mujoco.mj_forward(self._model, self._data)
        inverse = np.eye(self._model.nv)
        mujoco.mj_solveM(self._model, self._data, inverse, np.eye(self._model.nv))
        decay = inverse @ np.diag(self._model.dof_damping.ravel())
        return bool(np.abs(np.linalg.eigvals(decay)).max() * self._max_step > 1.0)


def _compile(text: str) -> mujoco.MjModel:
    # MuJoCo would write its warnings to stderr and to a file in the current folder.
    mujoco.set_mju_user_warning(logging.getLogger(__name__).warning)
    try:
        model = mujoco.MjModel.from_xml_string(text)
    except ValueError as error:
        raise SimulationError(
            f'MuJoCo refuses this URDF: {" ".join(str(error).split())}. A simulated arm needs '
            'mass and a possible inertia in every moving link; the dynamics node asks for less.'
        ) from error
    # A mimic joint is a gear, as stiff as the step allows; MuJoCo's default is a soft spring.
    model.eq_solref[:] = (2.5 * MAX_STEP, 1.0)
    model.eq_solimp[:, :2] = 0.9999
    # MuJoCo would silently start over from zero where the motion grows beyond bounds.
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    return model
