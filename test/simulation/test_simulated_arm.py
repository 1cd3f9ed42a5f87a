"""The node of the simulated arm in process, over its topics and services."""

import math
import threading
import time
from contextlib import ExitStack

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('mujoco')
pytest.importorskip('robot_dynamics_interfaces')

from builtin_interfaces.msg import Time
from domains import free_domain
from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, Header, String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from waiting import wait_until

from robot_dynamics_ros.simulation.mujoco_model import SimulationError
from robot_dynamics_ros.simulation.simulated_arm import SimulatedArm

pytestmark = pytest.mark.contract

START = [0.5, 0.3]


def stamp(state):
    return state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec


class Bench:
    """An arm and a node that talks to it in a domain of their own, both spun in a thread."""

    def __init__(self, **parameters):
        self.context = context = rclpy.Context()
        rclpy.init(context=context, domain_id=free_domain())
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        try:
            self.arm = SimulatedArm(context=context, parameter_overrides=overrides)
        except SimulationError:
            rclpy.shutdown(context=context)
            raise
        self.node = rclpy.create_node('tester', context=context)
        self.states = []
        self.node.create_subscription(JointState, 'joint_states', self.states.append, 10)
        self.commands = self.node.create_publisher(Float64MultiArray, 'commands', 10)
        self.pushes = self.node.create_publisher(WrenchStamped, 'simulated_arm/push', 10)
        self.reference = self.node.create_publisher(JointTrajectory, 'simulated_arm/reference', 10)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.arm)
        self.executor.add_node(self.node)
        self.thread = threading.Thread(target=self.executor.spin, daemon=True)
        self.thread.start()

    def until(self, condition, what):
        wait_until(condition, what)

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
        """The state of an arm in real time, after all that was sent or answered before."""
        now = time.time()
        self.until(lambda: stamp(self.last) > now, 'joint_states')
        return self.last

    def command(self, *torques):
        self.until(lambda: self.commands.get_subscription_count() > 0, 'the arm')
        self.commands.publish(Float64MultiArray(data=[float(t) for t in torques]))

    def send(self, names, *positions):
        """Send points as a reference."""
        self.until(lambda: self.reference.get_subscription_count() > 0, 'the arm')
        points = [JointTrajectoryPoint(positions=each) for each in positions]
        self.reference.publish(JointTrajectory(joint_names=names, points=points))

    def push(self, link, begin=0.0, **force):
        """Push a link from a stamp [s] on."""
        self.until(lambda: self.pushes.get_subscription_count() > 0, 'the arm')
        at = Time(sec=int(begin), nanosec=round(1e9 * (begin % 1.0)))
        header, wrench = Header(frame_id=link, stamp=at), Wrench(force=Vector3(**force))
        self.pushes.publish(WrenchStamped(header=header, wrench=wrench))

    def close(self):
        self.arm.stop()
        self.executor.shutdown(timeout_sec=5.0)
        self.thread.join(timeout=5.0)
        self.arm.destroy_node()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def make(two_links):
    """Makes an arm that starts with the brake on, and ends with the test."""
    with ExitStack() as benches:

        def make(**parameters):
            defaults = {'robot_description': two_links, 'initial_positions': START}
            bench = Bench(**defaults | parameters)
            benches.callback(bench.close)
            return bench

        yield make


@pytest.fixture(scope='module')
def shared(two_links):
    """An arm with a floor that the elbow meets at acos(0.93) = 0.376 rad on its way down."""
    floor = {'wall_link': 'forearm', 'wall_point': [0.0, 0.0, -0.95], 'wall_ball': 0.02}
    start = {'robot_description': two_links, 'initial_positions': START}
    # Whole numbers for doubles, and no name.
    given = {'command_timeout': 0, 'rate': 500, 'servo_bandwidth': 20, 'joints': ['']}
    bench = Bench(**start, **given, **floor)
    yield bench
    bench.close()


@pytest.fixture
def bench(shared):
    """That arm at its initial positions, without torque, its brake on."""
    for name, on in (('set_brake', True), ('set_servo', False), ('set_wall', False)):
        shared.call(SetBool, name, data=on)
    shared.call(Trigger, 'reset')
    shared.latest()
    return shared


def test_publishes_its_state(bench):
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
    assert bench.call(SetBool, 'set_brake', data=False).success
    bench.until(lambda: abs(bench.last.position[0] - START[0]) > 0.2, 'the fall')
    assert bench.call(SetBool, 'set_brake', data=True).success
    assert list(bench.latest().velocity) == [0.0, 0.0]
    assert bench.call(Trigger, 'reset').success
    assert list(bench.latest().position) == START


def test_takes_torques_in_the_order_of_joints_until_no_more_come(make):
    given = {'joints': ['elbow', 'shoulder'], 'initial_positions': [0.3, 0.5]}
    bench = make(**given, command_timeout=0.2)
    bench.call(SetBool, 'set_brake', data=True)
    taken = [2.0, 1.0]
    bench.until(lambda: bench.command(1.0, 2.0) or list(bench.last.effort) == taken, 'the torques')
    assert list(bench.last.position) == START
    bench.until(lambda: bench.last.effort[0] == 0.0, 'the timeout')


def test_torques_stay_without_a_timeout_and_those_that_make_no_sense_are_dropped(bench):
    bench.command(3.0, 4.0)
    bench.until(lambda: list(bench.last.effort) == [3.0, 4.0], 'the torques')
    began = bench.arm.get_clock().now().nanoseconds
    for count, torques in enumerate([[1.0], [1.0, 2.0, 3.0], [], [1.0, float('nan')]], start=1):
        bench.command(*torques)
        bench.until(lambda c=count: bench.arm.dropped_commands == c, 'the drop')
    bench.until(lambda: bench.arm.get_clock().now().nanoseconds - began > 0.5e9, 'default timeout')
    assert list(bench.latest().effort) == [3.0, 4.0]


@pytest.mark.parametrize('opened_by', ['command', 'send'])
def test_the_brake_opens_with_the_first_command_or_reference(make, opened_by):
    bench = make(servo=opened_by == 'send')
    time.sleep(0.1)
    assert list(bench.latest().position) == START
    getattr(bench, opened_by)(*([0.0, 0.0] if opened_by == 'command' else (['elbow'], [0.0])))
    bench.until(lambda: abs(bench.last.position[1] - START[1]) > 0.05, 'motion')


def gravity_torque(q):
    """What holds two links of 1 m, each with 2 kg at 0.5 m."""
    elbow = 9.81 * 2.0 * 0.5 * np.sin(q[0] + q[1])
    return np.array([9.81 * 2.0 * (0.5 + 1.0) * np.sin(q[0]) + elbow, elbow])


def test_reports_the_gravity_that_its_drive_adds(make):
    bench = make(adds_gravity=True, brake=False, command_timeout=0.0)
    gravity = gravity_torque(START)
    bench.until(lambda: bench.last.effort[0] != 0.0, 'the drive')
    np.testing.assert_allclose(bench.latest().effort, gravity, rtol=1e-6)
    np.testing.assert_allclose(bench.latest().position, START, atol=1e-6)
    assert bench.call(SetBool, 'set_brake', data=True).success
    bench.command(1.0, 2.0)
    bench.until(lambda: bench.last.effort[0] > gravity[0] + 0.5, 'the torques')
    np.testing.assert_allclose(bench.latest().effort, gravity + np.array([1.0, 2.0]), rtol=1e-6)


def test_servo_follows_references_and_ignores_those_that_make_no_sense(bench):
    assert bench.call(SetBool, 'set_servo', data=True).success
    assert bench.call(SetBool, 'set_brake', data=False).success

    def there():
        away = np.array(bench.last.position) - [START[0], -0.4]
        return np.abs([*away, *bench.last.velocity]).max() < 5e-3

    bench.send(['elbow'], [-0.4])
    bench.until(there, 'the elbow')
    for names, *positions in ((['wrist'], [0.0]), (['elbow'], [0.0, 1.0]), ([], [0.0])):
        bench.send(names, *positions)
    # It is answered after them.
    bench.call(SetBool, 'set_wall', data=False)
    # Long enough to go elsewhere.
    seen = len(bench.states)
    bench.until(lambda: len(bench.states) > seen + 200, 'states')
    bench.until(there, 'the elbow still')
    assert bench.call(SetBool, 'set_servo', data=False).success
    assert list(bench.latest().effort) == [0.0, 0.0]


def test_waits_for_a_latched_description(make, two_links):
    bench = make(robot_description='')
    assert not bench.call(SetBool, 'set_brake', data=True).success
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    publisher = bench.node.create_publisher(String, 'robot_description', latched)
    publisher.publish(String(data='<robot'))
    # The answer comes after what was published before.
    assert not bench.call(SetBool, 'set_brake', data=True).success
    assert bench.states == []
    publisher.publish(String(data=two_links))
    assert list(bench.latest().position) == START
    # No wall was described.
    refused = bench.call(SetBool, 'set_wall', data=True)
    assert (refused.success, 'wall_link' in refused.message) == (False, True)


@pytest.mark.parametrize(
    ('parameters', 'named'),
    [
        ({'joints': ['wrist']}, 'wrist'),
        ({'initial_positions': [0.1]}, 'initial_positions'),
        ({'gravity': [0.0, 1.0]}, 'gravity'),
        ({'gravty': [0.0, 0.0, 9.81]}, r'gravty \(did you mean gravity'),
        ({'rate': 'fast'}, 'rate'),
        ({'servo_bandwidth': math.inf}, 'servo_bandwidth is inf'),
        ({'wall_link': 'wing'}, "link 'wing'.* base, "),
        ({'wall_ball': 0.0}, r'wall_ball is 0\.0'),
        ({'robot_description': '<robot'}, 'robot_description'),
    ],
)
def test_names_the_parameter_that_makes_no_sense(make, parameters, named):
    with pytest.raises(SimulationError, match=named):
        make(**parameters)


@pytest.fixture
def wrenches(bench):
    """What comes on ~/applied_wrench."""
    topic, wrenches = 'simulated_arm/applied_wrench', []
    # It stays: what is destroyed while another thread spins may end that thread.
    bench.node.create_subscription(WrenchStamped, topic, wrenches.append, 1000)
    bench.until(lambda: bench.node.count_publishers(topic), 'the topic')
    return wrenches


def test_a_push_acts_until_it_is_ended_and_is_published(bench, wrenches):
    bench.push('wing', x=1.0)
    bench.push('forearm', x=3.0)
    bench.until(lambda: wrenches, 'the push')
    bench.push('forearm')
    bench.until(lambda: wrenches[-1].wrench.force.x == 0.0, 'the end')
    assert {one.header.frame_id for one in wrenches} == {'forearm'}
    assert {one.wrench.force.x for one in wrenches} == {0.0, 3.0}
    assert {stamp(one) for one in wrenches} & {stamp(state) for state in bench.states}


def test_the_wall_stands_when_it_is_told_to(bench, wrenches):
    before = len(bench.states)
    assert bench.call(SetBool, 'set_wall', data=True).success
    assert bench.call(SetBool, 'set_brake', data=False).success
    bench.until(lambda: any(one.wrench.force.z != 0.0 for one in wrenches), 'a contact')
    bench.latest()
    assert min(state.position[0] for state in bench.states[before:]) > 0.35
    assert bench.call(SetBool, 'set_wall', data=False).success
    bench.until(lambda: bench.last.position[0] < 0.3, 'fall through')


def answered(bench, delays):
    """Answer each state from now on with its time as torques, some of them late [s]."""

    def answer(state):
        time.sleep(next(delays, 0.0))
        bench.commands.publish(Float64MultiArray(data=[stamp(state), -stamp(state)]))

    bench.node.create_subscription(JointState, 'joint_states', answer, 10)


@pytest.fixture
def lockstep(make):
    """An arm in lockstep, whose brake stays on, and the stamps of its states [ms]."""
    bench = make(lockstep=True, rate=200.0, command_timeout=0.1)
    bench.ticks = []
    bench.call(SetBool, 'set_brake', data=True)
    bench.node.create_subscription(Clock, '/clock', bench.ticks.append, 1000)
    return bench


def milliseconds(states):
    return np.array([round(1e3 * stamp(state)) for state in states])


def test_in_lockstep_each_state_is_answered_before_the_next_however_late(lockstep):
    answered(lockstep, delays=iter([0.0] * 50 + [0.3, 0.0, 0.02] * 5))
    lockstep.until(lambda: lockstep.last.effort[0] > 0.0, 'an answer')
    seen = len(lockstep.states)
    lockstep.until(lambda: len(lockstep.states) > seen + 100, 'states')
    states = lockstep.states[seen:]
    assert set(np.diff(milliseconds(states))) == {5}
    efforts = np.array([state.effort for state in states])
    np.testing.assert_allclose(efforts[1:, 0], [stamp(state) for state in states[:-1]])


def test_in_lockstep_time_goes_on_where_nobody_answers(lockstep):
    lockstep.until(lambda: lockstep.ticks, 'time')
    assert lockstep.ticks[-1].clock.sec < 5
    lockstep.command(1.0, 2.0)
    lockstep.until(lambda: lockstep.last.effort[0] == 1.0, 'the torques')
    lockstep.until(lambda: lockstep.last.effort[0] == 0.0, 'the timeout')
    efforts = np.array([state.effort[0] for state in lockstep.states])
    # The timeout runs in simulated time; whether the state at its end is within it is rounding.
    assert np.count_nonzero(efforts) in (20, 21)


def test_in_lockstep_a_push_begins_and_ends_at_its_stamps(lockstep):
    topic, wrenches = 'simulated_arm/applied_wrench', []
    lockstep.node.create_subscription(WrenchStamped, topic, wrenches.append, 1000)
    lockstep.until(lambda: lockstep.node.count_publishers(topic), 'the topic')
    begin = math.ceil(stamp(lockstep.last)) + 3.0
    lockstep.push('forearm', begin + 0.2)
    lockstep.push('forearm', begin, x=2.0)
    lockstep.push('forearm', begin + 0.1)
    lockstep.until(lambda: wrenches and wrenches[-1].wrench.force.x == 0.0, 'the end')
    assert milliseconds(wrenches).tolist() == [round(1e3 * begin) + 5 * k for k in range(21)]
