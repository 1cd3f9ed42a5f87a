"""`~/trajectory_in` to `~/trajectory_out`: fills in the efforts of trajectories."""

from __future__ import annotations

from rclpy.lifecycle import LifecycleNode
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_ros.control.trajectory_efforts import PARTS
from robot_dynamics_ros.core.errors import RobotDynamicsError, StateError

from ..endpoints.defaults import OVERRIDABLE
from ..endpoints.topic_counters import WARNING_PERIOD, TopicCounters
from ..parameters import node_parameters
from ..robot.requested_state import RequestedState
from ..robot.robot_holder import RobotHolder
from .effort_filling import excesses, fill_efforts


class TrajectoryRelay:
    """Publishes each trajectory of `~/trajectory_in` on `~/trajectory_out`, while active.

    Attributes:
        counters: of the trajectories.
    """

    def __init__(self, node: LifecycleNode, holder: RobotHolder) -> None:
        """Create publisher and subscription."""
        self._node = node
        self._holder = holder
        self._state = RequestedState(holder.lock)
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
            robot = self._holder.require()
            if not self._publisher.is_activated:
                raise StateError('the node is not active: call the transition activate')
            # A trajectory without points tells a controller to stop; it needs no efforts.
            demands = (
                fill_efforts(message, robot, self._state, self._terms()) if message.points else []
            )
        except RobotDynamicsError as error:
            self.counters.reject(error)
        except Exception as error:
            # No message may end the node.
            self.counters.reject(f'{type(error).__name__}: {error}')
        else:
            self._publisher.publish(message)
            self.counters.use()
            if warning := excesses(demands):
                self._node.get_logger().warning(
                    f'the trajectory on trajectory_in exceeds limits: {warning}',
                    throttle_duration_sec=WARNING_PERIOD,
                )

    def _terms(self) -> tuple[str, ...]:
        """The parts to fill in: those of parameter terms that belong to inverse dynamics."""
        values = node_parameters.read(self._node)
        if not values['trajectory_out_efforts']:
            return ()
        return tuple(term for term in PARTS if term in values['terms'])
