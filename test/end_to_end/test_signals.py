"""The node as a process of its own: what SIGINT, SIGTERM and SIGHUP leave the robot with."""

import math
import os
import signal
import time
from contextlib import suppress

import numpy as np
import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from node_process import NodeProcess  # skips where there is no ROS
from three_joints import URDF

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

pytestmark = pytest.mark.contract

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
DYNAMICS = RobotDynamics(parse_urdf(URDF))
FOLLOWED = DYNAMICS.bias_torque(Q, V)
LIMITS, RATES = [math.inf, 200.0, 20.0], [1000.0, 2000.0, 200.0]
# The exit code of a Python that could not write the rest of its output.
CANNOT_FLUSH = 120


def started(folder, output=None, fade_time=0.3, **parameters):
    given = {'effort_limits': LIMITS, 'robot_description': URDF, 'fade_time': fade_time}
    return NodeProcess(folder, Q, V, LIMITS, RATES, output, **given, **parameters)


@pytest.mark.parametrize(
    ('number', 'on_stop'), [(signal.SIGINT, 'zero'), (signal.SIGTERM, 'hold')]
)
def test_a_signal_leads_to_the_documented_last_command(tmp_path, number, on_stop):
    last = DYNAMICS.gravity_torque(Q) if on_stop == 'hold' else np.zeros(3)
    with started(tmp_path, on_stop=on_stop) as world:
        world.settle(FOLLOWED)
        assert world.end(number) == 0
        world.settle(last)
        assert number.name in world.log.read_text()


@pytest.mark.parametrize(('reads', 'number'), [(False, signal.SIGHUP), (True, signal.SIGINT)])
def test_an_output_that_nobody_reads_stops_neither_the_commands_nor_the_end(
    tmp_path, reads, number
):
    """A terminal stopped with Ctrl-S, and `| tee log`, which the same signal ends first."""
    reader, writer = os.pipe()
    if not reads:
        os.set_blocking(writer, False)
        with suppress(BlockingIOError):
            while True:
                os.write(writer, bytes(4096))
        os.set_blocking(writer, True)
    with started(tmp_path, output=writer) as world:
        os.close(writer)
        world.settle(FOLLOWED)
        sent = world.driver.sent

        def refused(message):
            if world.driver.sent % 2:
                message.position[0] = np.nan

        # What is refused is logged.
        world.driver.change = refused
        world.until(lambda: world.driver.sent > sent + 50, 'states')
        world.more(50)
        if reads:
            os.close(reader)
        assert world.end(number) in (0, CANNOT_FLUSH)
        world.settle(np.zeros(3))
    if not reads:
        os.close(reader)


def test_nohup_outlives_its_terminal(tmp_path):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        world = started(tmp_path)
    finally:
        signal.signal(signal.SIGHUP, before)
    with world:
        world.settle(FOLLOWED)
        world.process.send_signal(signal.SIGHUP)
        world.more(50)
        world.settle(FOLLOWED)
        assert world.end(signal.SIGTERM) == 0


def test_a_second_signal_ends_it_at_once(tmp_path):
    """Without the last command: whoever sends it twice means it."""
    with started(tmp_path, fade_time=40.0) as world:
        world.more(50)
        world.process.send_signal(signal.SIGINT)

        def falling():
            before, last = np.abs(world.recording.commands[-2:, 1])
            return last < before

        world.until(falling, 'the way to zero')
        # Counted from here, not from the sending: the node heeds a signal up to 0.1 s later.
        other = time.monotonic() + 0.5  # sooner, it is the same Ctrl-C
        world.until(lambda: time.monotonic() > other, 'a signal that is another one')
        assert world.end(signal.SIGINT) == 0
        assert world.recording.last.any()


def test_a_signal_ends_what_was_shut_down_before(tmp_path):
    with started(tmp_path) as world:
        world.settle(FOLLOWED)
        client = world.observer.create_client(ChangeState, '/robot_dynamics/change_state')
        world.until(client.service_is_ready, 'the service')
        shutdown = Transition(id=Transition.TRANSITION_ACTIVE_SHUTDOWN)
        future = client.call_async(ChangeState.Request(transition=shutdown))
        world.until(future.done, 'the answer')
        assert future.result().success
        world.settle(np.zeros(3))
        assert world.end(signal.SIGTERM) == 0
