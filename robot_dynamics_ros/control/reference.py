"""The reference that is followed, until it is over or the robot has left it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.core.model.robot import RobotModel

from .settings import Settings, reference_distances
from .trajectory import Trajectory

TURN = 2.0 * math.pi
# Time after the end of a reference at which it is dropped [s].
TIMEOUT = 0.5


class Reference:
    """Keeps the reference, and compares it with the measured positions.

    The torque belongs to the positions of the reference. Far from them it is that of another pose.

    Attributes:
        trajectory: the motion to follow; None for the measured state.
        dropped: number of references that ended or were left, and were dropped.
        left: why the last reference was dropped, where the robot had left it; empty if it had not,
            and after a new reference.
        allowed: (k,) largest distance of a measured position from the reference [rad or m].
    """

    def __init__(
        self, model: RobotModel, joints: Sequence[str], indices: Array, settings: Settings
    ) -> None:
        """Without a reference.

        Args:
            model: of the robot.
            joints: names of the commanded joints, k of them.
            indices: (k,) of these among the independent joints of the model.
            settings: of the guards.

        Raises:
            ParameterError: the number of tolerances is neither 1 nor k.
        """
        self._joints, self._indices = tuple(joints), indices
        kinds = {joint.name: joint.kind for joint in model.independent_joints}
        # A joint without ends may be measured any number of turns from where it was.
        self._turns = np.array([TURN * (kinds[name] == 'continuous') for name in joints])
        self._may_turn = bool(self._turns.any())
        self.trajectory: Trajectory | None = None
        self._since = 0.0
        self.dropped, self.left = 0, ''
        self.allowed = reference_distances(model, joints, settings)

    def set(self, trajectory: Trajectory | None, time: float, q: Array | None = None) -> None:
        """Follow a trajectory from now on.

        Args:
            trajectory: the motion; None for the measured state.
            time: when it came [s], on the clock of the references.
            q: (n,) measured positions [rad or m]; None if there are none.

        Raises:
            StateError: it is too far from the measured positions; the one before stays.
        """
        if trajectory is not None:
            if q is not None and (far := self._far(trajectory.at(time)[0], q)):
                raise StateError(f'the reference begins too far from the robot: {far}')
            self.left = ''
        self.trajectory, self._since = trajectory, time

    def over(self, time: float) -> bool:
        """Whether the reference ended more than `TIMEOUT` ago."""
        if self.trajectory is None:
            return False
        end = self._since
        if self.trajectory.start < self.trajectory.end:
            # A single point lasts from when it came, even if its stamp is in the future.
            end = max(self.trajectory.end, end)
        return time > end + TIMEOUT

    def at(self, time: float, q: Array) -> Array | None:
        """Rows q, v and a (3, k) of the reference [rad or m, per s, per s^2].

        Args:
            time: [s], on the clock of the references.
            q: (n,) measured positions [rad or m].

        Returns:
            The rows; None without a reference, and where the robot has left it (see `left`).
        """
        if self.trajectory is None:
            return None
        rows = self.trajectory.at(time)
        if far := self._far(rows[0], q):
            self.left = f'the robot has left the reference: {far}'
            return None
        return rows

    def _far(self, reference: Array, q: Array) -> str:
        """The first joint that is too far from the reference, in words; empty if none is."""
        distance = q[self._indices] - reference
        if self._may_turn:
            distance -= np.round(distance / TURN) * self._turns
        beyond = np.flatnonzero(np.abs(distance) > self.allowed)
        if not beyond.size:
            return ''
        index = int(beyond[0])
        return (
            f'{self._joints[index]} is at {q[self._indices][index]:.4g}, the reference at '
            f'{reference[index]:.4g}, allowed is a distance of {self.allowed[index]:g} '
            '(reference_tolerance)'
        )
