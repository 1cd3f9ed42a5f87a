"""The robot that the node has configured, shared by the loop, the topics and the services."""

from __future__ import annotations

import threading

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
        # Kept after cleanup: the robot whose last command may be continued, and whether torque is
        # enabled.
        self._last: CommandedRobot | None = None
        self._enabled = True
        # Whether the controller may have kept the command of another publisher, or of a robot with
        # other joints.
        self._commanded = False

    @property
    def current(self) -> CommandedRobot | None:
        """The configured robot; None if the node is not configured."""
        return self._robot

    def text(self) -> str:
        """The description of the configured robot; empty if the node is not configured."""
        return '' if self._robot is None else self._robot.compiled.text

    def require(self) -> CommandedRobot:
        """The configured robot, for callers that need one.

        Raises:
            StateError: the node is not configured.
        """
        if self._robot is None:
            raise StateError('the node is not configured: call the transition configure first')
        return self._robot

    def set(self, robot: CommandedRobot) -> None:
        """Hold this robot; with the same joints as before it continues from the last command."""
        with self.lock:
            guard, last = robot.guard, self._last
            if last is not None and last.joints == robot.joints:
                guard.limiter.effort[:] = last.guard.effort
                guard.start.continue_from(last.guard.start)
            elif self._commanded:
                guard.start.another_commanded()
            self._last = None
            guard.supervisor.enabled = self._enabled
            self.refusal = ''
            self._robot = robot

    def clear(self) -> None:
        """Hold no robot; keep its last command, and whether torque is enabled."""
        with self.lock:
            robot = self._robot
            if robot is not None:
                guard = robot.guard
                guard.supervisor.active = False
                trusted = guard.double_compensation.excluded
                self._last, self._enabled = robot, guard.supervisor.enabled
                self._commanded = guard.start.may_have_commanded(trusted=trusted)
            self._robot = None

    def forget_commands(self, *, another: bool) -> None:
        """What the controller has kept is not known any more, while this node commands nothing.

        Args:
            another: whether another publisher has commanded; else the controller was not seen.
        """
        with self.lock:
            if self._robot is None and another:
                self._last, self._commanded = None, True
            elif self._robot is None and self._last is not None:
                self._last.guard.forget_command()
            elif another and self._robot is not None:
                self._robot.guard.another_commanded()
