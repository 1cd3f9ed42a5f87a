"""Jacobian, task-space inertia and forward dynamics over services."""

import numpy as np
import pytest
from matrices import matrix
from sensor_msgs.msg import JointState
from three_joints import JOINTS, URDF, state

from robot_dynamics_interfaces.srv import (
    ForwardDynamics,
    GetJacobian,
    GetMassMatrix,
    GetTaskSpaceInertia,
    InverseDynamics,
)

pytestmark = pytest.mark.contract

Q, V, A = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4], [1.0, 2.0, -3.0]
NODE = '/robot_dynamics'


def in_order_of(message, values):
    """Values of the joints, in the order of a message, which names others too."""
    return [values[JOINTS.index(name)] if name in JOINTS else 0.0 for name in message.name]


@pytest.mark.parametrize('joints', [JOINTS, ('wrist', 'turn')])
def test_forward_dynamics_undoes_inverse_dynamics(shared, joints):
    request = state(Q, V)
    observer = shared(*joints)
    inverse = observer.call(
        InverseDynamics,
        f'{NODE}/inverse_dynamics',
        state=request,
        acceleration=in_order_of(request, A),
    )
    torques = dict(zip(inverse.joint_names, inverse.effort, strict=True))
    forward = observer.call(
        ForwardDynamics,
        f'{NODE}/forward_dynamics',
        state=request,
        # That of a joint that is not commanded does not count.
        effort=[torques.get(name, 1e3) for name in request.name],
    )
    assert forward.success, forward.message
    assert tuple(forward.joint_names) == joints
    expected = [A[JOINTS.index(name)] for name in joints]
    np.testing.assert_allclose(forward.acceleration, expected, rtol=1e-11)


def test_the_latest_state_takes_efforts_in_the_order_of_the_joints(graph, dynamics):
    tau = [3.0, -5.0, 1.0]
    with graph(robot_description=URDF) as (_, observer):
        observer.answer_to(state(Q, V))
        response = observer.call(ForwardDynamics, f'{NODE}/forward_dynamics', effort=tau)
    np.testing.assert_allclose(
        response.acceleration, dynamics.forward_dynamics(Q, V, tau), rtol=1e-11
    )


def test_the_jacobian_is_how_the_frame_moves(shared, dynamics):
    """Central differences over h err by h^2 times the third derivative."""
    h = 1e-5
    observer = shared()
    response = observer.call(GetJacobian, f'{NODE}/get_jacobian', state=state(Q), frame='hand')
    again = observer.call(
        GetJacobian,
        f'{NODE}/get_jacobian',
        state=state(Q),
        frame='hand',
        axes='LOCAL_WORLD_ALIGNED',
    )
    assert response.success, response.message
    assert tuple(response.joint_names) == JOINTS
    J = matrix(response.jacobian)
    assert np.array_equal(J, matrix(again.jacobian))
    step = h * np.array(V)
    (ahead, there), (behind, here) = (
        dynamics.frame_pose(np.array(Q) + sign * step, 'hand') for sign in (1.0, -1.0)
    )
    turned = (ahead - behind) @ dynamics.frame_pose(Q, 'hand')[0].T / (2 * h)
    angular = [turned[2, 1], turned[0, 2], turned[1, 0]]
    np.testing.assert_allclose((J @ V)[:3], (there - here) / (2 * h), atol=1e-8)
    np.testing.assert_allclose((J @ V)[3:], angular, atol=1e-8)


@pytest.mark.parametrize('axes', ['LOCAL', 'WORLD', 'LOCAL_WORLD_ALIGNED'])
def test_jacobian_columns_are_those_of_the_commanded_joints(shared, dynamics, axes):
    observer = shared('wrist', 'turn')
    response = observer.call(
        GetJacobian, f'{NODE}/get_jacobian', state=state(Q), frame='hand', axes=axes
    )
    assert tuple(response.joint_names) == ('wrist', 'turn')
    expected = dynamics.jacobian(Q, 'hand', axes)[:, [2, 0]]
    assert np.array_equal(matrix(response.jacobian), expected)


@pytest.mark.parametrize(('joints', 'rows'), [(JOINTS, [2, 0, 3]), (('wrist', 'turn'), [4, 0])])
def test_task_space_inertia_is_that_of_the_other_services(shared, joints, rows):
    request = {'state': state(Q)}
    observer = shared(*joints)
    jacobian = observer.call(GetJacobian, f'{NODE}/get_jacobian', frame='hand', **request)
    mass = observer.call(GetMassMatrix, f'{NODE}/get_mass_matrix', **request)
    response = observer.call(
        GetTaskSpaceInertia,
        f'{NODE}/get_task_space_inertia',
        frame='hand',
        rows=rows,
        **request,
    )
    assert response.success, response.message
    assert not response.singular
    assert not response.message
    assert list(response.rows) == rows
    J, M = matrix(jacobian.jacobian)[rows], matrix(mass.mass_matrix)
    expected = np.linalg.inv(J @ np.linalg.inv(M) @ J.T)
    np.testing.assert_allclose(matrix(response.inertia), expected, rtol=1e-9)


def test_a_singular_task_is_answered_and_said_in_words(shared):
    observer = shared()
    response = observer.call(
        GetTaskSpaceInertia, f'{NODE}/get_task_space_inertia', state=state(Q), frame='hand'
    )
    assert response.success, response.message
    assert response.singular
    assert 'no motion' in response.message
    assert matrix(response.inertia).shape == (6, 6)
    assert np.isfinite(response.inertia.data).all()


BAD = [
    (ForwardDynamics, 'forward_dynamics', {'state': state(Q, V)}, 'effort is empty'),
    (
        ForwardDynamics,
        'forward_dynamics',
        {'state': state(Q, V), 'effort': [1.0]},
        'effort has 1 values',
    ),
    (
        ForwardDynamics,
        'forward_dynamics',
        {'state': state(Q, V), 'effort': [0.0, np.inf, 0.0, 0.0]},
        "effort of 'wrist' is inf",
    ),
    (
        ForwardDynamics,
        'forward_dynamics',
        {'state': JointState(name=list(JOINTS), position=Q), 'effort': [0.0] * 3},
        'velocity is empty',
    ),
    (GetJacobian, 'get_jacobian', {'state': state(Q), 'frame': 'tool'}, "frame 'tool'"),
    (GetJacobian, 'get_jacobian', {'state': state(Q)}, "frame ''"),
    (
        GetJacobian,
        'get_jacobian',
        {'state': state(Q), 'frame': 'hand', 'axes': 'local'},
        'allowed are LOCAL, WORLD, LOCAL_WORLD_ALIGNED',
    ),
    (GetJacobian, 'get_jacobian', {'frame': 'hand'}, 'joint_states'),
    (
        GetTaskSpaceInertia,
        'get_task_space_inertia',
        {'state': state(Q), 'frame': 'hand', 'rows': [0, 0]},
        'of 0 to 5',
    ),
    (
        GetTaskSpaceInertia,
        'get_task_space_inertia',
        {'state': state(Q), 'frame': 'hand', 'rows': [6]},
        'of 0 to 5',
    ),
]


@pytest.mark.parametrize(('service', 'name', 'fields', 'reason'), BAD)
def test_bad_requests_are_answered_with_the_reason(shared, service, name, fields, reason):
    assert reason in shared().refusal(service, name, **fields)
