"""Whether a joint state can follow from the one before."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.robot import RobotModel

# Stands for no velocity limit [rad/s or m/s]: times no time at all it is no step, where infinity
# would be no number.
UNLIMITED = 1e100
FASTEST = 10.0


class StateGuard:
    """Refuses stamps that run backwards, positions that no joint can have reached, and velocities.

    A velocity is refused beyond `FASTEST` times its limit: a joint that falls or is pushed may be
    faster than it is meant to be, but not by so much.

    A state that is refused becomes the one that the next is compared with: a robot that really is
    elsewhere, or a clock that really was set back, costs one state.

    Attributes:
        jump_tolerance: by which a position may step more than its velocity limit explains
            [rad or m]; may change at any time.
    """

    def __init__(self, model: RobotModel, jump_tolerance: float) -> None:
        """Watch the independent joints of a robot, at its velocity limits."""
        self.jump_tolerance = jump_tolerance
        joints = model.independent_joints
        self._names = model.joint_names
        limits = np.array([joint.limits.velocity for joint in joints])
        # A limit of zero or less says nothing, and leaves the joint free to move.
        self._speeds = np.where(limits > 0.0, np.minimum(limits, UNLIMITED), UNLIMITED)
        # Some drivers wrap joints that turn without end.
        self._wraps = np.array([joint.kind == 'continuous' for joint in joints])
        self._q = np.zeros(model.size)
        self._time = -math.inf

    def continue_from(self, other: StateGuard) -> None:
        """Compare the next state with the last one of another guard of the same joints."""
        self._q[:], self._time = other._q, other._time

    def forget(self) -> None:
        """Compare the next state with nothing: the clock was set, or nobody listened for long."""
        self._time = -math.inf

    def check(self, time: float, q: Array, v: Array | None = None) -> bool:
        """Compare a state with the one before; whether it is newer.

        Args:
            time: its stamp [s], on any clock.
            q: (n,) positions [rad or m].
            v: (n,) velocities [rad/s or m/s]; None if they were not measured.

        Raises:
            StateError: it cannot follow from that, or a velocity is out of reason.
        """
        elapsed = time - self._time
        step = np.abs(q - self._q)
        if self._wraps.any():
            wrapped = step[self._wraps] % (2 * math.pi)
            step[self._wraps] = np.minimum(wrapped, 2 * math.pi - wrapped)
        self._q[:] = q
        self._time = time
        if v is not None:
            self._check_velocities(v)
        if elapsed < 0.0:
            raise StateError(f'the stamp is {-elapsed:.6g} s before that of the state before')
        if math.isinf(elapsed):
            return True
        allowed = self._speeds * elapsed + self.jump_tolerance
        excess = step - allowed
        worst = int(excess.argmax())
        if excess[worst] > 0.0:
            raise StateError(
                f'position of {self._names[worst]!r} jumps by {step[worst]:.3g} in '
                f'{elapsed:.3g} s, velocity limit and jump_tolerance allow {allowed[worst]:.3g}'
            )
        return elapsed > 0.0

    def _check_velocities(self, v: Array) -> None:
        beyond = (np.abs(v) > FASTEST * self._speeds) & (self._speeds < UNLIMITED)
        if beyond.any():
            worst = int(beyond.argmax())
            raise StateError(
                f'velocity of {self._names[worst]!r} is {v[worst]:.4g}, more than {FASTEST:g} '
                f'times its limit of {self._speeds[worst]:.4g}'
            )
