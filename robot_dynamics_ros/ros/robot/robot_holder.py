"""The robot that the node has configured, shared by the loop, the topics and the services."""

from __future__ import annotations

import threading

from robot_dynamics_ros.control.guards.supervisor import Mode
from robot_dynamics_ros.core.errors import StateError

from .commanded_robot import CommandedRobot


class RobotHolder:
    """Holds the configured robot, or none, and the lock under which it changes.

    Attributes:
        lock: held while a joint state is answered. Other threads change the robot under it, so
            that a change takes effect between two states.
        refusal: why the last description was not configured; empty if it was.
    """

    def __init__(self) -> None:
        """Hold no robot yet."""
        self.lock = threading.RLock()
        self.refusal = ''
        self._robot: CommandedRobot | None = None
        # Kept after cleanup: the last command of each joint, whether it is known that the driver
        # adds no gravity to it, and whether torque is enabled.
        self._efforts: dict[str, float] = {}
        self._trusted, self._enabled = False, True
        # Whether somebody has commanded what is not known.
        self._unknown = False

    @property
    def current(self) -> CommandedRobot | None:
        """The configured robot; None if the node is not configured."""
        return self._robot

    def require(self) -> CommandedRobot:
        """The configured robot, for callers that need one.

        Raises:
            StateError: the node is not configured.
        """
        if self._robot is None:
            raise StateError('the node is not configured: call the transition configure first')
        return self._robot

    def set(self, robot: CommandedRobot) -> None:
        """Hold this robot from now on; it continues from the last command of each joint."""
        with self.lock:
            guard = robot.guard
            guard.effort[:] = [self._efforts.get(name, 0.0) for name in robot.joints]
            guard.start.known = any(name in self._efforts for name in robot.joints)
            if self._unknown:
                guard.start.another_commanded()
            guard.enabled = self._enabled
            self.refusal = ''
            self._robot = robot

    def clear(self) -> None:
        """Hold no robot; keep the last command of each joint, and whether torque is enabled."""
        with self.lock:
            robot = self._robot
            if robot is not None:
                guard = robot.guard
                guard.active = False
                for name, effort in zip(robot.joints, guard.effort.tolist(), strict=True):
                    if guard.start.known:
                        self._efforts[name] = effort
                    else:
                        self._efforts.pop(name, None)
                self._unknown = self._unknown and not guard.start.known
                self._trusted = guard.double_compensation.excluded
                self._enabled = guard.enabled
            self._robot = None

    def forget_commands(self, *, another: bool) -> None:
        """What the controller has kept is not known any more, while this node commands nothing.

        Args:
            another: whether another publisher has commanded; else the controller was not seen.
        """
        with self.lock:
            robot = self._robot
            if robot is None:
                self._unknown |= another or (bool(self._efforts) and self._trusted)
                self._efforts.clear()
            elif another and robot.guard.mode is Mode.SILENT:
                self._unknown = True
                robot.guard.start.another_commanded()

    def replace(self, robot: CommandedRobot, fade_time: float | None = None) -> None:
        """Change to another robot with the same joints, between two states, through a fade.

        Args:
            robot: to hold from now on.
            fade_time: of the change [s]; None for parameter fade_time.

        Raises:
            StateError: the node is not configured.
        """
        with self.lock:
            robot.continue_from(self.require(), fade_time)
            self._robot = robot
