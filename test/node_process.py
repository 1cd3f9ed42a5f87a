"""The node as a process of its own, with a driver and a recording of its commands."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest
import yaml

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('robot_dynamics_interfaces')

from domains import free_domain
from driver import Driver
from rclpy.executors import SingleThreadedExecutor
from recording import Recording
from sensor_msgs.msg import JointState
from waiting import LIMIT

COMMANDS = 'robot_dynamics/commands'


class NodeProcess:
    """Starts the process; in a block the driver drives, and at its end the recording is checked.

    Attributes:
        process, log: the process, and the file of what it writes.
        environment: that of the process.
        observer: a node that sees it.
    """

    def __init__(self, folder, q, v, limits, rates, output=None, **parameters):
        self.context, domain = rclpy.Context(), free_domain()
        rclpy.init(context=self.context, domain_id=domain)
        self.observer = rclpy.create_node('observer', context=self.context)
        states = self.observer.create_publisher(JointState, 'joint_states', 10)
        self.driver = Driver(states, self.observer.get_clock(), q, v)
        self.recording = Recording(self.observer, COMMANDS, limits, rates)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.observer)
        file, self.log = folder / 'robot.yaml', folder / 'log'
        file.write_text(yaml.safe_dump({'/**': {'ros__parameters': parameters}}))
        command = [sys.executable, '-m', 'robot_dynamics_ros.ros.node', '--ros-args']
        command += ['--disable-rosout-logs', '--params-file', str(file)]
        self.environment = {**os.environ, 'ROS_DOMAIN_ID': str(domain)}
        with self.log.open('w') as log:
            written = {'stdout': output or log, 'stderr': output or log}
            self.process = subprocess.Popen(command, env=self.environment, **written)

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

    def end(self, number):
        """Send a signal; exit code, without an error of ours."""
        self.process.send_signal(number)
        code = self.process.wait(LIMIT)
        assert 'Traceback' not in self.log.read_text()
        return code
