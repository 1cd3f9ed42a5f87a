"""Answers each joint state with a command, in the thread that receives it.

`StateLoop` waits for states and drains the queue. Each state is taken (`CommandedRobot.take`), or
counted with the reason why not. The newest is answered, once (`CommandedRobot.command`). Where no
valid state comes, `_command_without_state` publishes what the same guards command.
"""

from __future__ import annotations

import math
import time as clock
import traceback
from collections.abc import Callable
from typing import Any

from builtin_interfaces.msg import Time
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.control.supervisor import Mode
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from ..endpoints import OVERRIDABLE, WARNING_PERIOD, SubscriberCheck, TopicCounters
from ..external import ExternalTopics
from ..messages import doubles, nanoseconds
from ..polling import PolledSubscription
from ..robot.commanded_robot import CommandedRobot
from ..robot.robot_holder import RobotHolder
from .reference_clock import ReferenceClock
from .state_loop import StateLoop

# Best effort receives from reliable and from best-effort publishers. The depth bridges a pause of
# ten cycles; older states are better not answered.
STATES = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


class StateToCommand:
    """Subscribes to `joint_states`, publishes `~/commands` and `~/torques`.

    Attributes:
        counters: of the joint states.
        reference_clock: the time at which references are evaluated.
        kept: is given each accepted state: stamp [s], q, v and efforts, None for none; the arrays
            are used again. None: nobody listens. Changes under the lock of the robot.
        topic: resolved name of `~/commands`.
        states_topic: resolved name of `joint_states`.
    """

    def __init__(self, node: LifecycleNode, holder: RobotHolder) -> None:
        """Create the endpoints; `start` begins to answer."""
        self._node = node
        self._holder = holder
        self._clock = node.get_clock()
        self.reference_clock = ReferenceClock(self._clock)
        self._commanding = False
        self.kept: Callable[[float, Array, Array, Array | None], None] | None = None
        self.counters = TopicCounters('joint_states')
        self._commands = node.create_lifecycle_publisher(
            Float64MultiArray, '~/commands', 10, qos_overriding_options=OVERRIDABLE
        )
        self._message = Float64MultiArray()
        self._torques = node.create_lifecycle_publisher(
            JointTorques, '~/torques', 10, qos_overriding_options=OVERRIDABLE
        )
        self._torques_heard = SubscriberCheck(self._torques)
        self._external = ExternalTopics(node)
        self.topic = self._commands.topic_name
        self._states = PolledSubscription(
            node, JointState, 'joint_states', STATES, overriding=OVERRIDABLE
        )
        self.states_topic = self._states.topic
        self._loop = StateLoop(
            self._states, self._answer, self._command_without_state, node.get_logger()
        )

    def start(self) -> None:
        """Start the thread that answers states."""
        self._loop.start()

    def stop(self) -> None:
        """End the thread that answers states."""
        self._loop.stop()

    def clear_robot(self) -> None:
        """Answer no state any more; the contact that was published last is over."""
        with self._holder.lock:
            self._holder.clear()
            self._external.expire(None)

    def incompatible_publishers(self) -> str:
        """Publishers of joint states that cannot be received, with the reason; empty for none."""
        return self._states.incompatible_publishers()

    def _answer(self, messages: list[tuple[JointState, dict[str, Any]]]) -> None:
        """Take all states that wait, oldest first, and answer the newest."""
        with self._holder.lock:
            robot = self._holder.current
            if robot is None:
                return
            time = self._time(robot)
            states = [self._take(robot, message, info, time) for message, info in messages]
            newest = next((state for state in reversed(states) if state is not None), None)
            if newest is None or not self._command(robot, time, *newest):
                # States of other joints must not delay what is due without a state.
                self._command_without_state()

    def _take(
        self, robot: CommandedRobot, message: JointState, info: dict[str, Any], time: float
    ) -> tuple[Time, int] | None:
        """Take a state, or count why not.

        Returns:
            Its stamp, and when the middleware received it [ns], 0 for not known; None if there is
            nothing to answer.
        """
        origin, received = _origin(info), info['received_timestamp']
        try:
            if robot.reader.names_other_joints_only(message):
                self.counters.ignore(message.name)
                robot.statistics.count_ignored(*origin)
                return None
            wait = robot.waited(message, received, self._clock)
            if robot.too_old(wait):
                self.counters.late += 1
                robot.statistics.count_received(*origin)
                return None
            robot.take(message)
        except Exception as error:
            self._refuse(error)
            robot.statistics.count_received(*origin)
            return None
        self.counters.use()
        robot.statistics.count_received(*origin)
        if self.kept is not None and robot.reader.names_commanded:
            effort = robot.reader.effort if robot.reader.has_effort else None
            seconds = 1e-9 * nanoseconds(message.header.stamp) or clock.monotonic()
            self.kept(seconds, robot.guard.state.q, robot.reader.v, effort)
        if jump := robot.guard.state.jump:
            self._node.get_logger().warning(jump, throttle_duration_sec=WARNING_PERIOD)
        if not robot.reader.names_commanded:
            return None
        return message.header.stamp, received

    def _command(self, robot: CommandedRobot, time: float, stamp: Time, received: int) -> bool:
        """Answer the states that were taken; whether that was possible.

        Args:
            robot: that has taken them.
            time: at which to evaluate the reference [s].
            stamp: of the newest.
            received: when the middleware received that [ns]; 0 for not known.
        """
        try:
            command = robot.command(time)
        except Exception as error:
            self.counters.used -= 1
            self._refuse(error)
            return False
        if command is not None:
            self._publish(robot, command, stamp)
        robot.statistics.record(1e-9 * (clock.time_ns() - received) if received else math.nan)
        self._external.publish(robot, stamp)
        self._publish_silence(robot)
        return True

    def _refuse(self, error: Exception) -> None:
        """Count and log a state that cannot be used: it must not end the loop."""
        if isinstance(error, StateError):
            self.counters.reject(str(error))
            return
        self.counters.reject(f'{type(error).__name__}: {error}')
        self._node.get_logger().error(
            f'a joint state was not answered:\n{traceback.format_exc()}',
            throttle_duration_sec=WARNING_PERIOD,
        )

    def _command_without_state(self) -> None:
        with self._holder.lock:
            robot = self._holder.current
            if robot is None:
                return
            command = robot.command_without_state(self._time(robot))
            if command is not None:
                self._publish(robot, command, self._clock.now().to_msg())
            self._external.expire(robot)
            self._publish_silence(robot)

    def _time(self, robot: CommandedRobot) -> float:
        # Without a reference its time is not needed, and reading the clock takes longer than this.
        return 0.0 if robot.guard.reference is None else self.reference_clock.time()

    def _publish(self, robot: CommandedRobot, command: Array, stamp: Time) -> None:
        self._message.data = doubles(command)
        self._commands.publish(self._message)
        self._commanding = True
        if self._torques_heard.any:
            self._torques.publish(robot.torques(stamp))

    def _publish_silence(self, robot: CommandedRobot) -> None:
        """Publish once on `~/torques` that commands have ceased."""
        if self._commanding and robot.guard.mode is Mode.SILENT:
            self._commanding = False
            self._torques.publish(robot.torques(self._clock.now().to_msg()))


def _origin(info: dict[str, Any]) -> tuple[bytes, int | None]:
    """The publisher of a message, and its number of the message; b'' and None if not known."""
    # rclpy gives the publisher since ROS 2 Kilted. Before, the numbers of several would mix.
    publisher = info.get('publisher_gid')
    if publisher is None:
        return b'', None
    return publisher['data'], info['publication_sequence_number']
