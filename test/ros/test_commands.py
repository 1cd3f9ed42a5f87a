"""Joint states in, torques out."""

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from rclpy.parameter import Parameter
from references import follow, point, trajectory
from three_joints import JOINTS, URDF, state
from trajectory_msgs.msg import JointTrajectory

pytestmark = pytest.mark.contract

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
QR, VR, AR = [0.2, -0.1, 0.6], [1.0, 0.3, -0.8], [2.0, -1.0, 3.0]

# Both sides call the same compiled code: what differs is the order of a sum of three terms.
SAME = {'rtol': 1e-13, 'atol': 1e-12}


def test_without_reference_the_bias_at_the_measured_state(graph, dynamics):
    with graph(robot_description=URDF) as (_, observer):
        command, torques = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), **SAME)
    assert list(torques.joint_names) == list(JOINTS)
    np.testing.assert_allclose(torques.gravity, dynamics.gravity_torque(Q), **SAME)
    np.testing.assert_allclose(torques.coriolis, dynamics.coriolis_matrix(Q, V) @ V, **SAME)
    assert not np.any(torques.inertial)


def test_torques_say_what_was_commanded_and_for_which_state(graph):
    with graph(robot_description=URDF) as (_, observer):
        message = state(Q, V)
        message.header.stamp = Time(sec=7, nanosec=11)
        command, torques = observer.answer_to(message)
    assert list(torques.effort) == list(command.data)
    assert torques.header.stamp == message.header.stamp
    assert torques.header.frame_id == 'base'


@pytest.mark.parametrize('terms', [['gravity'], ['coriolis'], ['inertial', 'gravity'], []])
def test_terms_choose_the_parts(graph, terms):
    with graph(robot_description=URDF, terms=terms or ['']) as (node, observer):
        follow(node, observer, trajectory(point(QR, VR, AR)))
        command, torques = observer.answer_to(state(Q, V))
    parts = [getattr(torques, term) for term in terms]
    np.testing.assert_allclose(command.data, np.sum(parts, axis=0) if parts else 0.0, **SAME)
    assert np.all(np.array(torques.inertial) != 0.0)


def test_feedforward_is_evaluated_at_the_reference(graph, dynamics):
    with graph(robot_description=URDF) as (node, observer):
        follow(node, observer, trajectory(point(QR, VR, AR)))
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.inverse_dynamics(QR, VR, AR), **SAME)


def test_feedforward_is_evaluated_at_the_state_if_asked(graph, dynamics):
    with graph(robot_description=URDF, evaluate_at='state') as (node, observer):
        follow(node, observer, trajectory(point(QR, VR, AR)))
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.inverse_dynamics(Q, V, AR), **SAME)


def test_a_reference_is_matched_by_name(graph, dynamics):
    with graph(robot_description=URDF) as (node, observer):
        reversed_point = point(QR[::-1], VR[::-1], AR[::-1])
        follow(node, observer, trajectory(reversed_point, names=JOINTS[::-1]))
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.inverse_dynamics(QR, VR, AR), **SAME)


def test_several_points_are_followed_in_time(graph, dynamics):
    """Along a straight line at constant speed, the command tells where the reference is."""
    speed, seconds = np.array([0.2, 0.05, -0.3]), 2.0
    with graph(robot_description=URDF, terms=['gravity']) as (node, observer):
        end = QR + speed * seconds
        follow(node, observer, trajectory(point(QR), point(end, seconds=seconds)))
        seen = []
        observer.until(
            lambda: (
                seen.append(observer.answer_to(state(Q, V))[0].data)
                or np.allclose(seen[-1], dynamics.gravity_torque(end), **SAME)
            ),
            'the end of the trajectory',
        )
    path = [dynamics.gravity_torque(QR + speed * t) for t in np.linspace(0.0, seconds, 2001)]
    nearest = [np.abs(np.array(path) - command).max(axis=1) for command in seen]
    # One millisecond along the path changes the torque by less than this.
    step = np.abs(np.diff(path, axis=0)).max()
    assert max(distances.min() for distances in nearest) <= step
    times = [distances.argmin() for distances in nearest]
    assert times == sorted(times)
    assert len(set(times)) > 10


def test_an_empty_trajectory_ends_the_reference(graph, dynamics):
    with graph(robot_description=URDF) as (node, observer):
        follow(node, observer, trajectory(point(QR, VR, AR)))
        follow(node, observer, JointTrajectory())
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), **SAME)


def test_joints_choose_and_order_what_is_commanded(graph, dynamics):
    """The others count with their measured position, at rest."""
    with graph(robot_description=URDF, joints=['wrist', 'turn']) as (_, observer):
        command, torques = observer.answer_to(state(Q, V))
    resting = [V[0], 0.0, V[2]]
    tau = dynamics.bias_torque(Q, resting)
    np.testing.assert_allclose(command.data, [tau[2], tau[0]], **SAME)
    assert list(torques.joint_names) == ['wrist', 'turn']


def test_gravity_and_terms_change_while_running(graph, dynamics):
    with graph(robot_description=URDF) as (node, observer):
        observer.answer_to(state(Q, V))
        results = node.set_parameters(
            [Parameter('gravity', value=[0.0, 0.0, 9.81]), Parameter('terms', value=['gravity'])]
        )
        assert all(result.successful for result in results)
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, -dynamics.gravity_torque(Q), **SAME)


def test_gravity_compensation_needs_no_velocity(graph, dynamics):
    message = state(Q)
    message.velocity = []
    with graph(robot_description=URDF, terms=['gravity']) as (_, observer):
        command, _ = observer.answer_to(message)
    np.testing.assert_allclose(command.data, dynamics.gravity_torque(Q), **SAME)


def test_a_namespace_moves_everything(graph):
    with graph(robot_description=URDF) as (node, _):
        names = [name for name, _ in node.get_topic_names_and_types()]
    own = {'/robot_dynamics/commands', '/robot_dynamics/torques', '/robot_dynamics/reference'}
    assert own | {'/joint_states', '/robot_description'} <= set(names)
    with graph(robot_description=URDF, namespace='/arm') as (node, _):
        moved = {name for name, _ in node.get_topic_names_and_types()}
    assert {f'/arm{name}' for name in own} <= moved
    assert {'/arm/joint_states', '/arm/robot_description'} <= moved
