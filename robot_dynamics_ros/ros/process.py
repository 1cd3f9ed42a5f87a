"""The process of the node: signals, executor, a clean end."""

from __future__ import annotations

import math
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.signals import SignalHandlerOptions

# SIGHUP: the terminal is closed, the connection to it lost.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# A thread may keep the interpreter for 5 ms before another gets it: too long for the loop.
SWITCH_INTERVAL = 0.0005
# How soon a signal is heeded [s].
LOOK_UP = 0.1
# A signal that comes so soon after the first is the same one [s]: a terminal and a launcher both
# send it.
SAME_SIGNAL = 0.5


def run(make_node: Callable[[], Any], args: list[str] | None = None) -> None:
    """Run a node until one of SIGNALS, then let it fade out; a second signal cuts that short.

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
    first = math.inf

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal first
        now = time.monotonic()
        before, first = first, min(first, now)
        if now > before + SAME_SIGNAL:
            node.skip_fade.set()
        elif math.isinf(before):
            name = signal.Signals(number).name
            # The logger is not for signal handlers, which may interrupt it. Whoever read what we
            # write may have gone with the same signal.
            with suppress(OSError):
                os.write(2, f'{name}: fading out; once more: end at once\n'.encode())

    for number in SIGNALS:
        # nohup asks for SIGHUP to be ignored.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, stop)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        node.start()
        while rclpy.ok() and math.isinf(first):
            _spin_once(executor, node)
    finally:
        # A lifecycle manager may have shut it down already.
        if not node.ended:
            node.trigger_shutdown()
        for number in SIGNALS:
            # What comes now is late: the interpreter, on its way out, would die of it.
            signal.signal(number, signal.SIG_IGN)
        node.destroy_node()
        rclpy.try_shutdown()


def _spin_once(executor: SingleThreadedExecutor, node: Any) -> None:
    try:
        executor.spin_once(timeout_sec=LOOK_UP)
    except Exception:
        # One callback that fails must not leave a robot with its present torque for ever.
        node.get_logger().fatal(f'a callback failed:\n{traceback.format_exc()}')
