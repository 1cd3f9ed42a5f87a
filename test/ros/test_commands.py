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


def test_without_reference_the_bias_at_the_measured_state(shared, dynamics):
    message = state(Q, V)
    message.header.stamp = Time(sec=7, nanosec=11)
    command, torques = shared().answer_to(message)
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), **SAME)
    assert list(torques.joint_names) == list(JOINTS)
    np.testing.assert_allclose(torques.gravity, dynamics.gravity_torque(Q), **SAME)
    np.testing.assert_allclose(torques.coriolis, dynamics.coriolis_matrix(Q, V) @ V, **SAME)
    assert not np.any(torques.inertial)
    assert list(torques.effort) == list(command.data)
    assert torques.header.stamp == message.header.stamp
    assert torques.header.frame_id == 'base'


@pytest.mark.parametrize('begun', [['gravity'], ['']])
def test_terms_choose_the_parts_from_the_start_and_live(graph, begun):
    with graph(robot_description=URDF, terms=begun) as (node, observer):
        follow(node, observer, trajectory(point(QR, VR, AR)))
        for terms in (begun, ['coriolis'], ['inertial', 'gravity'], []):
            if terms is not begun:
                changed = Parameter('terms', Parameter.Type.STRING_ARRAY, terms)
                assert node.set_parameters([changed])[0].successful
            command, torques = observer.answer_to(state(Q, V))
            parts = [getattr(torques, term) for term in terms if term]
            expected = np.sum(parts, axis=0) if parts else 0.0
            np.testing.assert_allclose(command.data, expected, **SAME)
            assert np.all(np.array(torques.inertial) != 0.0)


def test_feedforward_is_evaluated_at_the_reference_which_is_matched_by_name(graph, dynamics):
    """Until an empty trajectory ends it."""
    reversed_point = point(QR[::-1], VR[::-1], AR[::-1])
    references = {
        'in order': (trajectory(point(QR, VR, AR)), dynamics.inverse_dynamics(QR, VR, AR)),
        'ended': (JointTrajectory(), dynamics.bias_torque(Q, V)),
        'reversed': (
            trajectory(reversed_point, names=JOINTS[::-1]),
            dynamics.inverse_dynamics(QR, VR, AR),
        ),
    }
    with graph(robot_description=URDF) as (node, observer):
        for name, (message, expected) in references.items():
            follow(node, observer, message)
            command, _ = observer.answer_to(state(Q, V))
            np.testing.assert_allclose(command.data, expected, **SAME, err_msg=name)


def test_feedforward_is_evaluated_at_the_state_if_asked(graph, dynamics):
    with graph(robot_description=URDF, evaluate_at='state') as (node, observer):
        follow(node, observer, trajectory(point(QR, VR, AR)))
        command, _ = observer.answer_to(state(Q, V))
    np.testing.assert_allclose(command.data, dynamics.inverse_dynamics(Q, V, AR), **SAME)


def test_joints_choose_and_order_what_is_commanded(graph, dynamics):
    """The others count with their measured position, at rest."""
    with graph(robot_description=URDF, joints=['wrist', 'turn']) as (_, observer):
        command, torques = observer.answer_to(state(Q, V))
    resting = [V[0], 0.0, V[2]]
    tau = dynamics.bias_torque(Q, resting)
    np.testing.assert_allclose(command.data, [tau[2], tau[0]], **SAME)
    assert list(torques.joint_names) == ['wrist', 'turn']


def test_gravity_changes_while_running_and_its_compensation_needs_no_velocity(graph, dynamics):
    message = state(Q)
    message.velocity = []
    with graph(robot_description=URDF, terms=['gravity']) as (node, observer):
        command, _ = observer.answer_to(message)
        np.testing.assert_allclose(command.data, dynamics.gravity_torque(Q), **SAME)
        (result,) = node.set_parameters([Parameter('gravity', value=[0.0, 0.0, 9.81])])
        assert result.successful
        command, _ = observer.answer_to(message)
    np.testing.assert_allclose(command.data, -dynamics.gravity_torque(Q), **SAME)


def test_a_namespace_moves_everything(graph):
    with graph(robot_description=URDF) as (node, _):
        names = [name for name, _ in node.get_topic_names_and_types()]
    own = {'/robot_dynamics/commands', '/robot_dynamics/torques', '/robot_dynamics/reference'}
    assert own | {'/joint_states', '/robot_description'} <= set(names)
    with graph(robot_description=URDF, namespace='/arm') as (node, _):
        moved = {name for name, _ in node.get_topic_names_and_types()}
    assert {f'/arm{name}' for name in own} <= moved
    assert {'/arm/joint_states', '/arm/robot_description'} <= moved
