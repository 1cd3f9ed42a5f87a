"""The robot that a node has configured, shared by all that work with it."""

from __future__ import annotations

import threading

from robot_dynamics_ros.core.errors import StateError

from .commanded_robot import CommandedRobot


class RobotInUse:
    """Holds the controller, or none, and the lock under which it changes.

    Attributes:
        lock: held while a state is answered: what other threads change, changes between two.
        refusal: why the last robot was not configured; empty if it was.
    """

    def __init__(self) -> None:
        """No robot yet."""
        self.lock = threading.RLock()
        self.refusal = ''
        self._commanded: CommandedRobot | None = None
        # What outlives a robot: the last command of each joint, and whether torque is allowed.
        self._efforts: dict[str, float] = {}
        self._enabled = True

    @property
    def present(self) -> CommandedRobot | None:
        """The controller; None if no robot is configured."""
        return self._commanded

    def commanded(self) -> CommandedRobot:
        """What the configured node works with.

        Raises:
            StateError: the node is not configured.
        """
        if self._commanded is None:
            raise StateError('the node is not configured')
        return self._commanded

    def take(self, commanded: CommandedRobot) -> None:
        """Work with this one from now on, from the commands that its joints have had."""
        with self.lock:
            guard = commanded.guard
            guard.effort[:] = [self._efforts.get(name, 0.0) for name in commanded.joints]
            guard.enabled = self._enabled
            self.refusal = ''
            self._commanded = commanded

    def release(self) -> None:
        """Work with none; what was commanded last, and whether it is enabled, is kept."""
        with self.lock:
            commanded = self._commanded
            if commanded is not None:
                guard = commanded.guard
                guard.active = False
                last = zip(commanded.joints, guard.effort.tolist(), strict=True)
                self._efforts.update(last)
                self._enabled = guard.enabled
            self._commanded = None

    def exchange(self, commanded: CommandedRobot, fade_time: float | None = None) -> None:
        """Go over to another one of the same joints, between two states, through a fade [s].

        Args:
            commanded: of the other robot.
            fade_time: None for the usual.

        Raises:
            StateError: the node is not configured.
        """
        with self.lock:
            commanded.continue_from(self.commanded(), fade_time)
            self._commanded = commanded
