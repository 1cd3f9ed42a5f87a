"""Refuses joint states that cannot follow from the one before."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.robot import RobotModel

# Stands for no velocity limit [rad/s or m/s]: multiplied by zero seconds it gives zero, infinity
# would give NaN.
UNLIMITED = 1e100
# A velocity is refused beyond this multiple of its limit [-].
FASTEST = 10.0


class StateGuard:
    """Refuses stamps that run backwards, positions out of reach, and velocities out of reason.

    A velocity is refused beyond `FASTEST` times its limit: a joint that falls or is pushed may
    exceed its limit, but not by so much.

    The next state is compared with the last one, also where that was refused. So only one state is
    refused where the robot really is elsewhere, or its clock really was set back.

    Attributes:
        jump_tolerance: step of a position that is allowed beyond what its velocity limit explains
            [rad or m]; may change at any time.
    """

    def __init__(self, model: RobotModel, jump_tolerance: float) -> None:
        """Without a state to compare with yet.

        Args:
            model: of the robot; its independent joints and their velocity limits count.
            jump_tolerance: see the attribute.
        """
        self.jump_tolerance = jump_tolerance
        joints = model.independent_joints
        self._names = model.joint_names
        limits = np.array([joint.limits.velocity for joint in joints])
        # A limit that is not positive counts as none.
        self._speeds = np.where(limits > 0.0, np.minimum(limits, UNLIMITED), UNLIMITED)
        # Some drivers wrap the angle of a continuous joint.
        self._wraps = np.array([joint.kind == 'continuous' for joint in joints])
        self._q = np.zeros(model.size)
        self._time = -math.inf

    def continue_from(self, other: StateGuard) -> None:
        """Compare the next state with the last one of another guard of the same joints."""
        self._q[:], self._time = other._q, other._time

    def reset(self) -> None:
        """Accept the next state without a comparison: the clock has been set."""
        self._time = -math.inf

    def check(self, time: float, q: Array, v: Array | None = None) -> bool:
        """Compare a state with the one before.

        Args:
            time: stamp of the state [s], on any clock.
            q: (n,) positions [rad or m].
            v: (n,) velocities [rad/s or m/s]; None if they were not measured.

        Returns:
            Whether the stamp is newer than the one before.

        Raises:
            StateError: the stamp is older, a position jumps, or a velocity is out of reason.
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
