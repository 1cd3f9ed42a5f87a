"""Two nodes as separate processes: each with one arm of a robot with two arms."""

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy')
pinocchio = pytest.importorskip('pinocchio')
pytest.importorskip('robot_dynamics_interfaces')

from domains import free_domain
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile
from recording import Recording
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from waiting import wait_until

from robot_dynamics_interfaces.srv import GetMassMatrix
from robot_dynamics_ros.demo.processes import Children

pytestmark = pytest.mark.contract

LINK = """
  <link name="{joint}_link"><inertial>
    <origin xyz="0.15 0.03 0.02"/><mass value="{mass}"/>
    <inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0.001" ixz="0" iyz="0"/>
  </inertial></link>
  <joint name="{joint}" type="revolute">
    <parent link="{parent}"/><child link="{joint}_link"/>
    <origin xyz="{origin}" rpy="0.3 0 0"/><axis xyz="0 1 0.2"/>
    <limit lower="-2" upper="2" effort="{effort}" velocity="3"/>
  </joint>
"""


def dual_arm(elbow_mass):
    """A torso that bends, and an arm of two joints on each side of it; not mirrored."""
    links = [
        ('waist', 'base', '0 0 0.8', 12.0, 400.0),
        ('left_shoulder', 'waist_link', '0 0.25 0.5', 2.5, 80.0),
        ('left_elbow', 'left_shoulder_link', '0.3 0 0', elbow_mass, 40.0),
        ('right_shoulder', 'waist_link', '0 -0.25 0.5', 3.0, 80.0),
        ('right_elbow', 'right_shoulder_link', '0.35 0 0', 1.2, 40.0),
    ]
    keys = 'joint', 'parent', 'origin', 'mass', 'effort'
    parts = [LINK.format(**dict(zip(keys, link, strict=True))) for link in links]
    return f'<robot name="dual_arm"><link name="base"/>{"".join(parts)}</robot>'


# The same joints, other masses: who hears the wrong robot computes the wrong torque.
DUAL_ARM, HEAVY = dual_arm(1.5), dual_arm(2.5)
LEFT, RIGHT = ['left_elbow', 'left_shoulder'], ['right_shoulder', 'right_elbow']
JOINTS = ('waist', *LEFT, *RIGHT)
# As the description has them [N m].
LIMITS = dict(zip(JOINTS, (400.0, 40.0, 80.0, 80.0, 40.0), strict=True))
Q = dict(zip(JOINTS, (0.4, 0.7, -0.5, 0.9, 0.3), strict=True))
V = dict(zip(JOINTS, (0.0, 0.5, -0.8, 1.1, 0.6), strict=True))
LIMIT = 90.0
ROBOTS = {'left': (DUAL_ARM, LEFT), 'right': (HEAVY, RIGHT)}


def expected(urdf, joints):
    """C v + g by Pinocchio; joints that are not commanded rest."""
    model = pinocchio.buildModelFromXML(urdf)
    names = list(model.names)[1:]
    positions = np.array([Q[name] for name in names])
    rates = np.array([V[name] if name in joints else 0.0 for name in names])
    bias = pinocchio.nonLinearEffects(model, model.createData(), positions, rates)
    return np.array([bias[names.index(name)] for name in joints])


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
    """The torso, which neither commands, is part of what both compute."""
    executor = SingleThreadedExecutor(context=observer.context)
    executor.add_node(observer)
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    states = observer.create_publisher(JointState, '/joint_states', 10)
    # Names in an order that is neither the model's nor the groups'.
    names = sorted(Q)
    state = JointState(name=names, position=[Q[each] for each in names])
    state.velocity = [V[each] for each in names]

    def until(condition, what):
        wait_until(condition, what, LIMIT, lambda: executor.spin_once(timeout_sec=0.005))

    def configured(side):
        """Whether a node answers with its mass matrix."""
        client = observer.create_client(GetMassMatrix, f'/{side}/robot_dynamics/get_mass_matrix')
        until(client.service_is_ready, side)
        future = client.call_async(GetMassMatrix.Request(state=state))
        until(future.done, f'an answer of {side}')
        return future.result().success

    recordings = {}
    for side, (_, joints) in ROBOTS.items():
        topic, limits = f'/{side}/robot_dynamics/commands', [LIMITS[name] for name in joints]
        # Full torque may come in a tenth of a second.
        recordings[side] = Recording(observer, topic, limits, 10.0 * np.array(limits))
        until(lambda topic=topic: observer.count_publishers(topic), topic)
    until(lambda: states.get_subscription_count() == 2, 'both nodes')
    try:
        for side, (urdf, joints) in ROBOTS.items():
            assert not configured(side)
            publisher = observer.create_publisher(String, f'/{side}/robot_description', latched)
            publisher.publish(String(data=urdf))
            until(lambda side=side: configured(side), side)
            assert len(recordings[side]) == 0
            torque = expected(urdf, joints)

            def commanded(received=recordings[side], torque=torque):
                states.publish(state)
                return np.allclose(received.last, torque, 1e-9, 1e-9)

            until(commanded, f'torque of {side}')
        assert np.allclose(recordings['left'].last, expected(*ROBOTS['left']), 1e-9, 1e-9)
    finally:
        for recording in recordings.values():
            recording.stop()
        executor.shutdown()
    for recording in recordings.values():
        recording.check()
