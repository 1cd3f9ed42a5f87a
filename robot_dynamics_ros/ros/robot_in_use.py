"""The robot that a node has configured, shared by all that work with it."""

from __future__ import annotations

import threading

from robot_dynamics_ros.core.errors import StateError

from .controller import Controller


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
        self._controller: Controller | None = None
        # What outlives a robot: the last command of each joint, and whether torque is allowed.
        self._efforts: dict[str, float] = {}
        self._enabled = True

    @property
    def present(self) -> Controller | None:
        """The controller; None if no robot is configured."""
        return self._controller

    def controller(self) -> Controller:
        """What the configured node works with.

        Raises:
            StateError: the node is not configured.
        """
        if self._controller is None:
            raise StateError('the node is not configured')
        return self._controller

    def take(self, controller: Controller) -> None:
        """Work with this one from now on, from the commands that its joints have had."""
        with self.lock:
            guard = controller.guard
            guard.effort[:] = [self._efforts.get(name, 0.0) for name in controller.joints]
            guard.enabled = self._enabled
            self.refusal = ''
            self._controller = controller

    def release(self) -> None:
        """Work with none; what was commanded last, and whether it is enabled, is kept."""
        with self.lock:
            controller = self._controller
            if controller is not None:
                guard = controller.guard
                guard.active = False
                last = zip(controller.joints, guard.effort.tolist(), strict=True)
                self._efforts.update(last)
                self._enabled = guard.enabled
            self._controller = None

    def exchange(self, controller: Controller, fade_time: float | None = None) -> None:
        """Go over to another one of the same joints, between two states, through a fade [s].

        Args:
            controller: of the other robot.
            fade_time: None for the usual.

        Raises:
            StateError: the node is not configured.
        """
        with self.lock:
            controller.continue_from(self.controller(), fade_time)
            self._controller = controller
