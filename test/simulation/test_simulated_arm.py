"""The node of the simulated arm in process, over its topics and services."""

import itertools
import math
import threading
import time

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('mujoco')
pytest.importorskip('robot_dynamics_interfaces')

from builtin_interfaces.msg import Duration
from domains import free_domain
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from waiting import wait_until

from robot_dynamics_interfaces.srv import PushLink
from robot_dynamics_ros.simulation.mujoco_model import SimulationError
from robot_dynamics_ros.simulation.simulated_arm import SimulatedArm

pytestmark = pytest.mark.contract

LIMIT = 15.0
START = [0.5, 0.3]


def stamp(state):
    return state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec


class Bench:
    """An arm and a node that talks to it, both spun in a thread."""

    def __init__(self, context, parameters):
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        self.arm = SimulatedArm(context=context, parameter_overrides=overrides)
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


def test_publishes_its_state(bench):
    bench = bench(rate=500, joints=[''], servo_bandwidth=4)  # whole numbers for doubles, no name
    state = bench.latest()
    assert state.name == ['shoulder', 'elbow']
    assert list(state.position) == START
    assert list(state.velocity) == list(state.effort) == [0.0, 0.0]
    before, began = len(bench.states), time.time()
    bench.until(lambda: len(bench.states) > before + 50, 'states')
    stamps = [stamp(state) for state in bench.states[before:]]
    assert (np.diff(stamps) > 0).all()
    assert began < stamps[-1] < time.time()


def test_falls_when_the_brake_is_released(bench):
    bench = bench()
    assert bench.call(SetBool, 'set_brake', data=False).success
    bench.until(lambda: abs(bench.last.position[0] - START[0]) > 0.2, 'the fall')
    assert bench.call(SetBool, 'set_brake', data=True).success
    assert list(bench.latest().velocity) == [0.0, 0.0]
    assert bench.call(Trigger, 'reset').success
    assert list(bench.latest().position) == START


def test_takes_torques_in_the_order_of_joints_until_no_more_come(bench):
    given = {'joints': ['elbow', 'shoulder'], 'initial_positions': [0.3, 0.5]}
    bench = bench(**given, command_timeout=0.2)
    taken = [2.0, 1.0]
    bench.until(lambda: bench.command(1.0, 2.0) or list(bench.last.effort) == taken, 'the torques')
    assert list(bench.last.position) == START
    bench.until(lambda: bench.last.effort[0] == 0.0, 'the timeout')


def test_last_torques_stay_without_a_timeout(bench):
    bench = bench(command_timeout=0.0)
    bench.command(1.0, 2.0)
    bench.until(lambda: bench.last.effort[0] == 1.0, 'the torques')
    began = bench.arm.get_clock().now().nanoseconds
    bench.until(lambda: bench.arm.get_clock().now().nanoseconds - began > 0.5e9, 'default timeout')
    assert list(bench.latest().effort) == [1.0, 2.0]


def gravity_torque(q):
    """What holds two links of 1 m, each with 2 kg at 0.5 m."""
    elbow = 9.81 * 2.0 * 0.5 * np.sin(q[0] + q[1])
    return np.array([9.81 * 2.0 * (0.5 + 1.0) * np.sin(q[0]) + elbow, elbow])


def test_reports_the_gravity_that_its_drive_adds(bench):
    bench = bench(adds_gravity=True, brake=False, command_timeout=0.0)
    gravity = gravity_torque(START)
    bench.until(lambda: bench.last.effort[0] != 0.0, 'the drive')
    np.testing.assert_allclose(bench.latest().effort, gravity, rtol=1e-6)
    np.testing.assert_allclose(bench.latest().position, START, atol=1e-6)
    assert bench.call(SetBool, 'set_brake', data=True).success
    bench.command(1.0, 2.0)
    bench.until(lambda: bench.last.effort[0] > gravity[0] + 0.5, 'the torques')
    np.testing.assert_allclose(bench.latest().effort, gravity + np.array([1.0, 2.0]), rtol=1e-6)


def test_drops_commands_that_make_no_sense(bench):
    bench = bench(command_timeout=0.0)
    bench.command(3.0, 4.0)
    bench.until(lambda: list(bench.last.effort) == [3.0, 4.0], 'the torques')
    for count, torques in enumerate([[1.0], [1.0, 2.0, 3.0], [], [1.0, float('nan')]], start=1):
        bench.command(*torques)
        bench.until(lambda c=count: bench.arm.dropped_commands == c, 'the drop')
    assert list(bench.latest().effort) == [3.0, 4.0]


def test_servo_follows_a_reference(bench):
    bench = bench(gravity=[0.0, 0.0, 0.0], brake=False)
    assert bench.call(SetBool, 'set_servo', data=True).success
    bench.until(lambda: bench.reference.get_subscription_count() > 0, 'the arm')
    point = JointTrajectoryPoint(positions=[-0.4], time_from_start=Duration(sec=0))
    bench.reference.publish(JointTrajectory(joint_names=['elbow'], points=[point]))
    bench.until(
        lambda: np.abs(np.array(bench.last.position) - [START[0], -0.4]).max() < 1e-3,
        'the elbow',
    )
    assert bench.call(SetBool, 'set_servo', data=False).success
    assert list(bench.latest().effort) == [0.0, 0.0]


def test_ignores_references_that_make_no_sense(bench):
    bench = bench(servo=True)
    bench.until(lambda: bench.reference.get_subscription_count() > 0, 'the arm')
    for names, positions in ((['wrist'], [0.0]), (['elbow'], [0.0, 1.0]), ([], [0.0])):
        points = [JointTrajectoryPoint(positions=positions)]
        bench.reference.publish(JointTrajectory(joint_names=names, points=points))
    bench.reference.publish(JointTrajectory(joint_names=['elbow']))
    bench.call(Trigger, 'reset')
    assert list(bench.latest().position) == START


def test_waits_for_a_latched_description(bench, two_links):
    bench = bench(robot_description=None)
    assert not bench.call(SetBool, 'set_brake', data=True).success
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    publisher = bench.node.create_publisher(String, 'robot_description', latched)
    publisher.publish(String(data='<robot'))
    # The answer comes after what was published before.
    assert not bench.call(SetBool, 'set_brake', data=True).success
    assert bench.states == []
    publisher.publish(String(data=two_links))
    assert list(bench.latest().position) == START


@pytest.mark.parametrize(
    ('parameters', 'said'),
    [
        ({'joints': ['wrist']}, 'wrist'),
        ({'initial_positions': [0.1]}, 'initial_positions'),
        ({'initial_positions': 0.1}, 'initial_positions'),
        ({'gravity': [0.0, 1.0]}, 'gravity'),
        ({'rate': 0.0}, 'rate'),
        ({'rate': 'fast'}, 'rate'),
        ({'brake': 1}, 'brake'),
        ({'joints': ['shoulder', 'shoulder']}, 'shoulder'),
        *[
            ({'servo_bandwidth': value}, f'servo_bandwidth is {value}')
            for value in (math.inf, math.nan, -5.0, 1e5)
        ],
        ({'wall_link': 'wing'}, "link 'wing'.* base, "),
        ({'wall_link': 'forearm', 'wall_normal': [0.0, 0.0, 0.0]}, 'normal of'),
        ({'wall_ball': 0.0}, r'wall_ball is 0\.0'),
        ({'robot_description': '<robot'}, 'robot_description'),
    ],
)
def test_names_the_parameter_that_makes_no_sense(context, two_links, parameters, said):
    values = {'robot_description': two_links, **parameters}
    overrides = [Parameter(name, value=value) for name, value in values.items()]
    with pytest.raises(SimulationError, match=said):
        SimulatedArm(context=context, parameter_overrides=overrides)


def applied(bench):
    """What comes on ~/applied_wrench."""
    wrenches = []
    bench.node.create_subscription(
        WrenchStamped, 'simulated_arm/applied_wrench', wrenches.append, 1000
    )
    bench.until(lambda: bench.node.count_publishers('simulated_arm/applied_wrench'), 'the topic')
    return wrenches


def test_a_push_moves_the_arm_and_is_published(bench):
    bench = bench(gravity=[0.0, 0.0, 0.0], brake=False)
    wrenches = applied(bench)
    # Both links hang along z: 0.8 rad about y.
    push = Wrench(force=Vector3(x=3.0))
    assert bench.call(PushLink, 'push_link', link='forearm', wrench=push, duration=0.2).success
    bench.until(lambda: wrenches and wrenches[-1].wrench.force.x == 0.0, 'the end')
    assert {one.header.frame_id for one in wrenches} == {'forearm'}
    stamps = [stamp(one) for one in wrenches]
    # On a slow computer the arm stands still for a while.
    standstill = max(after - before for before, after in itertools.pairwise(stamps))
    assert 0.1 < stamps[-1] - stamps[0] < 0.4 + standstill
    assert set(stamps) & {stamp(state) for state in bench.states}
    turned = wrenches[0].wrench.force
    angle = sum(START)
    assert turned.x == pytest.approx(3.0 * math.cos(angle), abs=0.1)
    assert turned.z == pytest.approx(3.0 * math.sin(angle), abs=0.1)
    assert max(abs(bench.last.velocity[0]), abs(bench.last.velocity[1])) > 0.05


def test_the_wall_stands_when_it_is_told_to(bench):
    """A floor that the elbow meets at acos(0.93) = 0.376 rad, on its way down from 0.5 rad."""
    floor = {'wall_link': 'forearm', 'wall_point': [0.0, 0.0, -0.95], 'wall_ball': 0.02}
    bench = bench(**floor)
    wrenches = applied(bench)
    assert bench.call(SetBool, 'set_wall', data=True).success
    assert bench.call(SetBool, 'set_brake', data=False).success
    bench.until(lambda: any(one.wrench.force.z != 0.0 for one in wrenches), 'a contact')
    bench.latest()
    assert min(state.position[0] for state in bench.states) > 0.35
    assert bench.call(SetBool, 'set_wall', data=False).success
    bench.until(lambda: bench.last.position[0] < 0.3, 'fall through')


def test_outside_forces_that_are_refused_say_why(bench):
    bench = bench()
    refused = bench.call(PushLink, 'push_link', link='wing', duration=1.0)
    assert not refused.success
    assert "'wing'" in refused.message
    assert 'upper_arm, forearm' in refused.message
    refused = bench.call(SetBool, 'set_wall', data=True)
    assert not refused.success
    assert 'wall_link' in refused.message
