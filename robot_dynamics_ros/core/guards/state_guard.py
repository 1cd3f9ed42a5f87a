"""Whether a joint state can follow from the one before."""

from __future__ import annotations

import math

import numpy as np

from ..checks import Array
from ..errors import StateError
from ..model import RobotModel

# Stands for no velocity limit [rad/s or m/s]: times no time at all it is no step, where infinity
# would be no number.
UNLIMITED = 1e100


class StateGuard:
    """Refuses stamps that run backwards and positions that no joint can have reached.

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

    def check(self, time: float, q: Array) -> bool:
        """Compare a state with the one before; whether it is newer.

        Args:
            time: its stamp [s], on any clock.
            q: (n,) positions [rad or m].

        Raises:
            StateError: it cannot follow from that.
        """
        elapsed = time - self._time
        step = np.abs(q - self._q)
        if self._wraps.any():
            wrapped = step[self._wraps] % (2 * math.pi)
            step[self._wraps] = np.minimum(wrapped, 2 * math.pi - wrapped)
        self._q[:] = q
        self._time = time
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
                f'{elapsed:.3g} s, its velocity limit explains {allowed[worst]:.3g}'
            )
        return elapsed > 0.0
