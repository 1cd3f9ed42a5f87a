"""The hot path: each joint state is answered with a command, in the thread that receives it."""

from __future__ import annotations

import time as clock
from typing import Any

from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.core.errors import StateError

from ..endpoints.defaults import OVERRIDABLE
from ..endpoints.polled_subscription import PolledSubscription
from ..endpoints.topic_counters import TopicCounters
from ..robot.commanded_robot import CommandedRobot
from ..robot.robot_in_use import RobotInUse
from .state_loop import StateLoop

# Best effort hears reliable publishers and best-effort ones. The depth bridges a pause of ten
# cycles; what is older had better stay unanswered.
STATES = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


class StateToCommand:
    """Hears `joint_states`, publishes `~/commands` and `~/torques`.

    Attributes:
        counters: of the joint states.
        topic: the commands', resolved.
    """

    def __init__(self, node: LifecycleNode, in_use: RobotInUse) -> None:
        """Create the endpoints; `start` begins to answer."""
        self._node = node
        self._in_use = in_use
        self._clock = node.get_clock()
        self._epoch = self._clock.now().nanoseconds
        self._told_stale = False
        self.counters = TopicCounters('joint_states', node.get_logger())
        self._commands = node.create_lifecycle_publisher(
            Float64MultiArray, '~/commands', 10, qos_overriding_options=OVERRIDABLE
        )
        self._torques = node.create_lifecycle_publisher(
            JointTorques, '~/torques', 10, qos_overriding_options=OVERRIDABLE
        )
        self.topic = self._commands.topic_name
        self._states = PolledSubscription(
            node, JointState, 'joint_states', STATES, overriding=OVERRIDABLE
        )
        self._loop = StateLoop(self._states, self._answer, self._tick, node.get_logger())

    def start(self) -> None:
        """Begin to answer."""
        self._loop.start()

    def stop(self) -> None:
        """Answer no more."""
        self._loop.stop()

    def unheard(self) -> str:
        """Why joint states are published and not heard; empty if they are."""
        return self._states.incompatible()

    @property
    def epoch(self) -> int:
        """Zero of the time of references [ns], on the clock of the node."""
        return self._epoch

    def time(self) -> float:
        """The time of references [s]."""
        return 1e-9 * (self._clock.now().nanoseconds - self._epoch)

    def _answer(self, message: JointState, info: dict[str, Any]) -> None:
        with self._in_use.lock:
            commanded = self._in_use.present
            if commanded is None:
                return
            if commanded.state.is_foreign(message):
                self.counters.pass_by(message.name)
                commanded.statistics.pass_by(*_origin(info))
                # Whoever else speaks here must not hold up what is due without a state.
                self._tick()
                return
            try:
                command = commanded.answer(message, self._time())
                if command is not None:
                    self._publish(command, message.header.stamp)
            except StateError as error:
                self._refuse(str(error))
            except Exception as error:
                # The next state must be answered, whatever this one held.
                self._refuse(f'{type(error).__name__}: {error}')
            else:
                self.counters.use()
                received = info['received_timestamp']
                commanded.statistics.record(1e-9 * (clock.time_ns() - received))
                self._tell_whether_stale(commanded)
            commanded.statistics.hear(*_origin(info))

    def _refuse(self, reason: str) -> None:
        self.counters.refuse(reason)
        self._tick()

    def _tick(self) -> None:
        with self._in_use.lock:
            commanded = self._in_use.present
            if commanded is None:
                return
            command = commanded.tick(self._time())
            if command is not None:
                self._publish(command, self._clock.now().to_msg())
            self._tell_whether_stale(commanded)

    def _tell_whether_stale(self, commanded: CommandedRobot) -> None:
        """Log that good states have ceased, or are back: once each."""
        guard = commanded.guard
        fresh = guard.fresh(clock.monotonic())
        if fresh is not self._told_stale:
            return
        if not fresh and not (guard.running and self.counters.used):
            return
        self._told_stale = not fresh
        text = 'back' if fresh else f'stale: {guard.settings.on_stale}'
        self._node.get_logger().warning(f'joint_states are {text}')

    def _time(self) -> float:
        # Looking at the clock takes longer than a comparison.
        commanded = self._in_use.commanded()
        return 0.0 if commanded.guard.reference is None else self.time()

    def _publish(self, command: Float64MultiArray, stamp: Time) -> None:
        self._commands.publish(command)
        if self._torques.get_subscription_count():
            self._torques.publish(self._in_use.commanded().torques(stamp))


def _origin(info: dict[str, Any]) -> tuple[bytes, int | None]:
    """Which publisher sent a message, and its number there; None where that is not known."""
    # rclpy names the publisher since ROS 2 Kilted. Without, the numbers of several would mix.
    publisher = info.get('publisher_gid')
    if publisher is None:
        return b'', None
    return publisher['data'], info['publication_sequence_number']
