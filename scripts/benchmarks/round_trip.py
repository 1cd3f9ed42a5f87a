"""Round trips of joint states to commands at 1 kHz, in blocks that alternate between two nodes."""

import time
from collections.abc import Callable

from process_figures import processor_time
from rclpy.executors import Executor
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robot_dynamics_ros.ros.loop import STATES

PERIOD = 1e-3
BLOCK = 1000
DISCOVERY_LIMIT = 20.0
# A command that has not come after this many periods is lost.
LOST_AFTER = 200


class Peer:
    """One node under test, seen from outside: where its states go in and its commands come out."""

    def __init__(
        self, node: Node, executor: Executor, name: str, states: str, commands: str, process: int
    ) -> None:
        self.name = name
        self.round_trips: list[float] = []
        self.lost = 0
        self.processor_time = 0.0
        self._process = process
        self._executor = executor
        self._answered = False
        self._publisher = node.create_publisher(JointState, states, STATES)
        self._subscription = node.create_subscription(
            Float64MultiArray, commands, self._on_command, 10
        )

    def _on_command(self, _: Float64MultiArray) -> None:
        self._answered = True

    def wait_until_found(self, message: JointState) -> None:
        """Until it answers: discovery of both directions is then complete."""
        limit = time.monotonic() + DISCOVERY_LIMIT
        while not self._exchange(message, 0.1):
            if time.monotonic() > limit:
                raise TimeoutError(f'{self.name} did not answer within {DISCOVERY_LIMIT:g} s')

    def measure(
        self, message: JointState, count: int, change: Callable[[], object] = lambda: None
    ) -> None:
        """That many round trips, one each period.

        Args:
            message: the state.
            count: of round trips.
            change: is called before each; it may change the message.
        """
        used = processor_time(self._process)
        due = time.perf_counter()
        for _ in range(count):
            due = max(due + PERIOD, time.perf_counter())
            change()
            time.sleep(max(0.0, due - time.perf_counter()))
            start = time.perf_counter()
            if self._exchange(message, LOST_AFTER * PERIOD):
                self.round_trips.append(time.perf_counter() - start)
            else:
                self.lost += 1
        self.processor_time += processor_time(self._process) - used

    def _exchange(self, message: JointState, limit: float) -> bool:
        self._answered = False
        end = time.perf_counter() + limit
        self._publisher.publish(message)
        while not self._answered and time.perf_counter() < end:
            self._executor.spin_once(timeout_sec=limit)
        return self._answered


def alternate(peers: list[Peer], message: JointState, seconds: float) -> None:
    """Blocks of one second for each peer in turn, until each has had its time."""
    for peer in peers:
        peer.wait_until_found(message)
        peer.measure(message, BLOCK)
        peer.round_trips.clear()
        peer.processor_time = 0.0
    for _ in range(round(seconds / (BLOCK * PERIOD))):
        for peer in peers:
            peer.measure(message, BLOCK)
