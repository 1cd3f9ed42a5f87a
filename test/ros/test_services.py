"""The services answer for any named state, in the order of `joints`; each has its type and row."""

import re
from pathlib import Path

import numpy as np
import pytest
from sensor_msgs.msg import JointState
from three_joints import JOINTS, URDF, state

from robot_dynamics_interfaces import srv
from robot_dynamics_interfaces.srv import (
    CrossCheck,
    ForwardDynamics,
    GetCoriolisMatrix,
    GetGravity,
    GetJacobian,
    GetMassMatrix,
    GetTaskSpaceInertia,
    InverseDynamics,
)

pytestmark = pytest.mark.contract

ROOT = Path(__file__).resolve().parents[2]
COMPARED = {*('inverse_dynamics', 'gravity_torque', 'bias_torque', 'torque_terms'),
            *('mass_matrix', 'coriolis_matrix')}  # fmt: skip
Q, V, A = [0.3, 0.1, -0.7], [0.5, -0.2, 0.4], [1.0, 2.0, -3.0]


def matrix(message):
    rows, columns = message.layout.dim
    assert (rows.label, columns.label) == ('row', 'column')
    assert rows.stride == rows.size * columns.size
    assert columns.stride == columns.size
    return np.array(message.data).reshape(rows.size, columns.size)


def equal(answered, computed):
    """But for rounding: the programs of the node have the payload as an input."""
    return np.allclose(answered, computed, rtol=1e-13, atol=1e-13)


def in_order_of(message, values):
    """Values of the joints, in the order of a message, which names others too."""
    return [values[JOINTS.index(name)] if name in JOINTS else 0.0 for name in message.name]


@pytest.mark.parametrize('joints', [JOINTS, ('wrist', 'turn')])
def test_matrices_and_vectors_of_a_named_state(shared, dynamics, joints):
    """Joints that are not commanded rest."""
    observer, request = shared(*joints), state(Q, V)
    chosen = [JOINTS.index(name) for name in joints]
    v, a = np.zeros(3), np.zeros(3)
    v[chosen], a[chosen] = np.array(V)[chosen], np.array(A)[chosen]
    mass = observer.call(GetMassMatrix, 'get_mass_matrix', state=request)
    coriolis = observer.call(GetCoriolisMatrix, 'get_coriolis_matrix', state=request)
    gravity = observer.call(GetGravity, 'get_gravity', state=request)
    given = in_order_of(request, a)
    inverse = observer.call(InverseDynamics, 'inverse_dynamics', state=request, acceleration=given)
    for response in (mass, coriolis, gravity, inverse):
        assert response.success, response.message
        assert tuple(response.joint_names) == joints
    both = np.ix_(chosen, chosen)
    assert equal(matrix(mass.mass_matrix), dynamics.mass_matrix(Q)[both])
    assert equal(matrix(coriolis.coriolis_matrix), dynamics.coriolis_matrix(Q, v)[both])
    assert equal(gravity.effort, dynamics.gravity_torque(Q)[chosen])
    assert equal(inverse.effort, dynamics.inverse_dynamics(Q, v, a)[chosen])
    # That of a joint that is not commanded does not count.
    torques = dict(zip(joints, inverse.effort, strict=True))
    effort = [torques.get(name, 1e3) for name in request.name]
    forward = observer.call(ForwardDynamics, 'forward_dynamics', state=request, effort=effort)
    assert tuple(forward.joint_names) == joints
    np.testing.assert_allclose(forward.acceleration, a[chosen], rtol=1e-11)


def test_an_empty_request_asks_for_the_latest_state(shared, dynamics):
    """Values of the joints are then in the order of `joints`."""
    observer = shared()
    observer.answer_to(state(Q, V))
    response = observer.call(GetMassMatrix, 'get_mass_matrix')
    inverse = observer.call(InverseDynamics, 'inverse_dynamics', acceleration=A)
    forward = observer.call(ForwardDynamics, 'forward_dynamics', effort=inverse.effort)
    assert equal(matrix(response.mass_matrix), dynamics.mass_matrix(Q))
    assert equal(inverse.effort, dynamics.inverse_dynamics(Q, V, A))
    np.testing.assert_allclose(forward.acceleration, A, rtol=1e-11)


@pytest.mark.parametrize('axes', ['LOCAL', 'WORLD', ''])
def test_jacobian_columns_are_those_of_the_commanded_joints(shared, dynamics, axes):
    response = shared('wrist', 'turn').call(
        GetJacobian, 'get_jacobian', state=state(Q), frame='hand', axes=axes
    )
    assert tuple(response.joint_names) == ('wrist', 'turn')
    expected = dynamics.jacobian(Q, 'hand', axes or 'LOCAL_WORLD_ALIGNED')[:, [2, 0]]
    assert np.array_equal(matrix(response.jacobian), expected)


@pytest.mark.parametrize(('joints', 'rows'), [(JOINTS, [2, 0, 3]), (('wrist', 'turn'), [4, 0])])
def test_task_space_inertia_is_that_of_the_other_services(shared, joints, rows):
    request, observer = {'state': state(Q)}, shared(*joints)
    jacobian = observer.call(GetJacobian, 'get_jacobian', frame='hand', **request)
    mass = observer.call(GetMassMatrix, 'get_mass_matrix', **request)
    task = GetTaskSpaceInertia, 'get_task_space_inertia'
    response = observer.call(*task, frame='hand', rows=rows, **request)
    assert response.success, response.message
    assert (response.singular, response.message) == (False, '')
    assert list(response.rows) == rows
    J, M = matrix(jacobian.jacobian)[rows], matrix(mass.mass_matrix)
    expected = np.linalg.inv(J @ np.linalg.inv(M) @ J.T)
    np.testing.assert_allclose(matrix(response.inertia), expected, rtol=1e-9)
    # A singular one is answered too.
    response = observer.call(*task, frame='hand', **request)
    assert response.success
    assert response.singular
    assert response.message
    assert matrix(response.inertia).shape == (6, 6)
    assert np.isfinite(response.inertia.data).all()


def test_cross_check_reports_every_quantity(shared):
    for fields in ({}, {'samples': 3}, {'state': state(Q, V)}):
        response = shared().call(CrossCheck, 'cross_check', **fields)
        assert response.success, response.message
        assert set(response.quantity) == COMPARED
        assert max(response.worst_relative) <= response.tolerance


AT = {'state': state(Q, V)}
MOTIONLESS = {'state': JointState(name=list(JOINTS), position=Q)}
BAD = [
    (GetMassMatrix, {'state': state(Q[:2], names=JOINTS[:2])}, 'wrist'),
    (GetMassMatrix, {'state': JointState(position=Q)}, 'name is empty'),
    (GetCoriolisMatrix, MOTIONLESS, 'velocity'),
    (InverseDynamics, AT | {'acceleration': [1.0]}, 'acceleration'),
    (GetGravity, {'state': state([0.0, np.nan, 0.0])}, "'slide' is nan"),
    (GetGravity, {'state': state([1.5e308] * 3)}, 'finite'),
    (GetGravity, {'state': JointState(name=JOINTS)}, 'position'),
    (CrossCheck, {'samples': 4_000_000_000}, '4000000000'),
    (ForwardDynamics, AT, 'effort'),
    (ForwardDynamics, AT | {'effort': [0.0, np.inf, 0.0, 0.0]}, "inf at 'wrist'"),
    (ForwardDynamics, MOTIONLESS | {'effort': [0.0] * 3}, 'velocity'),
    (GetJacobian, AT | {'frame': 'tool'}, "'tool'"),
    (GetJacobian, AT, "''"),
    (GetJacobian, AT | {'frame': 'hand', 'axes': 'local'}, 'LOCAL_WORLD_ALIGNED'),
    (GetTaskSpaceInertia, AT | {'frame': 'hand', 'rows': [0, 0]}, '0'),
    (GetTaskSpaceInertia, AT | {'frame': 'hand', 'rows': [6]}, '6'),
]


@pytest.mark.parametrize(('service', 'fields', 'named'), BAD)
def test_bad_requests_are_answered_with_the_reason(shared, service, fields, named):
    name = re.sub(r'(?<!^)(?=[A-Z])', '_', service.__name__).lower()
    assert named in shared().refusal(service, name, **fields)


def test_every_type_is_offered_once_and_the_documents_name_every_service(graph):
    with graph(start=False, robot_description=URDF) as (node, observer):
        services = {
            f'~/{each.srv_name.rpartition("/")[2]}': each.srv_type
            for each in node.services
            # Not those of every lifecycle node.
            if each.srv_type.__module__.startswith(('robot_dynamics', 'std_srvs'))
        }
        for service, name in ((GetMassMatrix, 'get_mass_matrix'), (CrossCheck, 'cross_check')):
            assert 'not configured' in observer.refusal(service, name)
        node.start()
        assert 'joint state' in observer.refusal(GetMassMatrix, 'get_mass_matrix')
    kinds = [kind for kind in services.values() if kind.__module__.startswith('robot_dynamics')]
    assert len(kinds) == len(set(kinds))
    types = {name for name, kind in vars(srv).items() if hasattr(kind, 'Request')}
    assert {kind.__name__ for kind in kinds} == types
    table = (ROOT / 'docs/interfaces.md').read_text()
    table = table.partition('\n## Services\n')[2].partition('\n## ')[0]
    assert set(re.findall(r'^\| `(~/\w+)`', table, re.MULTILINE)) <= set(services)
    assert set(re.findall(r'`(~/\w+)`', table)) >= set(services)
