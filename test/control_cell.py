"""The real ros2_control on mock hardware, the installed node, and an observer of both.

Importing this skips the tests of a file where a part of it is not installed.
"""

import os
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('robot_dynamics_interfaces')
pytest.importorskip('controller_manager_msgs.srv')

from ament_index_python.packages import PackageNotFoundError, get_package_prefix
from controller_manager_msgs import srv
from domains import free_domain
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from waiting import wait_until

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.control.settings import torque_rates
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.demo.processes import die_with_parent

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).with_name('ros2_control')
URDF = (FOLDER / 'robot.urdf').read_text()
JOINTS, Q = ['shoulder', 'elbow'], [0.1, 0.2]
DYNAMICS = RobotDynamics(parse_urdf(URDF), backend='python')
GRAVITY = DYNAMICS.gravity_torque(Q)
# Of the node [N m/s].
RATES = torque_rates(DYNAMICS.model.effort_bounds)
# From a command to the cycle that applies it, on a busy machine [s]; a step takes none of it.
LATENESS = 0.2
NEEDED = (
    'robot_dynamics_ros',
    'controller_manager',
    'hardware_interface',
    'joint_state_broadcaster',
    'forward_command_controller',
    'joint_trajectory_controller',
)


def executable(package, name):
    """The path of a program of an installed package."""
    return str(Path(get_package_prefix(package)) / 'lib' / package / name)


def _installed(package):
    try:
        get_package_prefix(package)
    except PackageNotFoundError:
        return False
    return True


if missing := [package for package in NEEDED if not _installed(package)]:
    pytest.skip(f'not installed: {", ".join(missing)}', allow_module_level=True)


class Cell:
    """Starts and ends processes and controllers, and keeps what robot and node say.

    Attributes:
        node: the observer.
        efforts: (time [s], (2,) torque of the drives [N m]) of each joint state.
        torques: the messages of the node.
    """

    def __init__(self, folder, domain):
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.node = rclpy.create_node('observer', context=self.context)
        self._executor = SingleThreadedExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._folder, self._processes, self._clients, self._owned = folder, [], {}, []
        self.efforts, self.torques = [], []
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._description = self.node.create_publisher(String, '/robot_description', latched)
        self._description.publish(String(data=URDF))
        # Deep enough for what comes while this process waits for the processor.
        self.node.create_subscription(JointState, '/joint_states', self._take, 5000)
        self.node.create_subscription(
            JointTorques, '/robot_dynamics/torques', self.torques.append, 5000
        )

    def _take(self, message):
        stamp = message.header.stamp
        effort = dict(zip(message.name, message.effort, strict=True))
        torque = np.array([effort[name] for name in JOINTS])
        self.efforts.append((stamp.sec + 1e-9 * stamp.nanosec, torque))

    def until(self, condition, what):
        """Hear and answer until the condition holds."""
        wait_until(condition, what, lambda: self._executor.spin_once(timeout_sec=0.02))

    def until_effort(self, torque, what='torque'):
        """Until the drives have this torque."""
        self.until(
            lambda: self.efforts and np.allclose(self.efforts[-1][1], torque, rtol=0.0, atol=1e-9),
            f'{what} {torque}',
        )

    def until_logged(self, process, text):
        """Until the process has written that."""
        self.until(lambda: text in process.log(), f'{text!r} in the log:\n{process.log()}')

    def until_next_states(self, count=40):
        """Until so many more joint states have come."""
        before = len(self.efforts)
        self.until(lambda: len(self.efforts) >= before + count, 'joint states')

    def call(self, kind, name, /, **fields):
        """The response of a service."""
        if name not in self._clients:
            self._clients[name] = self.node.create_client(kind, name)
        client = self._clients[name]
        self.until(client.service_is_ready, name)
        future = client.call_async(kind.Request(**fields))
        self.until(future.done, f'answer of {name}')
        return future.result()

    def manage(self, kind, name, /, **fields):
        """Call a service of the controller manager, which must not refuse."""
        response = self.call(kind, f'/controller_manager/{name}', **fields)
        assert response.ok, (name, fields, response)

    def load(self, *controllers):
        """Load and configure controllers; they are inactive."""
        for name in controllers:
            self.manage(srv.LoadController, 'load_controller', name=name)
            self.manage(srv.ConfigureController, 'configure_controller', name=name)

    def switch(self, on=(), off=()):
        """Activate and deactivate controllers."""
        self.manage(
            srv.SwitchController,
            'switch_controller',
            activate_controllers=list(on),
            deactivate_controllers=list(off),
            strictness=srv.SwitchController.Request.STRICT,
        )

    def state(self, name):
        """What the controller manager says of a controller."""
        answer = self.call(srv.ListControllers, '/controller_manager/list_controllers')
        return {each.name: each.state for each in answer.controller}[name]

    def own(self, entity):
        """Destroy this before the node of the observer, which does not know action clients."""
        self._owned.append(entity)
        return entity

    def start(self, name, command):
        """Start a process; it ends with the cell, or with the process of the test."""
        process = Process(self._folder / f'{name}_{len(self._processes)}.log', command)
        self._processes.append(process)
        return process

    def start_manager(self, *active, parameters=FOLDER / 'controllers.yaml'):
        """Start the controller manager with joint states, and activate these controllers."""
        manager = self.start(
            'controller_manager',
            [
                *(executable('controller_manager', 'ros2_control_node'), '--ros-args'),
                *('--params-file', str(parameters)),
                *('--remap', '~/robot_description:=/robot_description'),
            ],
        )
        self.load('joint_state_broadcaster', *active)
        self.switch(on=['joint_state_broadcaster', *active])
        self.efforts.clear()
        self.until_next_states(1)
        return manager

    def start_node(self, before='effort_controller', joints=JOINTS, **parameters):
        """Start the node on the topic of the controller that comes after it."""
        parameters = {
            'joints': f'[{", ".join(joints)}]',
            'terms': '[gravity]',
            'controller_action': '/arm_controller/follow_joint_trajectory',
            **parameters,
        }
        command = [executable('robot_dynamics_ros', 'dynamics_node'), '--ros-args']
        command += ['--remap', f'~/commands:=/{before}/commands']
        for name, value in parameters.items():
            command += ['-p', f'{name}:={value}']
        return self.start('node', command)

    def silent(self):
        """Whether the last that the node said is that it is silent."""
        return bool(self.torques) and self.torques[-1].state == 'SILENT'

    def check_silent(self):
        """States come, and the node answers none."""
        before = len(self.torques)
        self.until_next_states()
        assert all(m.state == 'SILENT' for m in self.torques[before:])

    def steps(self, since):
        """(m,) times between states [s] and (m, 2) changes of the torque of the drives [N m]."""
        times = np.array([time for time, _ in self.efforts[since:]])
        torques = np.array([torque for _, torque in self.efforts[since:]])
        return np.diff(times), np.abs(np.diff(torques, axis=0))

    def check_fade(self, since):
        """The torque of the drives has changed no faster than the node may change it."""
        times, steps = self.steps(since)
        assert len(steps)
        assert (steps <= RATES * (times[:, None] + LATENESS)).all(), steps.max(axis=0)

    def close(self):
        """End all processes."""
        for process in self._processes:
            process.kill()
        self._executor.shutdown()
        for entity in self._owned:
            entity.destroy()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


class Process:
    """A process in a session of its own, its output in a file."""

    def __init__(self, log, command):
        self._log = log
        with log.open('w') as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                preexec_fn=die_with_parent(),
            )

    def log(self):
        return self._log.read_text(errors='replace')

    def kill(self):
        """By SIGKILL, as a crash or the kernel would."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@contextmanager
def cell(folder, monkeypatch):
    """A cell without processes yet, in a ROS domain of its own."""
    domain = free_domain()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    monkeypatch.setenv('FASTDDS_DEFAULT_PROFILES_FILE', str(ROOT / 'config/fastdds.xml'))
    opened = Cell(folder, domain)
    try:
        yield opened
    finally:
        opened.close()
