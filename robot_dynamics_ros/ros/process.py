"""The process of the node: arguments, output, signals, and its end after the fade."""

from __future__ import annotations

import atexit
import faulthandler
import functools
import gc
import math
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleState, TransitionCallbackReturn
from rclpy.signals import SignalHandlerOptions

from robot_dynamics_ros.core.errors import RobotDynamicsError

Transition = Callable[[Any, LifecycleState], TransitionCallbackReturn]

# SIGHUP: the terminal was closed, or the connection to it was lost.
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Exit codes: after SIGINT before there is a node, as of a shell; after a wrong argument.
INTERRUPTED, WRONG_ARGUMENTS = 128 + signal.SIGINT, 2
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
# Longest wait at the end for lines that have not been read [s], and what a pipe holds [bytes].
FLUSH, PIPE_SIZE = 1.0, 65536
HELP = """\
usage: ros2 run robot_dynamics_ros dynamics_node --ros-args [ROS arguments]

Computes torques for a robot from its URDF and its joint states: gravity compensation, Coriolis
torque, and the feedforward of a reference. Reads the topics joint_states and robot_description,
publishes ~/commands and ~/torques, and answers services such as ~/get_mass_matrix. By default it
begins as soon as it has a description and joint states: hold the arm, or keep its brake closed.

ROS arguments:
  --params-file FILE                     parameters; copy config/robot_dynamics.yaml, which
                                         describes each
  -p NAME:=VALUE                         one parameter, such as description_file:=arm.urdf
  -r '~/commands:=/TOPIC'                topic of the torques, such as
                                         /effort_controller/commands
  -r __ns:=/NAMESPACE, -r __node:=NAME   namespace and name of the node

With launch: ros2 launch robot_dynamics_ros dynamics.launch.py --show-args
Before the first torque on a real arm: docs/first_torque.md
"""


def run(make_node: Callable[[], Any], args: list[str] | None = None) -> None:
    """Run a node until one of SIGNALS, then let it fade out; a second signal cuts the fade short.

    The signal handlers of rclpy are not used: they close the middleware at once, and the last
    command could not be published. With --help, print what the node does instead.

    Args:
        make_node: makes the node, with `start`, `commanding`, `stop`, `stopping`, `signals` and
            `ended` of `DynamicsNode`.
        args: of the command line.
    """
    _require_ros_arguments(sys.argv[1:] if args is None else args)
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.set_threshold(*gc.get_threshold()[:2], FULL_COLLECTION)
    never_block_output()
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
        node = make_node()
    except KeyboardInterrupt:
        # Nothing has been commanded yet.
        sys.exit(INTERRUPTED)
    except Exception as error:
        # Of what came with the command, such as a parameter file, the message suffices.
        of_rclpy = type(error).__module__.partition('.')[0] == 'rclpy'
        if not (of_rclpy or isinstance(error, (RobotDynamicsError, OSError))):
            traceback.print_exc()
        sys.exit(f'dynamics_node not started: {error}')
    first = math.inf

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal first
        now = time.monotonic()
        before, first = first, min(first, now)
        if now > before + SAME_SIGNAL:
            node.signals = 2
        elif math.isinf(before):
            node.signals = 1
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
            node.stop()
            while rclpy.ok() and node.stopping:
                _spin_once(executor, node)
            node.trigger_shutdown()
        for number in SIGNALS:
            # From here on signals are ignored: one would kill the interpreter while it ends.
            signal.signal(number, signal.SIG_IGN)
        node.destroy_node()
        rclpy.try_shutdown()


def _spin_once(executor: SingleThreadedExecutor, node: Any) -> None:
    try:
        executor.spin_once(timeout_sec=SPIN_TIMEOUT)
    except Exception:
        # One failing callback must not end the process: the robot would keep its last torque.
        node.get_logger().fatal(f'a callback failed:\n{traceback.format_exc()}')


def guarded(transition: Transition) -> Transition:
    """Decorate a transition of a node: log an exception with its traceback, and end the commands.

    rclpy drops exceptions of a transition and logs nothing. The result is ERROR: rclpy then calls
    `on_error`.
    """

    @functools.wraps(transition)
    def run(node: Any, state: LifecycleState) -> TransitionCallbackReturn:
        try:
            return transition(node, state)
        except Exception as error:
            node.get_logger().fatal(
                f'{transition.__name__} failed; commands fade to the final command (on_stop) and '
                'cease:\n'
                f'{traceback.format_exc()}'
            )
            node.robot_holder.refusal = f'{type(error).__name__}: {error}'
            node.stop(wait=True)
            return TransitionCallbackReturn.ERROR

    return run


def _require_ros_arguments(arguments: Sequence[str]) -> None:
    """End with HELP where it is asked for, and where an argument is not for ROS.

    The node has no arguments of its own: one that is ignored would leave it on defaults.
    """
    # Not rclpy's remove_ros_args: it reads the parameter files, and takes NAME:=VALUE before
    # --ros-args for a remapping of old.
    own, for_ros = [], False
    for argument in arguments:
        if argument in ('--ros-args', '--'):
            for_ros = argument == '--ros-args'
        elif not for_ros:
            own.append(argument)
    if not own:
        return
    if '--help' in own or '-h' in own:
        sys.stdout.write(HELP)
        sys.exit(0)
    file = own[0].rpartition(':=')[2]
    if file.endswith(('.yaml', '.yml')):
        hint = f'for a parameter file write --ros-args --params-file {file}'
    else:
        hint = 'write --ros-args before arguments for ROS; --help lists them'
    sys.stderr.write(f'dynamics_node not started: unknown argument {own[0]!r}: {hint}\n')
    sys.exit(WRONG_ARGUMENTS)


def never_block_output() -> None:
    """Hand on all output of this process in threads of their own.

    rclpy writes a log line in the thread that logs, and holds the interpreter meanwhile: a
    terminal that is stopped (Ctrl-S), or a full pipe that nobody reads, would stop every thread
    and the torque of the arm. Here the lines go into a pipe that refuses what it cannot hold: that
    is only in /rosout and in the log file.
    """
    if os.isatty(2):
        # Else the pipe would count, which is no terminal.
        os.environ.setdefault('RCUTILS_COLORIZED_OUTPUT', '1')
    for descriptor in (1, 2):
        # One that is closed stays so.
        with suppress(OSError):
            _redirect(descriptor)


def _redirect(descriptor: int) -> None:
    target = os.dup(descriptor)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    os.dup2(writer, descriptor)
    os.close(writer)
    if descriptor == 2:
        # A crash leaves the thread no time.
        faulthandler.enable(target)
    thread = threading.Thread(target=_hand_on, args=(reader, target), daemon=True)
    thread.start()

    def flush() -> None:
        # Closes the pipe: what it holds is the rest.
        os.dup2(target, descriptor)
        thread.join(FLUSH)
        if thread.is_alive():
            os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)

    atexit.register(flush)


def _hand_on(reader: int, target: int) -> None:
    # Where nobody can read any more, writing to the pipe fails as it would have without it.
    with suppress(OSError), open(reader, 'rb', buffering=0) as pipe:
        while data := pipe.read(PIPE_SIZE):
            while data:
                data = data[os.write(target, data) :]
