"""The node in process, over its topics and services."""

import math
import time

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('mujoco')
pytest.importorskip('robot_dynamics_interfaces')

from arm_bench import START, bench, context, stamp
from builtin_interfaces.msg import Duration
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robot_dynamics_ros.simulation.mujoco_model import SimulationError
from robot_dynamics_ros.simulation.simulated_arm import SimulatedArm

pytestmark = pytest.mark.contract

__all__ = ['bench', 'context']


def test_publishes_its_state(bench):
    bench = bench()
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


def test_takes_torques_in_the_order_of_joints(bench):
    given = {'joints': ['elbow', 'shoulder'], 'initial_positions': [0.3, 0.5]}
    bench = bench(**given, command_timeout=0.0)
    bench.command(1.0, 2.0)
    bench.until(lambda: list(bench.last.effort) == [2.0, 1.0], 'the torques')
    assert list(bench.last.position) == START


def test_torques_end_when_no_more_come(bench):
    bench = bench(command_timeout=0.2)
    bench.until(lambda: bench.command(1.0, 2.0) or bench.last.effort[0] == 1.0, 'the torques')
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


@pytest.mark.parametrize('torques', [[1.0], [1.0, 2.0, 3.0], [], [1.0, float('nan')]])
def test_drops_commands_that_make_no_sense(bench, torques):
    bench = bench(command_timeout=0.0)
    bench.command(3.0, 4.0)
    bench.until(lambda: list(bench.last.effort) == [3.0, 4.0], 'the torques')
    bench.command(*torques)
    bench.until(lambda: bench.arm.dropped_commands == 1, 'the drop')
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


@pytest.mark.parametrize(
    'message',
    [
        JointTrajectory(joint_names=['wrist'], points=[JointTrajectoryPoint(positions=[0.0])]),
        JointTrajectory(
            joint_names=['elbow'], points=[JointTrajectoryPoint(positions=[0.0, 1.0])]
        ),
        JointTrajectory(joint_names=['elbow']),
        JointTrajectory(points=[JointTrajectoryPoint(positions=[0.0])]),
    ],
)
def test_ignores_references_that_make_no_sense(bench, message):
    bench = bench(servo=True)
    bench.until(lambda: bench.reference.get_subscription_count() > 0, 'the arm')
    bench.reference.publish(message)
    bench.call(Trigger, 'reset')
    assert list(bench.latest().position) == START


def test_waits_for_a_latched_description(bench, two_links):
    bench = bench(robot_description=None)
    assert not bench.call(SetBool, 'set_brake', data=True).success
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    publisher = bench.node.create_publisher(String, 'robot_description', latched)
    publisher.publish(String(data='<robot'))
    time.sleep(0.1)
    assert bench.states == []
    publisher.publish(String(data=two_links))
    assert list(bench.latest().position) == START


def test_takes_whole_numbers_for_doubles_and_one_empty_name_for_none(bench):
    bench = bench(rate=500, joints=[''], servo_bandwidth=4)
    assert bench.latest().name == ['shoulder', 'elbow']


@pytest.mark.parametrize(
    ('parameters', 'said'),
    [
        ({'joints': ['wrist']}, 'wrist'),
        ({'initial_positions': [0.1]}, 'initial_positions has 1 values'),
        ({'initial_positions': 0.1}, 'initial_positions'),
        ({'gravity': [0.0, 1.0]}, 'gravity'),
        ({'rate': 0.0}, 'rate is 0.0'),
        ({'rate': 'fast'}, "parameter rate is 'fast'"),
        ({'brake': 1}, 'brake is 1, a bool'),
        ({'joints': ['shoulder', 'shoulder']}, "'shoulder'.*twice"),
        *[
            ({f'servo_{name}': value}, f'servo_{name} is {value}')
            for name in ('bandwidth', 'damping_ratio')
            for value in (math.inf, math.nan, -5.0, 1e5)
        ],
        ({'servo_kp': [10.0]}, 'servo_kd'),
        ({'servo_kp': [1.0, 2.0, 3.0], 'servo_kd': [1.0]}, 'servo_kp'),
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
