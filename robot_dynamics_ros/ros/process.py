"""The process of the node: signals, executor, and its end after the fade."""

from __future__ import annotations

import gc
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

from robot_dynamics_ros.core.errors import RobotDynamicsError

from .unblocked_output import never_block_output

# SIGHUP: the terminal was closed, or the connection to it was lost.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Exit code after SIGINT before there is a node: 128 + its number, as of a shell.
INTERRUPTED = 128 + signal.SIGINT
# By default a thread may hold the interpreter for 5 ms: too long for the loop [s].
SWITCH_INTERVAL = 0.0001
# A full search for garbage comes after that many of the second generation. By default it comes ten
# times during the conversion of a long trajectory and visits every point: 20 ms in one piece for
# 20,000 points. Messages hold no cycles and are freed without it.
FULL_COLLECTION = 1000
# Longest time until a signal is noticed [s].
SPIN_TIMEOUT = 0.1
# A second signal within this time counts as the first one [s]: a terminal and a launcher both send
# it.
SAME_SIGNAL = 0.5


def run(make_node: Callable[[], Any], args: list[str] | None = None) -> None:
    """Run a node until one of SIGNALS, then let it fade out; a second signal cuts the fade short.

    The signal handlers of rclpy are not used: they close the middleware at once, and the last
    command could not be published.

    Args:
        make_node: makes the node, with `start`, `commanding`, `begin_stop`, `stopping`,
            `skip_fade`, `ended` and `end_requested` of `DynamicsNode`.
        args: of the command line.
    """
    prepare_interpreter()
    never_block_output()
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        node = make_node()
    except KeyboardInterrupt:
        # Nothing has been commanded yet.
        sys.exit(INTERRUPTED)
    except Exception as error:
        # What came with the command, such as a parameter file: the message suffices.
        if not caused_by_user(error):
            traceback.print_exc()
        sys.exit(f'dynamics_node not started: {error}')
    first = math.inf

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal first
        now = time.monotonic()
        before, first = first, min(first, now)
        node.end_requested = True
        if now > before + SAME_SIGNAL:
            node.skip_fade.set()
        elif math.isinf(before):
            name = signal.Signals(number).name
            # A signal handler may interrupt the logger and must not call it. The reader of stderr
            # may have ended by the same signal.
            with suppress(OSError):
                what = 'fading out' if node.commanding else 'ending'
                os.write(2, f'{name}: {what}; send it again to end at once\n'.encode())

    for number in SIGNALS:
        # nohup has SIGHUP ignored.
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
            node.begin_stop()
            while rclpy.ok() and node.stopping:
                _spin_once(executor, node)
            node.trigger_shutdown()
        for number in SIGNALS:
            # From here on signals are ignored: one would kill the interpreter while it ends.
            signal.signal(number, signal.SIG_IGN)
        node.destroy_node()
        rclpy.try_shutdown()


def prepare_interpreter() -> None:
    """Shorten the times for which other threads keep the interpreter from the loop."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, FULL_COLLECTION)


def caused_by_user(error: Exception) -> bool:
    """Whether what the user gave raised an error: arguments, parameters, a file."""
    return isinstance(error, (RobotDynamicsError, OSError)) or (
        type(error).__module__.partition('.')[0] == 'rclpy'
    )


def _spin_once(executor: SingleThreadedExecutor, node: Any) -> None:
    try:
        executor.spin_once(timeout_sec=SPIN_TIMEOUT)
    except Exception:
        # One failing callback must not end the process: the robot would keep its last torque.
        node.get_logger().fatal(f'a callback failed:\n{traceback.format_exc()}')
