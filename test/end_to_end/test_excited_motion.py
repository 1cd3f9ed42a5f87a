"""The motion on its way through the real node to the simulated arm, and back as a recording."""

import numpy as np
import pytest
import yaml

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('coal')
pytest.importorskip('robot_dynamics_interfaces.msg')

from builtin_interfaces.msg import Duration
from domains import free_domain
from excited_arm import JOINTS, excited, told_by, urdf
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import JointState
from simulated_recordings import Recorded
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from waiting import wait_until

from robot_dynamics_interfaces.srv import FillEfforts
from robot_dynamics_ros.demo.processes import Children

LIMIT = 60.0
RATE = 250.0
ARM, NODE = 'simulated_arm', 'robot_dynamics'
STARTED = {
    ARM: (
        'robot_dynamics_ros.simulation.simulated_arm',
        [],
        {'servo': True, 'servo_bandwidth': 8.0, 'rate': RATE},
    ),
    NODE: (
        'robot_dynamics_ros.ros.node',
        ['~/commands:=/commands'],
        {
            'fade_time': 0.1,
            'cross_check': False,
            'terms': ['gravity', 'friction'],
            # The servo holds the arm.
            'on_restart': 'fade_from_zero',
        },
    ),
}


def message_of(text):
    """As `ros2 topic pub` makes it of the YAML."""
    fields = yaml.safe_load(text)
    points = [
        JointTrajectoryPoint(
            **{key: value for key, value in point.items() if key != 'time_from_start'},
            time_from_start=Duration(**point['time_from_start']),
        )
        for point in fields['points']
    ]
    return JointTrajectory(joint_names=fields['joint_names'], points=points)


class Stack:
    """Arm and node as processes, and what was recorded of /joint_states."""

    def __init__(self, context):
        self.node = rclpy.create_node('recorder', context=context)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self.states, self.commands = [], []
        self.node.create_subscription(Float64MultiArray, '/commands', self.commands.append, 10)
        self.node.create_subscription(JointState, '/joint_states', self.states.append, 5000)
        self.publisher = self.node.create_publisher(JointTrajectory, f'/{ARM}/reference', 10)
        self.efforts = self.node.create_client(FillEfforts, f'/{NODE}/fill_efforts')

    def until(self, condition, what):
        wait_until(condition, what, LIMIT, lambda: self.executor.spin_once(timeout_sec=0.02))

    def recorded(self, begin, end):
        """The states of the motion as a recording."""
        chosen = [state for state in self.states if begin <= stamp(state) <= end]
        order = [list(chosen[0].name).index(name) for name in JOINTS]
        times = np.array([stamp(state) for state in chosen]) - begin
        q, v, tau = (
            np.array([getattr(state, part) for state in chosen])[:, order]
            for part in ('position', 'velocity', 'effort')
        )
        return Recorded(times, q, v, tau, np.zeros_like(q), JOINTS)


def largest_error(recorded, found):
    """Of the positions, for the start of the motion at which it is smallest."""
    errors = []
    for start in np.arange(-1.0, 1.0, 0.01):
        times = np.clip(recorded.times - start, 0.0, found.settings.duration)
        errors.append(np.abs(recorded.positions - found.series.at(times)[0]).max())
    return min(errors)


def stamp(state):
    return state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec


@pytest.fixture
def stack(tmp_path, monkeypatch):
    domain = free_domain()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    start = {'initial_positions': excited().series.start.tolist()}
    with Children(tmp_path) as children:
        for name, (module, remappings, parameters) in STARTED.items():
            given = {'robot_description': urdf(), 'joints': list(JOINTS), **parameters}
            given |= start if name == ARM else {}
            children.start(name, module, given, remappings)
        context = rclpy.Context()
        rclpy.init(context=context, domain_id=domain)
        opened = Stack(context)
        try:
            yield opened
        finally:
            opened.executor.shutdown()
            opened.node.destroy_node()
            context.shutdown()


def test_the_motion_is_tracked_with_its_efforts_and_determines_every_parameter(stack):
    found = excited()
    sent = message_of(found.trajectory_text(['a remark']))
    stack.until(lambda: stack.states, 'the states of the arm')
    stack.until(stack.publisher.get_subscription_count, 'the arm')
    stack.until(lambda: stack.commands, 'a command of the node')
    stack.until(stack.efforts.service_is_ready, 'the service of the node')
    answer = stack.efforts.call_async(FillEfforts.Request(trajectory=sent))
    stack.until(answer.done, 'the trajectory with its efforts')
    filled = answer.result().trajectory
    assert all(len(point.effort) == len(JOINTS) for point in filled.points)
    at_rest = np.array(stack.states[-1].position)

    def moved():
        return np.abs(stack.states[-1].position - at_rest).max() > 0.02

    stack.publisher.publish(filled)
    stack.until(lambda: moved(), 'the begin of the motion')
    begin = stamp(stack.states[-1]) - 1.0
    end = begin + found.settings.duration + 1.0
    stack.until(lambda: stamp(stack.states[-1]) > end, 'the end of the motion')
    recorded = stack.recorded(begin, end)
    assert largest_error(recorded, found) < 0.05
    base, findings = told_by(recorded.reader)
    assert base.rank == base.structural_rank
    assert base.condition < 100.0
    assert findings == ()
