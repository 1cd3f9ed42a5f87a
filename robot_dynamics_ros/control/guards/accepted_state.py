"""The last measurement of each joint that the state guard accepted."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array, all_finite
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.robot import RobotModel

from ..velocity import VelocityEstimate
from .settings import GuardSettings
from .state_guard import StateGuard


class AcceptedState:
    """Keeps the last good measurement of each joint, for commands with and without a new state.

    Joints may come in different messages: each has a time of its own. A measurement that repeats
    the stamp of the one before does not change that time.

    Attributes:
        q: (n,) positions [rad or m]; zero where none was measured yet.
        v: (n,) velocities [rad/s or m/s]; zero where none was measured or estimated.
        has_velocities: (n,) whether the velocity of a joint was measured or estimated.
        has_velocity: whether those of all commanded joints were measured or estimated.
        times: (n,) when each joint was measured [s], on a monotonic clock; -inf for never.
        repeated: (n,) when a state came last that repeats the stamp of a joint [s], on that clock;
            -inf for never.
        time: the earliest of the commanded joints.
        others_time: the earliest of the other joints; inf if there are none.
        velocity: estimate from the positions, for joints whose velocity is not measured.
        jump: for the log: that the last update accepted a position after a jump; else empty.
    """

    def __init__(self, model: RobotModel, commanded: Array, settings: GuardSettings) -> None:
        """Without a state yet.

        Args:
            model: of the robot.
            commanded: (k,) indices of the commanded joints.
            settings: of the guards.
        """
        self.q, self.v = np.zeros((2, model.size))
        self.has_velocity = False
        self.times, self.repeated = np.full((2, model.size), -math.inf)
        self.time = -math.inf
        self._names = model.joint_names
        self._commanded = commanded
        self._others = np.setdiff1d(np.arange(model.size), commanded)
        self.others_time = -math.inf if self._others.size else math.inf
        self.velocity = VelocityEstimate(model, settings.velocity_cutoff)
        self.has_velocities = np.zeros(model.size, dtype=bool)
        # How often each joint was measured: in states of all joints, and in others.
        self._complete_count, self._counts = 0, np.zeros(model.size, dtype=np.int64)
        self._guard = StateGuard(model)
        # Whether a state was refused since the last good one.
        self._refused = False
        self.jump = ''
        self._confirmed_q, self._confirmed_times = self.q.copy(), self.times.copy()

    def apply(self, settings: GuardSettings) -> None:
        """Use other settings from the next state on."""
        self.velocity.cutoff = settings.velocity_cutoff

    def continue_from(self, other: AcceptedState) -> None:
        """Take over the state of another robot with the same joints."""
        self.q[:], self.v[:], self.times[:] = other.q, other.v, other.times
        self.repeated[:] = other.repeated
        self.has_velocity, self.has_velocities[:] = other.has_velocity, other.has_velocities
        self.time, self.others_time = other.time, other.others_time
        self._complete_count, self._counts[:] = other._complete_count, other._counts
        self._refused = other._refused
        self.confirm()
        self._guard.continue_from(other._guard)
        self.velocity.continue_from(other.velocity)

    @property
    def complete(self) -> bool:
        """Whether each joint has been measured."""
        return min(self.time, self.others_time) > -math.inf

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """(n,) how often each joint was measured, with newer stamps."""
        return self._counts + np.int64(self._complete_count)

    def fresh(self, now: float, settings: GuardSettings) -> bool:
        """Whether each joint was measured, and not too long ago by the timeouts of the settings.

        Args:
            now: [s], on the monotonic clock.
            settings: of the guards.
        """
        return (
            now - self.time <= settings.state_timeout
            and now - self.others_time <= settings.other_state_timeout
        )

    def timeouts(self, settings: GuardSettings) -> Array:
        """(n,) the age at which the measurement of each joint is too old [s]."""
        limits = np.full(self.times.size, settings.other_state_timeout)
        limits[self._commanded] = settings.state_timeout
        return limits

    def only_positions(self) -> Array:
        """(n,) the commanded joints that are in joint states, but without a velocity."""
        found = np.zeros(self.q.size, dtype=bool)
        found[self._commanded] = True
        return np.asarray(found & self._guard.measured & ~self.has_velocities)

    def without_velocity(self) -> str:
        """Names of the commanded joints whose velocity is neither measured nor estimated."""
        missing = self._commanded[~self.has_velocities[self._commanded]]
        return ', '.join(self._names[index] for index in missing)

    def reset_stamps(self) -> None:
        """Compare the next stamp and position of each joint with none: the clock has been set."""
        self._guard.reset()
        self.velocity.reset()

    def refuse_clock(self) -> None:
        """Count a state as refused whose stamp is of another clock than that of the last one."""
        self.reset_stamps()
        self._refused = True

    def update(self, stamp: float, q: Array, v: Array | None, now: float) -> bool:
        """Take a state.

        Args:
            stamp: of the state [s], on any clock.
            q: (n,) positions [rad or m]; NaN for joints that the state does not hold.
            v: (n,) velocities [rad/s or m/s], NaN where they were not measured; None if none was.
            now: [s], on a monotonic clock.

        Returns:
            Whether the robot moved by more than the jump tolerances while states were refused.

        Raises:
            StateError: the state guard refuses it; the last good state stays.
        """
        try:
            all_newer = self._guard.check(stamp, q, v)
        except StateError:
            self.velocity.reset()
            self._refused = True
            raise
        moved = self._refused and self._moves(q)
        self.jump = self._jump_text(q) if moved else ''
        self._refused = False
        if v is not None and all_finite(v) and all_finite(q):
            self.q[:], self.v[:] = q, v
            self.has_velocities.fill(True)
            self.has_velocity = True
        else:
            self._merge(stamp, q, v)
        if all_newer:
            self.times.fill(now)
            self.time = now
            if self._others.size:
                self.others_time = now
            self._complete_count += 1
        else:
            np.copyto(self.times, now, where=self._guard.newer)
            np.copyto(self.repeated, now, where=~(self._guard.newer | np.isnan(q)))
            self._counts += self._guard.newer
            self._find_earliest()
        return moved

    def confirm(self) -> None:
        """What the updates have brought is good: a torque was computed from it."""
        self._confirmed_q[:], self._confirmed_times[:] = self.q, self.times

    def withdraw(self) -> None:
        """Undo the updates since `confirm`: no torque can be computed from them."""
        self.q[:], self.times[:] = self._confirmed_q, self._confirmed_times
        self._find_earliest()
        self.velocity.reset()

    def _moves(self, q: Array) -> bool:
        return bool((np.abs(q - self.q) > self._guard.jump_tolerances).any())

    def _jump_text(self, q: Array) -> str:
        steps = np.abs(q - self.q)
        jumps = ', '.join(
            f'position of {self._names[index]!r} jumped by {steps[index]:.3g}'
            for index in np.flatnonzero(steps > self._guard.jump_tolerances)
        )
        return f'{jumps} [rad or m] and stayed: accepted'

    def _merge(self, stamp: float, q: Array, v: Array | None) -> None:
        """Take positions and velocities of some joints; estimate velocities if that is set."""
        measured = ~np.isnan(q)
        np.copyto(self.q, q, where=measured)
        known = np.zeros_like(measured) if v is None else measured & ~np.isnan(v)
        velocities = np.zeros_like(q) if v is None else np.where(known, v, 0.0)
        if self.velocity.cutoff:
            velocities = np.where(known, velocities, self.velocity.update(stamp, q))
            known = measured
        np.copyto(self.v, velocities, where=measured)
        np.copyto(self.has_velocities, known, where=measured)
        self.has_velocity = bool(self.has_velocities[self._commanded].all())

    def _find_earliest(self) -> None:
        self.time = float(self.times[self._commanded].min())
        if self._others.size:
            self.others_time = float(self.times[self._others].min())
