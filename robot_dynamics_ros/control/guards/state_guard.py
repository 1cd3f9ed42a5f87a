"""Refuses joint states that cannot follow from the ones before."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array, all_finite
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.robot import RobotModel

from ..position_limits import PositionLimits, joint_reach

# Stands for no velocity limit [rad/s or m/s]: multiplied by zero seconds it gives zero, infinity
# would give NaN.
UNLIMITED = 1e100
# The jump tolerance of a joint: what it covers in this time at its velocity limit [s], at most
# this share of its range [-].
JUMP_TIME, JUMP_SHARE = 0.05, 0.05
# A velocity is refused beyond this multiple of its limit [-].
FASTEST = 10.0


class StateGuard:
    """Refuses stamps that run backwards, positions out of reach, and velocities out of reason.

    A state holds any of the joints. Each joint is compared with its own last measurement: stamps
    of two drivers may run backwards relative to each other.

    A velocity is refused beyond `FASTEST` times its limit: a joint that falls or is pushed may
    exceed its limit, but not by so much.

    The next state is compared with the last one, also where that was refused. So only one state is
    refused where the robot really is elsewhere, or its clock really was set back.

    Joints that are measured for the first time, and joints that have moved by more than their
    jump tolerance since their last state, are refused, again and again, where several of them are
    far outside their position limits: after a pause the velocity limits explain any step, also
    that from radians to degrees.

    Attributes:
        jump_tolerances: (n,) step of a position that is allowed beyond what its velocity limit
            explains [rad or m].
        newer: (n,) of which joints the last state that was checked had a newer stamp.
    """

    def __init__(self, model: RobotModel) -> None:
        """Without a state to compare with yet.

        Args:
            model: of the robot; its independent joints and their limits count.
        """
        self.jump_tolerances = joint_reach(model, JUMP_TIME, JUMP_SHARE)
        joints = model.independent_joints
        self._names = model.joint_names
        self._speeds = np.minimum(model.velocity_bounds, UNLIMITED)
        self._fastest = np.where(self._speeds < UNLIMITED, FASTEST * self._speeds, math.inf)
        # Some drivers wrap the angle of a continuous joint.
        self._wraps = np.array([joint.kind == 'continuous' for joint in joints])
        self._any_wraps = bool(self._wraps.any())
        self._limits = PositionLimits(model)
        self.newer = np.zeros(model.size, dtype=bool)
        self._q, self._elapsed, self._step = np.zeros((3, model.size))
        # Of the last state of each joint [s].
        self._times = np.full(model.size, -math.inf)
        # Which joints were measured before, also before a reset, and have not moved far from one
        # state to the next since.
        self._seen = np.zeros(model.size, dtype=bool)
        self._all_seen = False

    @property
    def measured(self) -> Array:
        """(n,) which joints were in a state that came, also if it was refused."""
        return np.asarray(self._times > -math.inf)

    def continue_from(self, other: StateGuard) -> None:
        """Compare the next state with the last one of another guard of the same joints."""
        self._q[:], self._times[:] = other._q, other._times
        self._seen[:], self._all_seen = other._seen, other._all_seen

    def reset(self) -> None:
        """Accept the next state of each joint without a comparison: the clock has been set."""
        self._times.fill(-math.inf)

    def check(self, time: float, q: Array, v: Array | None = None) -> bool:
        """Compare a state with the last one of each of its joints.

        Args:
            time: stamp of the state [s], on any clock.
            q: (n,) positions [rad or m]; NaN for joints that the state does not hold.
            v: (n,) velocities [rad/s or m/s], NaN where they were not measured; None if none was.

        Returns:
            Whether the state holds all joints, each with a newer stamp than before.

        Raises:
            StateError: a stamp is older, a position jumps, a velocity is out of reason, or joints
                that are measured for the first time, or have moved far, are far outside their
                position limits.
        """
        elapsed, step = self._elapsed, self._step
        np.subtract(time, self._times, out=elapsed)
        np.subtract(q, self._q, out=step)
        np.abs(step, out=step)
        if self._any_wraps:
            wrapped = step[self._wraps] % (2 * math.pi)
            step[self._wraps] = np.minimum(wrapped, 2 * math.pi - wrapped)
        complete = all_finite(q)
        if not self._all_seen:
            self._check_unit(q)
        if complete:
            self._q[:] = q
            self._times.fill(time)
        else:
            measured = ~np.isnan(q)
            np.copyto(self._q, q, where=measured)
            np.copyto(self._times, time, where=measured)
            # No comparison with NaN holds: what was not measured is not newer, and jumps nowhere.
            elapsed[~measured] = math.nan
        if v is not None and (np.abs(v) > self._fastest).any():
            self._doubt(step)
            self._refuse_velocity(v)
        np.greater(elapsed, 0.0, out=self.newer)
        all_newer = bool(self.newer.all())
        if not all_newer and (elapsed < 0.0).any():
            self._doubt(step)
            worst = int(np.nanargmin(elapsed))
            raise StateError(
                f'the stamp is {-elapsed[worst]:.6g} s before that of the state before '
                f'({self._names[worst]})'
            )
        if (step > self.jump_tolerances).any():
            self._doubt(step)
            self._check_steps(q, step, elapsed)
            self._check_unit(q)
        return all_newer

    def _check_unit(self, q: Array) -> None:
        """Ask for the unit where joints that are new here are far outside their limits."""
        if question := self._limits.question(np.where(self._seen, math.nan, q)):
            raise StateError(question)
        self._seen |= ~np.isnan(q)
        self._all_seen = bool(self._seen.all())

    def _doubt(self, step: Array) -> None:
        """Where joints that moved far are must be as plausible as a first measurement."""
        self._seen &= ~(step > self.jump_tolerances)
        self._all_seen = bool(self._seen.all())

    def _check_steps(self, q: Array, step: Array, elapsed: Array) -> None:
        """Refuse steps that the velocity limits do not explain."""
        allowed = self._speeds * elapsed + self.jump_tolerances
        if not (step > allowed).any():
            return
        worst = int(np.nanargmax(step - allowed))
        question = self._limits.question(np.where(self._seen, math.nan, q))
        raise StateError(
            f'position of {self._names[worst]!r} jumps by {step[worst]:.3g} in '
            f'{elapsed[worst]:.3g} s, its velocity limit and range allow '
            f'{allowed[worst]:.3g}{"; " if question else ""}{question}'
        )

    def _refuse_velocity(self, v: Array) -> None:
        worst = int((np.abs(v) > self._fastest).argmax())
        raise StateError(
            f'velocity of {self._names[worst]!r} is {v[worst]:.4g}, more than {FASTEST:g} times '
            f'its limit of {self._speeds[worst]:.4g}'
        )
