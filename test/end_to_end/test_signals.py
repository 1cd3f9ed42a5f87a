"""The node as a process of its own: what SIGINT and SIGTERM leave the robot with."""

import math
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import numpy as np
import pytest
import yaml

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('robot_dynamics_interfaces')

from domains import free_domain
from driver import Driver
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rclpy.executors import SingleThreadedExecutor
from recording import Recording
from sensor_msgs.msg import JointState
from three_joints import URDF

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

pytestmark = pytest.mark.contract

LIMIT = 30.0
Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
COMMANDS = 'robot_dynamics/commands'
DYNAMICS = RobotDynamics(parse_urdf(URDF))
FOLLOWED = DYNAMICS.bias_torque(Q, V)
# The exit code of a Python that could not write the rest of its output.
CANNOT_FLUSH = 120


class World:
    """The process of the node, a driver and a recording."""

    def __init__(self, folder, output=None, **parameters):
        self.context = rclpy.Context()
        domain = free_domain()
        rclpy.init(context=self.context, domain_id=domain)
        self.observer = rclpy.create_node('observer', context=self.context)
        states = self.observer.create_publisher(JointState, 'joint_states', 10)
        self.driver = Driver(states, self.observer.get_clock(), Q, V)
        limits, rates = [math.inf, 200.0, 20.0], [1000.0, 2000.0, 200.0]
        self.recording = Recording(self.observer, COMMANDS, limits, rates)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.observer)
        file, self.log = folder / 'robot.yaml', folder / 'log'
        given = {'effort_limits': limits, 'robot_description': URDF} | parameters
        file.write_text(yaml.safe_dump({'/**': {'ros__parameters': given}}))
        command = [sys.executable, '-m', 'robot_dynamics_ros.ros.node', '--ros-args']
        command += ['--disable-rosout-logs', '--params-file', str(file)]
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(domain)}
        with self.log.open('w') as log:
            self.process = subprocess.Popen(
                command, stdout=output or log, stderr=output or log, env=environment
            )

    def __enter__(self):
        self.until(lambda: self.observer.count_publishers(COMMANDS), 'the node')
        self.driver.start()
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        if self.driver.is_alive():
            self.driver.stop()
        self.recording.stop()
        self.executor.shutdown()
        self.observer.destroy_node()
        rclpy.shutdown(context=self.context)
        if not any(error):
            self.recording.check()

    def until(self, condition, what):
        end = time.monotonic() + LIMIT
        while not condition():
            assert time.monotonic() < end, f'{what}: not in time\n{self.log.read_text()}'
            self.executor.spin_once(timeout_sec=0.02)

    def settle(self, torque):
        self.until(lambda: np.allclose(self.recording.last, torque, rtol=1e-12), f'{torque}')

    def more(self, count):
        before = len(self.recording)
        self.until(lambda: len(self.recording) > before + count, 'commands')

    def falling(self):
        """Whether the torque of the slide becomes less."""
        before, last = self.recording.commands[-2:, 1]
        return abs(last) < abs(before)

    def end(self):
        """Exit code of what is about to end."""
        return self.process.wait(LIMIT)


@pytest.mark.parametrize(
    ('number', 'on_stop'),
    [(signal.SIGINT, 'zero'), (signal.SIGTERM, 'hold'), (signal.SIGHUP, 'zero')],
)
def test_a_signal_leads_to_the_documented_last_command(tmp_path, number, on_stop):
    last = DYNAMICS.gravity_torque(Q) if on_stop == 'hold' else np.zeros(3)
    with World(tmp_path, fade_time=0.3, on_stop=on_stop) as world:
        world.settle(FOLLOWED)
        world.process.send_signal(number)
        assert world.end() == 0, world.log.read_text()
        world.settle(last)
        assert 'Traceback' not in world.log.read_text()
        assert number.name in world.log.read_text()


@pytest.mark.parametrize('reads', [False, True])
def test_an_output_that_nobody_reads_stops_neither_the_commands_nor_the_end(tmp_path, reads):
    """A terminal stopped with Ctrl-S, and `| tee log`, which the same signal ends first."""
    reader, writer = os.pipe()
    if not reads:
        os.set_blocking(writer, False)
        with suppress(BlockingIOError):
            while True:
                os.write(writer, bytes(4096))
        os.set_blocking(writer, True)
    with World(tmp_path, output=writer, fade_time=0.3) as world:
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
        world.process.send_signal(signal.SIGINT)
        assert world.end() in (0, CANNOT_FLUSH)
        world.settle(np.zeros(3))
    if not reads:
        os.close(reader)


def test_nohup_outlives_its_terminal(tmp_path):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        world = World(tmp_path, fade_time=0.3)
    finally:
        signal.signal(signal.SIGHUP, before)
    with world:
        world.settle(FOLLOWED)
        world.process.send_signal(signal.SIGHUP)
        world.more(50)
        world.settle(FOLLOWED)
        world.process.send_signal(signal.SIGTERM)
        assert world.end() == 0


def test_a_second_signal_ends_it_at_once(tmp_path):
    """Without the last command: whoever sends it twice means it."""
    with World(tmp_path, fade_time=40.0) as world:
        world.more(50)
        world.process.send_signal(signal.SIGINT)
        world.until(world.falling, 'the way to zero')
        # Counted from here, not from the sending: the node heeds a signal up to 0.1 s later.
        other = time.monotonic() + 0.5  # sooner, it is the same Ctrl-C
        world.until(lambda: time.monotonic() > other, 'a signal that is another one')
        world.process.send_signal(signal.SIGINT)
        assert world.end() == 0, world.log.read_text()
        assert world.recording.last.any()


def test_a_signal_ends_what_was_shut_down_before(tmp_path):
    with World(tmp_path, fade_time=0.3) as world:
        world.settle(FOLLOWED)
        client = world.observer.create_client(ChangeState, '/robot_dynamics/change_state')
        world.until(client.service_is_ready, 'the service')
        shutdown = Transition(id=Transition.TRANSITION_ACTIVE_SHUTDOWN)
        future = client.call_async(ChangeState.Request(transition=shutdown))
        world.until(future.done, 'the answer')
        assert future.result().success
        world.settle(np.zeros(3))
        world.process.send_signal(signal.SIGTERM)
        assert world.end() == 0, world.log.read_text()
        assert 'Traceback' not in world.log.read_text()
