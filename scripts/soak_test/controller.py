"""Stands for a controller behind ~/commands: a process that faults end, kill and start again.

As a script it is that process: a node with the parameters of a forward_command_controller and a
subscription of the commands.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_msgs.msg import Float64MultiArray

from robot_dynamics_ros.ros.endpoints import PolledSubscription

NAME = 'soak_test_controller'
COMMANDS = 'robot_dynamics/commands'
# As controllers of ros2_control subscribe.
BEST_EFFORT = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
SPIN = 0.05  # [s]


class Controller:
    """The process, as a context manager that ends it."""

    def __init__(self, joints: Sequence[str], log: Path) -> None:
        """Start it.

        Args:
            joints: its parameter `joints`.
            log: file of its output.
        """
        self._command = [sys.executable, __file__, *joints]
        self._log = log
        self.start()

    def start(self) -> None:
        """Start it anew."""
        with self._log.open('ab') as output:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=output, stderr=output
            )

    def send(self, number: signal.Signals) -> None:
        """Send a signal; does not wait for what follows."""
        self._process.send_signal(number)

    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._process.poll() is not None

    def __enter__(self) -> Controller:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()


def main() -> None:
    parent = os.getppid()
    rclpy.init()
    node = rclpy.create_node(NAME)
    node.declare_parameter('joints', sys.argv[1:])
    node.declare_parameter('interface_name', 'effort')
    # Received and not read: what is commanded is judged by the observer.
    subscription = PolledSubscription(node, Float64MultiArray, COMMANDS, BEST_EFFORT)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    print(f'{NAME} subscribes to {subscription.topic}', flush=True)
    # SIGINT: the middleware is told of the end. Killed, the parent cannot end it.
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        while rclpy.ok() and os.getppid() == parent:
            executor.spin_once(timeout_sec=SPIN)
    node.destroy_node()
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
