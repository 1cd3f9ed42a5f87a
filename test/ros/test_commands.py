"""Joint states in, torques out."""

import numpy as np
import pytest
from references import point, trajectory
from three_joints import JOINTS, state
from trajectory_msgs.msg import JointTrajectory

pytestmark = pytest.mark.contract

Q, V = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4]
QR, VR, AR = [0.2, -0.1, 0.6], [1.0, 0.3, -0.8], [2.0, -1.0, 3.0]

# Both sides call the same compiled code: what differs is the order of a sum of three terms.
SAME = {'rtol': 1e-13, 'atol': 1e-12}


def test_without_reference_the_bias_at_the_measured_state(shared, dynamics):
    message = state(Q, V)
    command, torques = shared().answer_to(message)
    np.testing.assert_allclose(command.data, dynamics.bias_torque(Q, V), **SAME)
    assert list(torques.joint_names) == list(JOINTS)
    np.testing.assert_allclose(torques.gravity, dynamics.gravity_torque(Q), **SAME)
    np.testing.assert_allclose(torques.coriolis, dynamics.coriolis_matrix(Q, V) @ V, **SAME)
    assert not np.any(torques.inertial)
    assert list(torques.effort) == list(command.data)
    assert torques.header.stamp == message.header.stamp
    assert torques.header.frame_id == 'base'


def test_terms_choose_the_parts(lent):
    lent.follow(trajectory(point(QR, VR, AR)))
    for terms in (['gravity'], ['coriolis'], ['inertial', 'gravity'], []):
        lent.set(terms=terms)
        command, torques = lent.answer_to(state(Q, V))
        parts = [getattr(torques, term) for term in terms]
        expected = np.sum(parts, axis=0) if parts else 0.0
        np.testing.assert_allclose(command.data, expected, **SAME)
        assert np.all(np.array(torques.inertial) != 0.0)


def test_feedforward_is_evaluated_at_the_reference_which_is_matched_by_name(lent, dynamics):
    """Until an empty trajectory ends it; at the state if asked."""
    reversed_point = point(QR[::-1], VR[::-1], AR[::-1])
    expected = dynamics.inverse_dynamics(QR, VR, AR)
    references = {
        'in order': (trajectory(point(QR, VR, AR)), expected),
        'ended': (JointTrajectory(), dynamics.bias_torque(Q, V)),
        'reversed': (trajectory(reversed_point, names=JOINTS[::-1]), expected),
    }
    for name, (message, torque) in references.items():
        lent.follow(message)
        command, _ = lent.answer_to(state(Q, V))
        np.testing.assert_allclose(command.data, torque, **SAME, err_msg=name)


def test_joints_choose_and_order_what_is_commanded(shared, dynamics):
    """The others count with their measured position, at rest."""
    command, torques = shared('wrist', 'turn').answer_to(state(Q, V))
    tau = dynamics.bias_torque(Q, [V[0], 0.0, V[2]])
    np.testing.assert_allclose(command.data, [tau[2], tau[0]], **SAME)
    assert list(torques.joint_names) == ['wrist', 'turn']


def test_gravity_changes_while_running_and_its_compensation_needs_no_velocity(lent, dynamics):
    message = state(Q)
    message.velocity = []
    lent.set(terms=['gravity'])
    for sign in (1.0, -1.0):
        lent.set(gravity=[0.0, 0.0, -9.81 * sign])
        command, _ = lent.answer_to(message)
        np.testing.assert_allclose(command.data, sign * dynamics.gravity_torque(Q), **SAME)
