"""Mass matrices that are singular, or nearly so: refused, by the joint's name."""

import math
from functools import partial

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.planar_arms import POINT_AT_TIP
from mechanics.robots import POINT_ON_AXIS, hand_written

from robot_dynamics_ros.core import RobotDynamics, SingularMassMatrixError, parse_urdf
from robot_dynamics_ros.core.algorithms import crba, forward_dynamics

ZERO = np.zeros(2)
CASES = [(POINT_AT_TIP, q, 'joint1') for q in (0.0, math.pi, -2.0 * math.pi, 1e-9)]
CASES += [(POINT_ON_AXIS, 0.7, 'spindle')]


@pytest.mark.parametrize('quantity', ['forward_dynamics', 'mass_matrix_inverse'])
@pytest.mark.parametrize(('urdf', 'elbow', 'joint'), CASES)
def test_a_singular_mass_matrix_is_refused(backend, urdf, elbow, joint, quantity):
    """Called, called with `out`, and bound; nothing is written. On plain floats, too."""
    dynamics = RobotDynamics(parse_urdf(urdf), backend=backend)
    q = np.array([0.4, elbow])
    inputs = (q, ZERO, np.ones(2)) if quantity == 'forward_dynamics' else (q,)
    shape = (2,) if quantity == 'forward_dynamics' else (2, 2)
    out = np.full(shape, 7.0)
    method, step = getattr(dynamics, quantity), dynamics.bind(quantity, *inputs, out=out)
    floats = (dynamics.model, q.tolist(), [0.0] * 2, [0.0] * 2, (0.0, 0.0, 0.0))
    for refused in (
        lambda: method(*inputs),
        lambda: method(*inputs, out=out),
        step,
        lambda: forward_dynamics.forward_dynamics(*floats),
        lambda: crba.mass_matrix_inverse(*floats[:2]),
    ):
        with pytest.raises(SingularMassMatrixError, match=f"joint '{joint}'"):
            refused()
        assert (out == 7.0).all()


@pytest.mark.contract
@pytest.mark.parametrize('text', [POINT_AT_TIP, hand_written('massless_tip').text])
def test_it_is_one_error_for_all_that_needs_the_inverse(backend, text):
    """At one position, or at any; of one state, or of a batch."""
    dynamics = RobotDynamics(parse_urdf(text), backend=backend)
    alone, joints = np.zeros(dynamics.model.size), dynamics.model.joint_names
    calls = [lambda: dynamics.forward_dynamics_holding(joints, alone, alone, alone)]
    for rest in (alone, np.zeros((3, alone.size))):
        calls += [
            partial(dynamics.forward_dynamics, rest, rest, rest),
            partial(dynamics.forward_dynamics_derivatives, rest, rest, rest),
            partial(dynamics.mass_matrix_inverse, rest),
        ]
    for call in calls:
        with pytest.raises(SingularMassMatrixError):
            call()


def test_a_singular_sample_is_named(backend):
    arm = RobotDynamics(parse_urdf(POINT_AT_TIP), backend=backend)
    q = np.tile([0.4, 0.3], (19, 1))
    found = arm.mass_matrix_inverse(q)
    assert np.array_equal(found[18], found[0])
    q[11, 1] = 0.0
    with pytest.raises(SingularMassMatrixError, match=r"^row 11: .*'joint1'"):
        arm.mass_matrix_inverse(q)


@pytest.mark.parametrize('elbow', [1e-5, 0.3, 3.0])
def test_beside_the_singularity_there_is_an_answer(backend, elbow):
    """M = m l1^2 [[...]]: the pivot of joint1 is m l1^2 sin^2 q2, here down to 1e-10 of it."""
    dynamics = RobotDynamics(parse_urdf(POINT_AT_TIP), backend=backend)
    q, tau = np.array([0.4, elbow]), np.array([1.0, -0.5])
    a = dynamics.forward_dynamics(q, ZERO, tau)
    free = tau - dynamics.gravity_torque(q)
    # The equation, which rounding of a violates by as much as M a is larger than the torque.
    M = dynamics.mass_matrix(q)
    assert_close(M @ a, free, scale=float((np.abs(M) @ np.abs(a)).max()))
    # A rotor makes the singularity itself regular.
    geared = RobotDynamics(dynamics.model.with_armature({'joint1': 1e-6}), backend=backend)
    assert np.isfinite(geared.forward_dynamics(ZERO, ZERO, tau)).all()
