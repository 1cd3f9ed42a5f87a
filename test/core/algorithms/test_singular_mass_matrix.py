"""Forward dynamics and M^-1 where M(q) is singular, or nearly so: refused, by the joint's name."""

import math

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import MOVING_EXAMPLES
from mechanics.planar_arms import planar_2r
from mechanics.robots import POINT_ON_AXIS, SINGULAR, hand_written

from robot_dynamics_ros.core import (
    RobotDynamics,
    RobotDynamicsError,
    SingularMassMatrixError,
    parse_urdf,
)
from robot_dynamics_ros.core.algorithms import aba, crba

ZERO = np.zeros(2)
# All of its mass is a point at the tip: stretched or folded, both joints move it along one line.
POINT_AT_TIP = planar_2r((0.5, 0.3), (0.0, 0.3), (0.0, 2.0), (0.0, 0.0))
SINGULAR_POSITIONS = [0.0, math.pi, -2.0 * math.pi, 1e-9]

CASES = [(POINT_AT_TIP, q, 'joint1') for q in SINGULAR_POSITIONS]
CASES += [(POINT_ON_AXIS, 0.7, 'spindle')]


@pytest.mark.parametrize('quantity', ['forward_dynamics', 'mass_matrix_inverse'])
@pytest.mark.parametrize(('urdf', 'elbow', 'joint'), CASES)
def test_a_singular_mass_matrix_is_refused(backend, urdf, elbow, joint, quantity):
    """Called, called with `out`, and bound; nothing is written."""
    dynamics = RobotDynamics(parse_urdf(urdf), backend=backend)
    q = np.array([0.4, elbow])
    inputs = (q, ZERO, np.ones(2)) if quantity == 'forward_dynamics' else (q,)
    shape = (2,) if quantity == 'forward_dynamics' else (2, 2)
    out = np.full(shape, 7.0)
    method, step = getattr(dynamics, quantity), dynamics.bind(quantity, *inputs, out=out)
    for refused in (lambda: method(*inputs), lambda: method(*inputs, out=out), step):
        with pytest.raises(SingularMassMatrixError, match=f"singular here: joint '{joint}'"):
            refused()
        assert (out == 7.0).all()


@pytest.mark.contract
@pytest.mark.parametrize('text', [POINT_AT_TIP, hand_written('massless_tip').text])
def test_it_is_one_error_for_all_that_needs_the_inverse(backend, text):
    """At one position, or at any; of one state, or of a batch."""
    dynamics = RobotDynamics(parse_urdf(text), backend=backend)
    assert issubclass(SingularMassMatrixError, RobotDynamicsError)
    alone = np.zeros(dynamics.model.size)
    with pytest.raises(SingularMassMatrixError):
        dynamics.forward_dynamics_holding(dynamics.model.joint_names, alone, alone, alone)
    for rest in (alone, np.zeros((3, dynamics.model.size))):
        for method in (dynamics.forward_dynamics, dynamics.forward_dynamics_derivatives):
            with pytest.raises(SingularMassMatrixError):
                method(rest, rest, rest)
        with pytest.raises(SingularMassMatrixError):
            dynamics.mass_matrix_inverse(rest)


@pytest.mark.parametrize('elbow', [math.pi, -2.0 * math.pi, 1e-9])
def test_plain_floats_are_refused_too(elbow):
    model = parse_urdf(POINT_AT_TIP)
    q, zero = [0.4, elbow], [0.0, 0.0]
    for compute in (
        lambda: aba.forward_dynamics(model, q, zero, zero, (0.0, 0.0, 0.0)),
        lambda: aba.solved_forward_dynamics(model, q, zero, zero, (0.0, 0.0, 0.0)),
        lambda: crba.mass_matrix_inverse(model, q),
    ):
        with pytest.raises(SingularMassMatrixError, match="singular here: joint 'joint1'"):
            compute()


def test_of_several_the_joint_nearest_to_the_tips_is_named(backend):
    """Each elbow of two arms that hang on one base; both are stretched, then one."""
    arm = POINT_AT_TIP.split('<link name="link0"/>')[1].removesuffix('</robot>')
    right = arm.replace('link1', 'other1').replace('link2', 'other2').replace('"joint', '"right')
    model = parse_urdf(f'<robot name="2"><link name="link0"/>{arm}{right}</robot>')
    dynamics, zero = RobotDynamics(model, backend=backend), np.zeros(4)
    for stretched in (['right2'], ['joint2']):
        q = np.array([0.0 if name in stretched else 0.5 for name in model.joint_names])
        with pytest.raises(SingularMassMatrixError, match=stretched[0].replace('2', '1')):
            dynamics.forward_dynamics(q, zero, zero)


@pytest.mark.parametrize('elbow', [1e-5, 0.3, 3.0])
def test_beside_the_singularity_there_is_an_answer(backend, elbow):
    """M = m l1^2 [[...]]: the pivot of joint1 is m l1^2 sin^2 q2, here down to 1e-10 of it."""
    dynamics = RobotDynamics(parse_urdf(POINT_AT_TIP), backend=backend)
    q, tau = np.array([0.4, elbow]), np.array([1.0, -0.5])
    step = dynamics.bind('forward_dynamics', q, ZERO, tau, out=(bound := np.zeros(2)))
    a = dynamics.forward_dynamics(q, ZERO, tau)
    step()
    assert np.array_equal(a, bound)
    free = tau - dynamics.gravity_torque(q)
    # The equation, which rounding of a violates by as much as M a is larger than the torque.
    M = dynamics.mass_matrix(q)
    assert_close(M @ a, free, scale=float((np.abs(M) @ np.abs(a)).max()))


def test_rotors_make_it_regular(backend):
    model = parse_urdf(POINT_AT_TIP).with_armature({'joint1': 1e-6})
    dynamics = RobotDynamics(model, backend=backend)
    a = dynamics.forward_dynamics(np.zeros(2), ZERO, np.ones(2))
    assert np.isfinite(a).all()


@pytest.mark.parametrize(
    'robot', [robot for robot in MOVING_EXAMPLES if robot.name not in SINGULAR], ids=str
)
def test_no_example_is_near_the_threshold(robot, monkeypatch):
    """What is refused is rounding noise: between it and real robots lie many powers of ten."""
    smallest = []

    def note(model, q, index, pivot, largest):
        smallest.append(pivot / largest)

    monkeypatch.setattr(aba, 'require_pivot', note)
    monkeypatch.setattr(crba, 'require_pivot', note)
    (state,) = robot.states(1)
    zero = [0.0] * robot.model.size
    aba.forward_dynamics(robot.model, state.q.tolist(), zero, zero, (0.0, 0.0, -9.81))
    assert min(smallest) > 1e6 * crba.SMALLEST_PIVOT
