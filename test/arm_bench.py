"""A simulated arm in process, and a node that talks to it."""

import threading
import time

import pytest

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('mujoco')
pytest.importorskip('robot_dynamics_interfaces')

from domains import free_domain
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory
from waiting import wait_until

from robot_dynamics_ros.simulation.simulated_arm import SimulatedArm

LIMIT = 15.0
START = [0.5, 0.3]


def stamp(state):
    return state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec


class Bench:
    """An arm and a node that talks to it, both spun in a thread."""

    def __init__(self, context, parameters):
        self.context = context
        self.arm = SimulatedArm(
            context=context,
            parameter_overrides=[
                Parameter(name, value=value) for name, value in parameters.items()
            ],
        )
        self.node = rclpy.create_node('tester', context=context)
        self.states = []
        self.node.create_subscription(JointState, 'joint_states', self.states.append, 10)
        self.commands = self.node.create_publisher(Float64MultiArray, 'commands', 10)
        self.reference = self.node.create_publisher(JointTrajectory, 'simulated_arm/reference', 10)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.arm)
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self.executor.spin, daemon=True)
        self.thread.start()

    def until(self, condition, what):
        wait_until(condition, what, LIMIT, lambda: time.sleep(0.005))

    def call(self, kind, name, **request):
        client = self.node.create_client(kind, f'simulated_arm/{name}')
        self.until(client.service_is_ready, name)
        future = client.call_async(kind.Request(**request))
        self.until(future.done, name)
        return future.result()

    @property
    def last(self):
        return self.states[-1] if self.states else JointState(position=[0.0] * 2, effort=[0.0] * 2)

    def latest(self):
        """The newest state of those that are yet to come."""
        seen = len(self.states)
        self.until(lambda: len(self.states) > seen + 3, 'joint_states')
        return self.states[-1]

    def command(self, *torques):
        self.until(lambda: self.commands.get_subscription_count() > 0, 'the arm')
        self.commands.publish(Float64MultiArray(data=[float(t) for t in torques]))

    def close(self):
        self.arm.stop()
        self.executor.shutdown(timeout_sec=5.0)
        self.thread.join(timeout=5.0)
        self.arm.destroy_node()
        self.node.destroy_node()


@pytest.fixture
def context():
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=free_domain())
    yield context
    rclpy.try_shutdown(context=context)


@pytest.fixture
def bench(context, two_links):
    benches = []

    def make(**parameters):
        defaults = {'robot_description': two_links, 'initial_positions': START, 'brake': True}
        chosen = {k: v for k, v in {**defaults, **parameters}.items() if v is not None}
        benches.append(Bench(context, chosen))
        return benches[-1]

    yield make
    for one in benches:
        one.close()
