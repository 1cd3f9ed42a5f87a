"""`~/trajectory_in` to `~/trajectory_out`: fills in the efforts of trajectories."""

from __future__ import annotations

from rclpy.lifecycle import LifecycleNode
from trajectory_msgs.msg import JointTrajectory

from robot_dynamics_ros.core.errors import RobotDynamicsError

from ..endpoints.defaults import OVERRIDABLE
from ..endpoints.topic_counters import WARNING_PERIOD, TopicCounters
from .trajectory_preparation import TrajectoryPreparation

# joint_trajectory_controller subscribes best effort: of a message of some 400 kB and more, a
# fragment is lost often enough that the whole message is.
MOST_POINTS = 1000


class TrajectoryRelay:
    """Publishes each trajectory of `~/trajectory_in` on `~/trajectory_out`, while active.

    Attributes:
        counters: of the trajectories.
        topic: resolved name of `~/trajectory_out`.
    """

    def __init__(self, node: LifecycleNode, preparation: TrajectoryPreparation) -> None:
        """Create publisher and subscription."""
        self._node = node
        self._preparation = preparation
        self.counters = TopicCounters('trajectory_in', node.get_logger())
        self._publisher = node.create_lifecycle_publisher(
            JointTrajectory, '~/trajectory_out', 10, qos_overriding_options=OVERRIDABLE
        )
        self.topic = self._publisher.topic_name
        node.create_subscription(
            JointTrajectory,
            '~/trajectory_in',
            self._relay,
            10,
            qos_overriding_options=OVERRIDABLE,
        )

    def _relay(self, message: JointTrajectory) -> None:
        try:
            self._preparation.prepare(message, 'trajectory_in')
        except RobotDynamicsError as error:
            self.counters.reject(error)
        except Exception as error:
            # No message may end the node.
            self.counters.reject(f'{type(error).__name__}: {error}')
        else:
            self._publisher.publish(message)
            self.counters.use()
            if len(message.points) > MOST_POINTS:
                self._node.get_logger().warning(
                    f'the trajectory on trajectory_in has {len(message.points)} points: '
                    'joint_trajectory_controller subscribes best effort and may lose it without '
                    f'notice; above {MOST_POINTS} points use the action ~/follow_joint_trajectory',
                    throttle_duration_sec=WARNING_PERIOD,
                )
