"""The way of a joint state, from top to bottom: received, taken, answered, published.

One thread waits for states and drains the queue (`Loop.run`). Each state is taken, or counted with
the reason why not (`_take`). The newest is answered, once (`_command`). While no state comes, the
same thread acts every `WAIT_TIMEOUT` (`_command_without_state`). The external torques listen
beside this way, after the command is published.
"""

from __future__ import annotations

import math
import threading
import time as clock
import traceback
from typing import Any

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import StateError

from .endpoints import (
    OVERRIDABLE,
    WARNING_PERIOD,
    PolledSubscription,
    SubscriberCheck,
    TopicCounters,
    doubles,
    nanoseconds,
)
from .external import ExternalTopics
from .robot import CommandedRobot, RobotHolder

# Best effort receives from reliable and from best-effort publishers. The depth bridges a pause of
# ten cycles; older states are better not answered.
STATES = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
# How long the thread waits for a state [s] before it acts without one, or sees that it must end.
WAIT_TIMEOUT = 0.01
# Of the latest cycles: one second at 1 kHz.
WINDOW = 1000


class CycleStatistics:
    """Counts and times cycles, without allocating memory.

    Attributes:
        answered: number of states that were answered.
    """

    def __init__(self) -> None:
        self.answered = 0
        self._latencies = np.full(WINDOW, math.nan)

    def record(self, latency: float) -> None:
        """Record the time from the reception of a state to its command [s]; NaN if not known."""
        self._latencies[self.answered % WINDOW] = latency
        self.answered += 1

    def latencies(self) -> tuple[float, float]:
        """Median and 99th percentile of the latest cycles [s]; NaN if not known."""
        if not np.isfinite(self._latencies).any():
            return math.nan, math.nan
        median, p99 = np.nanpercentile(self._latencies, [50.0, 99.0])
        return float(median), float(p99)


class Loop(threading.Thread):
    """Subscribes to `joint_states`, publishes `~/commands` and `~/torques`.

    Attributes:
        counters: of the joint states.
        statistics: of the cycles of the configured robot.
        states: the subscription of `joint_states`.
        topic: resolved name of `~/commands`.
        knows_wait: whether it is known for how long the last state has waited for the node.
    """

    def __init__(self, node: LifecycleNode, holder: RobotHolder) -> None:
        """Create the endpoints; `start` begins to answer."""
        super().__init__(name='joint_states', daemon=True)
        self._holder, self._logger, self._stamps = holder, node.get_logger(), node.get_clock()
        self._clock = holder.clock
        self.counters, self.statistics = TopicCounters('joint_states'), CycleStatistics()
        self.states = PolledSubscription(
            node, JointState, 'joint_states', STATES, overriding=OVERRIDABLE
        )
        self._commands = node.create_lifecycle_publisher(
            Float64MultiArray, '~/commands', 10, qos_overriding_options=OVERRIDABLE
        )
        self._torques = node.create_lifecycle_publisher(
            JointTorques, '~/torques', 10, qos_overriding_options=OVERRIDABLE
        )
        self._torques_heard = SubscriberCheck(self._torques)
        self._external = ExternalTopics(node)
        self.topic = self._commands.topic_name
        self._message, self._commanding = Float64MultiArray(), False
        self._ended = threading.Event()
        # Number of the last message, in its publisher, by the first joint that it names.
        self._numbers: dict[int, int] = {}
        # Whether a stamp was recent by the clock of the node.
        self._same_clock, self.knows_wait = False, True

    def run(self) -> None:
        """Answer states, in this thread, until `stop`."""
        while self.states.usable and not self._ended.is_set():
            self._answer_next()

    def _answer_next(self) -> None:
        try:
            came = self.states.wait(WAIT_TIMEOUT)
            self._answer(list(self.states.poll()) if came else [])
        except Exception:
            # One message must not end the loop: later states would not be answered. After shutdown
            # an exception is expected, and the loop ends.
            if self.states.usable:
                self._logger.fatal(
                    f'a message on joint_states was not answered:\n{traceback.format_exc()}',
                    throttle_duration_sec=1,
                )

    def stop(self) -> None:
        """End the thread, and wait until it has ended."""
        self._ended.set()
        if self.is_alive():
            self.join()

    def clear_robot(self) -> None:
        """Answer no state any more; the contact that was published last is over."""
        with self._holder.lock:
            self._same_clock = False
            self._holder.clear()
            self.statistics = CycleStatistics()
            self._external.expire(None, self._clock.now())

    def set_clock(self) -> None:
        """Compare the next state with none, and drop the reference: the clock has been set."""
        with self._holder.lock:
            self._same_clock = False
            self._clock.reset()
            if self._holder.current is not None:
                self._holder.current.guard.set_clock(self._clock.now())

    def _answer(self, messages: list[tuple[JointState, dict[str, Any]]]) -> None:
        """Take all states that wait, oldest first, and answer the newest."""
        with self._holder.lock:
            robot = self._holder.current
            if robot is None or not self._clock.ticks:
                return
            newest = None
            for message, info in messages:
                newest = self._take(robot, message, info) or newest
            if newest is None or not self._command(robot, *newest):
                # States of other joints must not delay what is due without a state.
                self._command_without_state(robot)
            if self._commanding and robot.guard.silent:
                # Once: commands have ceased.
                self._commanding = False
                self._torques.publish(robot.torques(self._stamps.now().to_msg()))

    def _take(
        self, robot: CommandedRobot, message: JointState, info: dict[str, Any]
    ) -> tuple[Time, int, bool] | None:
        """Take a state, or count why not: None if it has no commanded joint, or is not used.

        Else its stamp, when the middleware received it [ns], 0 for not known, and whether a
        command is due.
        """
        received = info['received_timestamp']
        if robot.reader.names_other_joints_only(message):
            self.counters.ignore(message.name)
            return None
        self._count_order(robot.reader.first, info.get('publication_sequence_number'))
        try:
            if self._waited(message, received) > robot.guard.settings.state_timeout:
                self.counters.late += 1
                return None
            due = robot.take(message, self._clock.now())
        except Exception as error:
            self._refuse(error)
            return None
        self.counters.use()
        if jump := robot.guard.state.jump:
            self._logger.warning(jump, throttle_duration_sec=WARNING_PERIOD)
        if not robot.reader.names_commanded:
            return None
        return message.header.stamp, received, due

    def _count_order(self, first: int, number: int | None) -> None:
        """Count a message whose number is not larger than that of the one before.

        The numbers of one publisher grow; those of two that take turns cannot. Messages are of the
        same joints if the first one is the same. Cyclone DDS gives no numbers (None).
        """
        if number is not None:
            self.counters.unordered += number <= self._numbers.get(first, -1)
            self._numbers[first] = number

    def _command(self, robot: CommandedRobot, stamp: Time, received: int, due: bool) -> bool:
        """Answer the states that were taken; whether that was possible.

        Stamp and time of reception are those of the newest.
        """
        try:
            command = robot.guard.command(self._clock.now()) if due else None
        except Exception as error:
            robot.has_state = False
            self.counters.used -= 1
            self._refuse(error)
            return False
        if command is not None:
            self._publish(robot, command, stamp)
        self.statistics.record(1e-9 * (clock.time_ns() - received) if received else math.nan)
        self._external.publish(robot, stamp, self._clock.now())
        return True

    def _command_without_state(self, robot: CommandedRobot) -> None:
        now = self._clock.now()
        command = robot.guard.command_without_state(now)
        if command is not None:
            self._publish(robot, command, self._stamps.now().to_msg())
        self._external.expire(robot, now)

    def _publish(self, robot: CommandedRobot, command: Array, stamp: Time) -> None:
        self._message.data = doubles(command)
        self._commands.publish(self._message)
        self._commanding = True
        if self._torques_heard.any:
            self._torques.publish(robot.torques(stamp))

    def _refuse(self, error: Exception) -> None:
        """Count a state that cannot be used: it must not end the loop."""
        if isinstance(error, StateError):
            self.counters.reject(str(error))
            return
        self.counters.reject(f'{type(error).__name__}: {error}')
        self._logger.error(
            f'a joint state was not answered:\n{traceback.format_exc()}',
            throttle_duration_sec=WARNING_PERIOD,
        )

    def _waited(self, message: JointState, received: int) -> float:
        """For how long a state has waited for the node [s]; NaN if that is not known.

        By the clock of this machine alone: stamps may be of another one. With simulated time, or
        where the middleware gives no time of reception (0), the stamp counts, once one was recent.

        Raises:
            StateError: the stamp is negative.
        """
        stamp = nanoseconds(message.header.stamp)
        if self._clock.simulated:
            self._clock.tick(stamp)
        elif received:
            self.knows_wait = True
            return 1e-9 * (clock.time_ns() - received)
        wait = 1e-9 * (self._stamps.now().nanoseconds - stamp)
        robot = self._holder.require()
        self.knows_wait = self._same_clock = (
            self._same_clock or abs(wait) <= robot.guard.settings.state_timeout
        )
        return wait if self.knows_wait else math.nan
