"""Two nodes as separate processes: each with a robot and a group of joints of its own."""

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('robot_dynamics_interfaces')

from domains import free_domain
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from recording import Recording
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from three_joints import JOINTS, LIMITED, state
from waiting import wait_until

from robot_dynamics_interfaces.srv import GetMassMatrix
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.demo.processes import Children

pytestmark = pytest.mark.contract

# As the description has them [N m or N].
EFFORT = {'turn': 30.0, 'slide': 200.0, 'wrist': 20.0}
Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
# The same joints, other masses: who hears the wrong robot computes the wrong torque.
HEAVY = LIMITED.replace('<mass value="1.5"/>', '<mass value="3"/>')
ROBOTS = {'left': (LIMITED, ['wrist', 'turn']), 'right': (HEAVY, ['slide', 'wrist'])}


def expected(urdf, joints):
    """C v + g; joints that are not commanded rest."""
    chosen = [JOINTS.index(name) for name in joints]
    v = np.zeros(3)
    v[chosen] = np.take(V, chosen)
    return RobotDynamics(parse_urdf(urdf)).bias_torque(Q, v)[chosen]


@pytest.fixture
def observer(tmp_path, monkeypatch):
    """A node that sees two processes, one in each namespace, which hear the same joint states."""
    domain, context = free_domain(), rclpy.Context()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    rclpy.init(context=context, domain_id=domain)
    node = rclpy.create_node('observer', context=context)
    with Children(tmp_path) as children:
        for side, (_, joints) in ROBOTS.items():
            remapped = [f'__ns:=/{side}', 'joint_states:=/joint_states']
            children.start(side, 'robot_dynamics_ros.ros.node', {'joints': joints}, remapped)
        yield node
    node.destroy_node()
    rclpy.shutdown(context=context)


def test_two_nodes_command_their_joints_of_their_robot_and_hear_nothing_of_each_other(observer):
    """The joint that one does not command is part of what it computes."""
    executor = SingleThreadedExecutor(context=observer.context)
    executor.add_node(observer)
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    states = observer.create_publisher(JointState, '/joint_states', 10)
    shown = state(Q, V)

    def until(condition, what):
        wait_until(condition, what, lambda: executor.spin_once(timeout_sec=0.005))

    def configured(side):
        """Whether a node answers with its mass matrix."""
        client = observer.create_client(GetMassMatrix, f'/{side}/robot_dynamics/get_mass_matrix')
        until(client.service_is_ready, side)
        future = client.call_async(GetMassMatrix.Request(state=shown))
        until(future.done, f'an answer of {side}')
        return future.result().success

    def commanded(side):
        """Whether the last command is the torque of its robot; shows a state."""
        states.publish(shown)
        return np.allclose(recordings[side].last, torques[side], 1e-9, 1e-9)

    recordings, torques = {}, {side: expected(*robot) for side, robot in ROBOTS.items()}
    for side, (_, joints) in ROBOTS.items():
        topic, limits = f'/{side}/robot_dynamics/commands', [EFFORT[name] for name in joints]
        # Full torque may come in a tenth of a second.
        recordings[side] = Recording(observer, topic, limits, 10.0 * np.array(limits))
        until(lambda topic=topic: observer.count_publishers(topic), topic)
    until(lambda: states.get_subscription_count() == 2, 'both nodes')
    try:
        for side, (urdf, _) in ROBOTS.items():
            assert not configured(side)
            publisher = observer.create_publisher(String, f'/{side}/robot_description', latched)
            publisher.publish(String(data=urdf))
            until(lambda side=side: configured(side), side)
            assert len(recordings[side]) == 0
            until(lambda side=side: commanded(side), f'torque of {side}')
        until(lambda: commanded('left'), 'torque of left')
    finally:
        for recording in recordings.values():
            recording.stop()
        executor.shutdown()
    for recording in recordings.values():
        recording.check()
