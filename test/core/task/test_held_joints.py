"""Forward dynamics of some joints while the others are held."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import example
from mechanics.robots import POINT_ON_AXIS

from robot_dynamics_ros.core import (
    RobotDynamics,
    SingularMassMatrixError,
    StateError,
    UnknownNameError,
    parse_urdf,
)

pytestmark = pytest.mark.contract

XARM7 = example('xarm_description/urdf/xarm7.urdf')
NAMES = XARM7.model.joint_names
Q = np.array([0.2, 0.5, -0.4, 1.3, 0.6, 0.9, -0.2])
V, A = np.linspace(-1.0, 0.8, 7), np.linspace(2.0, -1.5, 7)
MOVING = [4, 0, 3]


def test_with_no_joint_held_it_is_forward_dynamics():
    tau = np.linspace(-20.0, 30.0, 7)
    a = XARM7.native.forward_dynamics_holding(NAMES, Q, V, tau)
    assert_close(a, XARM7.native.forward_dynamics(Q, V, tau), scale=1e3 * np.abs(a).max())


def test_it_undoes_inverse_dynamics_of_the_joints_that_move():
    joints = [NAMES[index] for index in MOVING]
    v, a = np.zeros(7), np.zeros(7)
    v[MOVING], a[MOVING] = V[MOVING], A[MOVING]
    tau = XARM7.native.inverse_dynamics(Q, v, a)[MOVING]
    answer = XARM7.native.forward_dynamics_holding(joints, Q, V[MOVING], tau)
    assert_close(answer, A[MOVING], scale=1e3)


def test_it_is_forward_dynamics_of_the_reduced_robot():
    kept = sorted(MOVING)
    joints = [NAMES[index] for index in kept]
    locked = {name: Q[index] for index, name in enumerate(NAMES) if index not in kept}
    reduced = RobotDynamics(XARM7.model.reduced(joints, locked))
    tau = np.array([3.0, -5.0, 1.0])
    answer = XARM7.native.forward_dynamics_holding(joints, Q, V[kept], tau)
    expected = reduced.forward_dynamics(Q[kept], V[kept], tau)
    assert_close(answer, expected, scale=1e3 * np.abs(expected).max())


@pytest.mark.parametrize('q', [[0.4, 0.7], [0.0, 2.0]])
def test_a_point_mass_on_the_axis_of_its_joint_is_refused(q):
    """What rounding leaves of its inertia, some 1e-17 kg m^2, is no light joint."""
    dynamics = RobotDynamics(parse_urdf(POINT_ON_AXIS))
    assert 0.0 < abs(dynamics.mass_matrix(q)[1, 1]) < 1e-15
    with pytest.raises(SingularMassMatrixError, match=r'spindle.*no mass'):
        dynamics.forward_dynamics_holding(['spindle'], q, [0.0], [1.0])
    assert dynamics.task_inertia(q, 'tool').massless
    assert not dynamics.task_inertia(q, 'tool', joints=['shoulder']).massless


@pytest.mark.parametrize(
    ('joints', 'tau', 'error', 'reason'),
    [
        (NAMES[:2], [1.0], StateError, 'tau has 1 values'),
        (NAMES[:2], [1.0, np.inf], StateError, f"tau is inf at '{NAMES[1]}'"),
        (['gripper', NAMES[0]], [1.0, 2.0], UnknownNameError, "unknown joint 'gripper'"),
    ],
)
def test_bad_arguments_are_named(joints, tau, error, reason):
    with pytest.raises(error, match=reason):
        XARM7.native.forward_dynamics_holding(joints, Q, [0.0, 0.0], tau)
