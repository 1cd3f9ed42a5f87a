"""The process of the node: signals, executor, a clean end."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

# A thread may keep the interpreter for 5 ms before another gets it: too long for the loop.
SWITCH_INTERVAL = 0.0005
# How soon a signal is heeded [s].
LOOK_UP = 0.1


def run(make_node: Callable[[], Any], args: list[str] | None = None) -> None:
    """Run a node until SIGINT or SIGTERM, then let it fade out; a second signal cuts that short.

    rclpy's own handlers would close the middleware at once, and with it the way of the last
    command.
    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        node = make_node()
    except Exception as error:
        # Arguments or a parameter file that cannot be read: the message is all there is to say.
        sys.exit(f'dynamics_node not started: {error}')
    stopping = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        if stopping.is_set():
            node.hurry.set()
        stopping.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        node.start()
        while rclpy.ok() and not stopping.is_set():
            executor.spin_once(timeout_sec=LOOK_UP)
        # A lifecycle manager may have shut it down already.
        if not node.ended:
            node.trigger_shutdown()
    finally:
        node.destroy_node()
        rclpy.try_shutdown()
