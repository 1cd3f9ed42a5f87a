"""Two nodes as separate processes: one arm each, or one group each of a robot with two arms."""

from contextlib import contextmanager

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
PERIOD = 0.005


def expected(urdf, joints, q, v=None):
    """C v + g by Pinocchio; joints that are not commanded rest."""
    model = pinocchio.buildModelFromXML(urdf)
    names = list(model.names)[1:]
    rates = [v[name] if v and name in joints else 0.0 for name in names]
    positions = np.array([q[name] for name in names])
    bias = pinocchio.nonLinearEffects(model, model.createData(), positions, np.array(rates))
    return np.array([bias[names.index(name)] for name in joints])


class Observer:
    """Sends joint states, and records the commands of each node."""

    def __init__(self, context):
        self.node = rclpy.create_node('observer', context=context)
        self.executor = SingleThreadedExecutor(context=context)
        self.executor.add_node(self.node)
        self.commands = {}

    def listen(self, topic, joints):
        """Record the commands of these joints; full torque may come in a tenth of a second."""
        limits = np.array([LIMITS[name] for name in joints])
        self.commands[topic] = Recording(self.node, topic, limits, 10.0 * limits)
        self.until(lambda: self.node.count_publishers(topic), topic)

    def publisher(self, kind, topic, qos=10, count=1):
        publisher = self.node.create_publisher(kind, topic, qos)
        self.until(lambda: publisher.get_subscription_count() == count, topic)
        return publisher

    def until(self, condition, what, meanwhile=lambda: None):
        def spin():
            meanwhile()
            self.executor.spin_once(timeout_sec=PERIOD)

        wait_until(condition, what, LIMIT, spin)

    def until_commanded(self, topic, torque, meanwhile):
        """Until the last command is that torque, while something is published."""
        received = self.commands[topic]
        self.until(lambda: np.allclose(received.last, torque, 1e-9, 1e-9), topic, meanwhile)

    def configured(self, service):
        """Whether a node answers with its mass matrix."""
        client = self.node.create_client(GetMassMatrix, service)
        self.until(client.service_is_ready, service)
        state = JointState(name=list(Q), position=list(Q.values()))
        future = client.call_async(GetMassMatrix.Request(state=state))
        self.until(future.done, f'an answer of {service}')
        return future.result().success


@contextmanager
def nodes(folder, monkeypatch, started):
    """Processes with their remappings and parameters, by name, and an observer of them."""
    domain = free_domain()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    with Children(folder) as children:
        for name, (remappings, parameters) in started.items():
            children.start(name, 'robot_dynamics_ros.ros.node', parameters, remappings)
        context = rclpy.Context()
        rclpy.init(context=context, domain_id=domain)
        observer = Observer(context)
        try:
            yield observer
        finally:
            for recording in observer.commands.values():
                recording.stop()
            observer.executor.shutdown()
            observer.node.destroy_node()
            context.shutdown()
    for recording in observer.commands.values():
        recording.check()


def joint_state(q, v=None):
    """Names in an order that is neither the model's nor the groups'."""
    names = sorted(q)
    velocity = [v[name] if v else 0.0 for name in names]
    return JointState(name=names, position=[q[name] for name in names], velocity=velocity)


def test_arms_in_two_namespaces_hear_nothing_of_each_other(tmp_path, monkeypatch):
    arms = {'left': (DUAL_ARM, Q), 'right': (HEAVY, {name: -q for name, q in Q.items()})}
    joints = list(pinocchio.buildModelFromXML(DUAL_ARM).names)[1:]
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    started = {side: ([f'__ns:=/{side}'], {}) for side in arms}
    with nodes(tmp_path, monkeypatch, started) as observer:
        describe, states = {}, {}
        for side in arms:
            topic = f'/{side}/robot_description'
            describe[side] = observer.publisher(String, topic, latched)
        # One arm after the other gets its description, and then its states.
        service = '/{}/robot_dynamics/get_mass_matrix'
        for side, (urdf, _) in arms.items():
            assert not observer.configured(service.format(side))
            describe[side].publish(String(data=urdf))
            observer.until(lambda s=side: observer.configured(service.format(s)), side)
        commands = {side: f'/{side}/robot_dynamics/commands' for side in arms}
        for side, topic in commands.items():
            observer.listen(topic, joints)
            states[side] = observer.publisher(JointState, f'/{side}/joint_states')
        sent = []

        def send():
            for side in sent:
                states[side].publish(joint_state(arms[side][1]))

        for side, (urdf, q) in arms.items():
            assert len(observer.commands[commands[side]]) == 0
            sent.append(side)
            observer.until_commanded(commands[side], expected(urdf, joints, q), send)
        heard = observer.commands[commands['left']]
        before = len(heard)
        observer.until(lambda: len(heard) > before + 20, 'the left arm', send)
        left = expected(DUAL_ARM, joints, Q)
        for command in heard.commands[before:]:
            np.testing.assert_allclose(command, left, rtol=1e-9, atol=1e-9)


def test_two_groups_of_one_description_get_their_own_torques(tmp_path, monkeypatch):
    groups = {'left': LEFT, 'right': RIGHT}
    started = {
        side: ([f'__node:={side}'], {'robot_description': DUAL_ARM, 'joints': joints})
        for side, joints in groups.items()
    }
    with nodes(tmp_path, monkeypatch, started) as observer:
        for side, joints in groups.items():
            observer.listen(f'/{side}/commands', joints)
        publisher = observer.publisher(JointState, '/joint_states', count=2)
        q = dict(Q)

        def move_waist(goal):
            """One joint state, the waist on its way to the goal at the speed of a robot."""
            q['waist'] += np.clip(goal - q['waist'], -0.5 * PERIOD, 0.5 * PERIOD)
            publisher.publish(joint_state(q, V))

        bent, upright = (
            {side: expected(DUAL_ARM, joints, goal, V) for side, joints in groups.items()}
            for goal in (Q, {**Q, 'waist': 0.0})
        )
        for goal, torques in ((Q['waist'], bent), (0.0, upright)):
            for side, torque in torques.items():
                observer.until_commanded(f'/{side}/commands', torque, lambda w=goal: move_waist(w))
        # The torso, which neither group commands, is part of what both compute.
        for side in groups:
            assert np.abs(bent[side] - upright[side]).max() > 0.1
