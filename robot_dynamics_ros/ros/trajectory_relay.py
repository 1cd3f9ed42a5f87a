"""Trajectories on their way to a controller, with efforts filled in on the way."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from rclpy.lifecycle import LifecycleNode
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_ros.core.errors import RobotDynamicsError, StateError
from robot_dynamics_ros.core.trajectory_efforts import PARTS

from . import parameters
from .controller import Controller
from .diagnostics import WARNING_PERIOD, Intake
from .requested_state import RequestedState
from .trajectory_efforts import excesses, fill_efforts


class TrajectoryRelay:
    """Sends what comes on `~/trajectory_in` on to `~/trajectory_out`, while the node is active."""

    def __init__(
        self,
        node: LifecycleNode,
        controller: Callable[[], Controller],
        lock: AbstractContextManager[Any],
        intake: Intake,
        refuse: Callable[[str, object], None],
    ) -> None:
        """Create both topics.

        Args:
            node: that offers them.
            controller: gives the present one; raises RobotDynamicsError if there is none.
            lock: held while the latest state is read.
            intake: counts what was used.
            refuse: counts and logs what was not, by topic and reason.
        """
        self._node = node
        self._controller = controller
        self._state = RequestedState(lock)
        self._intake = intake
        self._refuse = refuse
        self._publisher = node.create_lifecycle_publisher(JointTrajectory, '~/trajectory_out', 10)
        node.create_subscription(JointTrajectory, '~/trajectory_in', self._relay, 10)

    def _relay(self, message: JointTrajectory) -> None:
        try:
            controller = self._controller()
            if not self._publisher.is_activated:
                raise StateError('the node is not active')
            # A trajectory without points tells a controller to stop: there is nothing to fill.
            demands = (
                fill_efforts(message, controller, self._state, self._terms())
                if message.points
                else []
            )
        except RobotDynamicsError as error:
            self._refuse('trajectory_in', error)
        except Exception as error:
            # The next one must be answered, whatever this one held.
            self._refuse('trajectory_in', f'{type(error).__name__}: {error}')
        else:
            self._publisher.publish(message)
            self._intake.used += 1
            if warning := excesses(demands):
                self._node.get_logger().warning(
                    f'trajectory_in demands more than the limits allow: {warning}',
                    throttle_duration_sec=WARNING_PERIOD,
                )

    def _terms(self) -> tuple[str, ...]:
        """What is filled in: of the terms that are commanded, those of inverse dynamics."""
        values = parameters.read(self._node)
        if not values['trajectory_out_efforts']:
            return ()
        return tuple(term for term in PARTS if term in values['terms'])
