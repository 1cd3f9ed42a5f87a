"""The hot path: each joint state is answered with a command, in the thread that receives it."""

from __future__ import annotations

import time as clock

from rclpy.lifecycle import LifecycleNode
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.core.errors import StateError
from robot_dynamics_ros.polling import PolledSubscription

from .controller import nanoseconds
from .intake import Intake
from .qos import OVERRIDABLE
from .robot_in_use import RobotInUse
from .state_loop import StateLoop

# Best effort hears reliable publishers and best-effort ones. The depth bridges a pause of ten
# cycles; what is older had better stay unanswered.
STATES = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


class Commander:
    """Hears `joint_states`, publishes `~/commands` and `~/torques`.

    Attributes:
        intake: of the joint states.
        topic: the commands', resolved.
    """

    def __init__(self, node: LifecycleNode, in_use: RobotInUse) -> None:
        """Create the endpoints; `start` begins to answer."""
        self._node = node
        self._in_use = in_use
        self._clock = node.get_clock()
        self._epoch = self._clock.now().nanoseconds
        self.intake = Intake('joint_states', node.get_logger())
        self._commands = node.create_lifecycle_publisher(
            Float64MultiArray, '~/commands', 10, qos_overriding_options=OVERRIDABLE
        )
        self._torques = node.create_lifecycle_publisher(
            JointTorques, '~/torques', 10, qos_overriding_options=OVERRIDABLE
        )
        self.topic = self._commands.topic_name
        states = PolledSubscription(
            node, JointState, 'joint_states', STATES, overriding=OVERRIDABLE
        )
        self._loop = StateLoop(states, self._answer, self._tick, node.get_logger())

    def start(self) -> None:
        """Begin to answer."""
        self._loop.start()

    def stop(self) -> None:
        """Answer no more."""
        self._loop.stop()

    @property
    def epoch(self) -> int:
        """Zero of the time of references [ns], on the clock of the node."""
        return self._epoch

    def time(self) -> float:
        """The time of references [s]."""
        return 1e-9 * (self._clock.now().nanoseconds - self._epoch)

    def _answer(self, message: JointState, received: int) -> None:
        try:
            with self._in_use.lock:
                controller = self._in_use.present
                if controller is None:
                    return
                command = controller.answer(message, self._time())
                if command is not None:
                    self._publish(command, message.header.stamp)
                controller.statistics.record(
                    1e-9 * (nanoseconds(message) or received),
                    1e-9 * (clock.time_ns() - received),
                )
        except StateError as error:
            self._refuse(str(error))
        except Exception as error:
            # The next state must be answered, whatever this one held.
            self._refuse(f'{type(error).__name__}: {error}')
        else:
            self.intake.used += 1

    def _refuse(self, reason: str) -> None:
        self.intake.refuse(reason)
        with self._in_use.lock:
            if self._in_use.present is not None:
                # It came, and was no lost cycle.
                self._in_use.present.statistics.interrupt()
        self._tick()

    def _tick(self) -> None:
        with self._in_use.lock:
            controller = self._in_use.present
            if controller is None:
                return
            command = controller.tick(self._time())
            if not controller.guard.fresh(clock.monotonic()):
                controller.statistics.interrupt()
            if command is not None:
                self._publish(command, self._clock.now().to_msg())

    def _time(self) -> float:
        # Looking at the clock takes longer than a comparison.
        controller = self._in_use.controller()
        return 0.0 if controller.guard.reference is None else self.time()

    def _publish(self, command: Float64MultiArray, stamp: Time) -> None:
        self._commands.publish(command)
        if self._torques.get_subscription_count():
            self._torques.publish(self._in_use.controller().torques(stamp))
