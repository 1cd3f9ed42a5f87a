"""The services answer for any named state, in the order of `joints`."""

import numpy as np
import pytest
from compared import QUANTITIES
from matrices import matrix
from sensor_msgs.msg import JointState
from three_joints import JOINTS, URDF, state

from robot_dynamics_interfaces.srv import (
    CrossCheck,
    GetCoriolisMatrix,
    GetGravity,
    GetMassMatrix,
    InverseDynamics,
)

pytestmark = pytest.mark.contract

Q, V, A = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4], [1.0, 2.0, -3.0]


def equal(answered, computed):
    """But for rounding: the programs of the node have the payload as an input."""
    return np.allclose(answered, computed, rtol=1e-13, atol=1e-13)


def test_matrices_and_vectors_of_a_named_state(shared, dynamics):
    observer, request = shared(), state(Q, V)
    mass = observer.call(GetMassMatrix, '/robot_dynamics/get_mass_matrix', state=request)
    coriolis = observer.call(
        GetCoriolisMatrix, '/robot_dynamics/get_coriolis_matrix', state=request
    )
    gravity = observer.call(GetGravity, '/robot_dynamics/get_gravity', state=request)
    # The accelerations stand in the order of the names of the state.
    a = [A[JOINTS.index(name)] if name in JOINTS else 0.0 for name in request.name]
    inverse = observer.call(
        InverseDynamics, '/robot_dynamics/inverse_dynamics', state=request, acceleration=a
    )
    for response in (mass, coriolis, gravity, inverse):
        assert response.success, response.message
        assert tuple(response.joint_names) == JOINTS
    assert equal(matrix(mass.mass_matrix), dynamics.mass_matrix(Q))
    assert equal(matrix(coriolis.coriolis_matrix), dynamics.coriolis_matrix(Q, V))
    assert equal(gravity.effort, dynamics.gravity_torque(Q))
    assert equal(inverse.effort, dynamics.inverse_dynamics(Q, V, A))


def test_an_empty_request_asks_for_the_latest_state(graph, dynamics):
    with graph(robot_description=URDF) as (_, observer):
        name = '/robot_dynamics/get_mass_matrix'
        early = observer.call(GetMassMatrix, name)
        assert not early.success
        assert 'joint state' in early.message
        observer.answer_to(state(Q, V))
        response = observer.call(GetMassMatrix, name)
        inverse = observer.call(
            InverseDynamics, '/robot_dynamics/inverse_dynamics', acceleration=A
        )
    assert equal(matrix(response.mass_matrix), dynamics.mass_matrix(Q))
    assert equal(inverse.effort, dynamics.inverse_dynamics(Q, V, A))


def test_only_the_commanded_joints_appear_and_the_others_rest(graph, dynamics):
    with graph(robot_description=URDF, joints=['wrist', 'turn']) as (_, observer):
        mass = observer.call(GetMassMatrix, '/robot_dynamics/get_mass_matrix', state=state(Q, V))
        coriolis = observer.call(
            GetCoriolisMatrix, '/robot_dynamics/get_coriolis_matrix', state=state(Q, V)
        )
    chosen = np.ix_([2, 0], [2, 0])
    assert tuple(mass.joint_names) == ('wrist', 'turn')
    assert equal(matrix(mass.mass_matrix), dynamics.mass_matrix(Q)[chosen])
    expected = dynamics.coriolis_matrix(Q, [V[0], 0.0, V[2]])[chosen]
    assert equal(matrix(coriolis.coriolis_matrix), expected)


BAD = [
    (GetMassMatrix, 'get_mass_matrix', {'state': state(Q[:2], names=JOINTS[:2])}, 'wrist'),
    (
        GetMassMatrix,
        'get_mass_matrix',
        {'state': JointState(position=Q)},
        'position but no name',
    ),
    (
        GetCoriolisMatrix,
        'get_coriolis_matrix',
        {'state': JointState(name=list(JOINTS), position=Q)},
        'velocity is empty',
    ),
    (
        InverseDynamics,
        'inverse_dynamics',
        {'state': state(Q, V), 'acceleration': [1.0]},
        'acceleration has 1 values',
    ),
    (GetGravity, 'get_gravity', {'state': state([0.0, np.nan, 0.0])}, "'slide' is nan"),
    (GetGravity, 'get_gravity', {'state': state([1.5e308] * 3)}, 'no finite value'),
    (GetGravity, 'get_gravity', {'state': JointState(effort=V)}, 'effort but no name'),
    (GetGravity, 'get_gravity', {'state': JointState(name=JOINTS)}, '3 joints'),
    (CrossCheck, 'cross_check', {'state': JointState(position=Q)}, 'position but no name'),
    (CrossCheck, 'cross_check', {'samples': 4_000_000_000}, 'samples is 4000000000'),
    (CrossCheck, 'cross_check', {'state': state([1e308] * 3)}, 'no finite value'),
    (GetGravity, 'get_gravity', {'state': JointState(velocity=V)}, 'velocity but no name'),
]


@pytest.mark.parametrize(('service', 'name', 'fields', 'reason'), BAD)
def test_bad_requests_are_answered_with_the_reason(shared, service, name, fields, reason):
    assert reason in shared().refusal(service, name, **fields)


def test_cross_check_reports_every_quantity(shared):
    for fields in ({}, {'samples': 3}, {'state': state(Q, V)}):
        response = shared().call(CrossCheck, '/robot_dynamics/cross_check', **fields)
        assert response.success, response.message
        assert set(response.quantity) == set(QUANTITIES)
        assert max(response.worst_relative) <= response.tolerance
        states = fields.get('samples', 100) if 'state' not in fields else 1
        assert f'on {states} state{"s" if states > 1 else ""}:' in response.message


def test_without_a_robot_services_say_so(graph):
    with graph(start=False) as (_, observer):
        for service, name in (
            (GetMassMatrix, 'get_mass_matrix'),
            (CrossCheck, 'cross_check'),
            (InverseDynamics, 'inverse_dynamics'),
        ):
            assert 'not configured' in observer.refusal(service, name)
