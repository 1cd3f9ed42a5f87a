"""A node under test and an observer, in one process, context and executor."""

import gc
import os
import time
from contextlib import ExitStack, contextmanager
from functools import cache

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')

from domains import free_domain
from driver import Driver
from guard_scene import Scene
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from recording import Recording
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from three_joints import JOINTS, URDF
from trajectory_msgs.msg import JointTrajectory
from waiting import wait_until

from robot_dynamics_interfaces.msg import JointTorques
from robot_dynamics_ros.control import feedforward
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.ros import diagnostics
from robot_dynamics_ros.ros.node import DynamicsNode

LIMIT = 20.0

# What a command is made of shows where no guard shapes it; the guards have tests of their own.
UNGUARDED = {
    'fade_time': 0.0,
    'effort_limits': [1e9],
    'state_timeout': 1e3,
    'reference_tolerance': [0.0],
}


class Observer:
    """Stands for the rest of the system: sends what a driver sends, keeps what the node says."""

    def __init__(self, context, executor, namespace):
        self.node = rclpy.create_node('observer', context=context, namespace=namespace)
        self.commands, self.torques = [], []
        self._executor = executor
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        create = self.node.create_publisher
        self.states = create(JointState, 'joint_states', 10)
        self.reference = create(JointTrajectory, 'robot_dynamics/reference', 10)
        self.description = create(String, 'robot_description', latched)
        self.received = self.node.create_subscription(
            Float64MultiArray, 'robot_dynamics/commands', self.commands.append, 10
        )
        self.node.create_subscription(
            JointTorques, 'robot_dynamics/torques', self.torques.append, 10
        )
        executor.add_node(self.node)

    def until(self, condition, what):
        """Spin until the condition holds."""
        wait_until(condition, what, LIMIT, self.spin_once)

    def spin_once(self):
        """Let the node and the observer do what is due."""
        self._executor.spin_once(timeout_sec=0.05)

    def wait(self, condition, what):
        """Wait, without spinning, until another thread makes the condition hold."""
        wait_until(condition, what, LIMIT, lambda: time.sleep(0.005))

    def call(self, service, name, **fields):
        """The response of a service of the node."""
        client = self.node.create_client(service, name)
        self.until(client.service_is_ready, f'service {name}')
        future = client.call_async(service.Request(**fields))
        self.until(future.done, f'answer of {name}')
        self.node.destroy_client(client)
        return future.result()

    def refusal(self, service, name, **fields):
        """Why a service of the node does not answer a request."""
        response = self.call(service, f'/robot_dynamics/{name}', **fields)
        assert not response.success
        return response.message

    def answer_to(self, state):
        """The torques that answer a state."""
        before = len(self.commands), len(self.torques)
        self.states.publish(state)
        self.until(
            lambda: len(self.commands) > before[0] and len(self.torques) > before[1],
            'command and torques',
        )
        return self.commands[-1], self.torques[-1]


@contextmanager
def observed(start=True, namespace='', unguarded=True, **parameters):
    """A node with parameters, and an observer of it."""
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=free_domain())
    executor = SingleThreadedExecutor(context=context)
    values = (UNGUARDED if unguarded else {}) | parameters
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    node = DynamicsNode(context=context, namespace=namespace, parameter_overrides=overrides)
    executor.add_node(node)
    observer = Observer(context, executor, namespace)
    try:
        if start:
            node.start()
        observer.until(
            lambda: (
                observer.states.get_subscription_count()
                and observer.reference.get_subscription_count()
                and observer.node.count_publishers(f'{namespace}/robot_dynamics/commands')
                and observer.node.count_publishers(f'{namespace}/robot_dynamics/torques')
            ),
            'discovery',
        )
        yield node, observer
    finally:
        executor.shutdown()
        observer.node.destroy_node()
        node.destroy_node()
        rclpy.shutdown(context=context)


@pytest.fixture
def graph(monkeypatch):
    """Makes a node with parameters, and an observer of it."""

    @contextmanager
    def make(reference_timeout=1e3, **options):
        # Tests of what a reference is for need it for longer than the half second after its end.
        monkeypatch.setattr(feedforward, 'TIMEOUT', reference_timeout)
        with observed(**options) as pair:
            yield pair

    yield make
    # The participants of a context end when its nodes are freed.
    gc.collect()


@pytest.fixture(scope='module')
def shared():
    """Gives the observer of a node with these joints, one for all tests of a file."""
    with ExitStack() as nodes:

        @cache
        def observer_of(*joints):
            chosen = {'joints': list(joints)} if joints else {}
            return nodes.enter_context(observed(robot_description=URDF, **chosen))[1]

        yield observer_of
    gc.collect()


Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
# Of turn, slide and wrist: as in the URDF, and none for turn, where that says nothing.
LIMITS, RATES = [np.inf, 200.0, 20.0], [1000.0, 2000.0, 200.0]


@pytest.fixture
def guarded(graph, monkeypatch):
    """Makes a node with its guards; whatever a test provokes, the recording is checked at the end.

    The robot says that it stays at Q and moves with V, so that every term counts and the torque
    to command is constant. Diagnostics come more often than once a second, to wait less.
    """
    monkeypatch.setattr(diagnostics, 'PERIOD', 0.1)

    @contextmanager
    def make(**parameters):
        commanded = [JOINTS.index(name) for name in parameters.get('joints', JOINTS)]
        limits, rates = np.take(LIMITS, commanded), np.take(RATES, commanded)
        defaults = {
            'robot_description': URDF,
            'unguarded': False,
            'reference_timeout': 0.5,
            # A machine that stands still is no driver that ceases, and no state is lost.
            'state_timeout': 60.0,
            'qos_overrides./joint_states.subscription.reliability': 'reliable',
            'qos_overrides./joint_states.subscription.depth': 1000,
            'effort_limits': limits.tolist(),
        }
        with graph(**(defaults | parameters)) as (
            node,
            observer,
        ):
            driver = Driver(observer.states, node.get_clock(), Q, V)
            recording = Recording(observer.node, 'robot_dynamics/commands', limits, rates)
            topic = '/robot_dynamics/commands'
            try:
                # The observer, the recording.
                observer.until(lambda: node.count_subscribers(topic) == 2, 'the recording')
                driver.start()
                yield Scene(node, observer, driver, recording)
            finally:
                if driver.is_alive():
                    driver.stop()
                recording.stop()
        recording.check()

    return make


@pytest.fixture(scope='session')
def dynamics():
    """The same robot without ROS."""
    return RobotDynamics(parse_urdf(URDF))


os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
