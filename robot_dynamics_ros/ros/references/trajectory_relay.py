"""Trajectories on their way to a controller, with efforts filled in on the way."""

from __future__ import annotations

from rclpy.lifecycle import LifecycleNode
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_ros.control.trajectory_efforts import PARTS
from robot_dynamics_ros.core.errors import RobotDynamicsError, StateError

from ..endpoints.defaults import OVERRIDABLE
from ..endpoints.topic_counters import WARNING_PERIOD, TopicCounters
from ..parameters import node_parameters
from ..robot.requested_state import RequestedState
from ..robot.robot_in_use import RobotInUse
from .effort_filling import excesses, fill_efforts


class TrajectoryRelay:
    """Sends what comes on `~/trajectory_in` on to `~/trajectory_out`, while the node is active.

    Attributes:
        counters: of the trajectories.
    """

    def __init__(self, node: LifecycleNode, in_use: RobotInUse) -> None:
        """Create both topics."""
        self._node = node
        self._in_use = in_use
        self._state = RequestedState(in_use.lock)
        self.counters = TopicCounters('trajectory_in', node.get_logger())
        self._publisher = node.create_lifecycle_publisher(
            JointTrajectory, '~/trajectory_out', 10, qos_overriding_options=OVERRIDABLE
        )
        node.create_subscription(
            JointTrajectory,
            '~/trajectory_in',
            self._relay,
            10,
            qos_overriding_options=OVERRIDABLE,
        )

    def _relay(self, message: JointTrajectory) -> None:
        try:
            commanded = self._in_use.commanded()
            if not self._publisher.is_activated:
                raise StateError('the node is not active')
            # A trajectory without points tells a controller to stop: there is nothing to fill.
            demands = (
                fill_efforts(message, commanded, self._state, self._terms())
                if message.points
                else []
            )
        except RobotDynamicsError as error:
            self.counters.refuse(error)
        except Exception as error:
            # The next one must be answered, whatever this one held.
            self.counters.refuse(f'{type(error).__name__}: {error}')
        else:
            self._publisher.publish(message)
            self.counters.use()
            if warning := excesses(demands):
                self._node.get_logger().warning(
                    f'trajectory_in demands more than the limits allow: {warning}',
                    throttle_duration_sec=WARNING_PERIOD,
                )

    def _terms(self) -> tuple[str, ...]:
        """What is filled in: of the terms that are commanded, those of inverse dynamics."""
        values = node_parameters.read(self._node)
        if not values['trajectory_out_efforts']:
            return ()
        return tuple(term for term in PARTS if term in values['terms'])
