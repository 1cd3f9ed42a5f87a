"""The reference: what is followed, where it begins, and how far the robot may be from it."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from .feedforward import Feedforward
from .torque_text import torque_text, units_of
from .trajectory import Trajectory

# Time after the end of a reference at which it is dropped [s].
TIMEOUT = 0.5


class Reference:
    """Keeps the reference, and compares it with the measured positions.

    The torque belongs to the positions of the reference. Far from them it is that of another pose:
    what it is wrong by at rest is the difference of the gravity torques.

    Attributes:
        trajectory: the motion to follow; None for the measured state.
        dropped: number of references that ended or were left, and were dropped.
        left: why the last reference was dropped, where the robot had left it; empty if it had not,
            and after a new reference.
        allowed: (k,) largest difference of the gravity torques [N m or N]; infinite for any.
    """

    def __init__(self, feedforward: Feedforward) -> None:
        self._feedforward = feedforward
        self.trajectory: Trajectory | None = None
        self._since = 0.0
        self.dropped, self.left = 0, ''
        self.allowed = np.full(len(feedforward.joints), np.inf)

    def allow(self, limits: Array, tolerance: float) -> None:
        """Allow differences up to a share of the effort limits (k,), each of which may be inf."""
        self.allowed = np.full(limits.size, np.inf)
        if tolerance < np.inf:
            np.multiply(tolerance, limits, out=self.allowed, where=np.isfinite(limits))

    def set(self, trajectory: Trajectory | None, now: float, q: Array | None = None) -> None:
        """Follow a trajectory from now on.

        Args:
            trajectory: the motion; None for the measured state.
            now: [s], on the clock of the node.
            q: (n,) measured positions [rad or m]; None if there are none.

        Raises:
            StateError: it is too far from the measured positions; the one before stays.
        """
        if trajectory is not None:
            if q is not None and (far := self._far(trajectory.at(now)[0], q)):
                raise StateError(f'the reference begins too far from the robot: {far}')
            self.left = ''
        self.trajectory, self._since = trajectory, now

    def over(self, now: float) -> bool:
        """Whether the reference ended more than `TIMEOUT` ago."""
        if self.trajectory is None:
            return False
        end = self._since
        if self.trajectory.start < self.trajectory.end:
            # A single point lasts from when it came.
            end = max(self.trajectory.end, end)
        return now > end + TIMEOUT

    def at(self, now: float, q: Array) -> Array | None:
        """Rows q, v and a (3, k) of the reference [rad or m, per s, per s^2].

        Args:
            now: [s], on the clock of the node.
            q: (n,) measured positions [rad or m].

        Returns:
            The rows; None without a reference, and where the robot has left it (see `left`).
        """
        if self.trajectory is None:
            return None
        rows = self.trajectory.at(now)
        if far := self._far(rows[0], q):
            self.left = f'the robot has left the reference: {far}'
            return None
        return rows

    def _far(self, reference: Array, q: Array) -> str:
        """The joint that is farthest from the reference, in words; empty if none is too far."""
        commanded, dynamics = self._feedforward.indices, self._feedforward.dynamics
        pose = q.copy()
        pose[commanded] = reference
        there, here = (dynamics.gravity_torque(each)[commanded] for each in (pose, q))
        beyond = np.abs(there - here) - self.allowed
        if not (beyond > 0.0).any():
            return ''
        worst, joints = int(beyond.argmax()), self._feedforward.joints
        unit = units_of(dynamics.model, joints)[worst]
        needs, has, most = (
            torque_text(float(each[worst]), unit) for each in (there, here, self.allowed)
        )
        return (
            f'gravity needs {needs} of {joints[worst]} at the reference and {has} where it is, '
            f'allowed is a difference of {most} (reference_tolerance of the effort limit)'
        )
