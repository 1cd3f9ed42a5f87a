"""Mass matrices that are singular, nearly so, or indefinite: refused, by the joint's name."""

import math

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.planar_arms import POINT_AT_TIP
from mechanics.robots import HAND_WRITTEN, POINT_ON_AXIS, hand_written

from robot_dynamics_ros.core import (
    InertiaError,
    RobotDynamics,
    SingularMassMatrixError,
    parse_urdf,
)
from robot_dynamics_ros.core.algorithms import aba, crba
from robot_dynamics_ros.core.definiteness import check_mass_matrix

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
        lambda: aba.forward_dynamics(*floats),
        lambda: aba.solved_forward_dynamics(*floats),
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
    alone = np.zeros(dynamics.model.size)
    with pytest.raises(SingularMassMatrixError):
        dynamics.forward_dynamics_holding(dynamics.model.joint_names, alone, alone, alone)
    for rest in (alone, np.zeros((3, dynamics.model.size))):
        for method in (dynamics.forward_dynamics, dynamics.forward_dynamics_derivatives):
            with pytest.raises(SingularMassMatrixError):
                method(rest, rest, rest)
        with pytest.raises(SingularMassMatrixError):
            dynamics.mass_matrix_inverse(rest)


def test_of_several_the_joint_nearest_to_the_tips_is_named(backend):
    """Each elbow of two arms that hang on one base; both are stretched, then one."""
    arm = POINT_AT_TIP.split('<link name="link0"/>')[1].removesuffix('</robot>')
    right = arm.replace('link1', 'other1').replace('link2', 'other2').replace('"joint', '"right')
    model = parse_urdf(f'<robot name="2"><link name="link0"/>{arm}{right}</robot>')
    dynamics, zero = RobotDynamics(model, backend=backend), np.zeros(4)
    for stretched in ('right', 'joint'):
        q = np.array([0.0 if name == f'{stretched}2' else 0.5 for name in model.joint_names])
        with pytest.raises(SingularMassMatrixError, match=f'{stretched}1'):
            dynamics.forward_dynamics(q, zero, zero)


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


# Robots whose kinetic energy can be negative.

INDEFINITE = {
    # I + m l^2 = -1 + 1.7 * 0.4^2.
    'pendulum': (hand_written('pendulum').text.replace('iyy="0.2"', 'iyy="-1"'), 'swing'),
    # Whatever the masses and units of the other joints, which a raw eigenvalue depends on.
    'a light joint on a heavy carriage': (
        """<robot name="r"><link name="base"/>
        <link name="carriage"><inertial><mass value="200"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <link name="pointer"><inertial><mass value="1e-9"/>
        <inertia ixx="1e-11" iyy="1e-11" izz="-1e-11" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="slide" type="prismatic"><parent link="base"/><child link="carriage"/>
        <axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
        <joint name="spindle" type="continuous"><parent link="carriage"/><child link="pointer"/>
        <axis xyz="0 0 1"/></joint></robot>""",
        'spindle',
    ),
}
# Only the moment about its axis counts for a body on one joint; of a point mass on the axis of its
# joint, what rounding leaves may be negative.
HARMLESS = [hand_written('pendulum').text.replace('ixx="0.21"', 'ixx="-0.21"'), POINT_ON_AXIS]


@pytest.mark.parametrize(('text', 'joint'), INDEFINITE.values(), ids=INDEFINITE)
def test_an_indefinite_mass_matrix_is_refused_with_the_joint(text, joint):
    dynamics = RobotDynamics(parse_urdf(text), backend='python')
    with pytest.raises(InertiaError, match=f"joint '{joint}'"):
        check_mass_matrix(dynamics.model, dynamics.mass_matrix, samples=3)


@pytest.mark.parametrize('text', [*(robot.text for robot in HAND_WRITTEN), *HARMLESS])
def test_good_robots_pass_massless_tips_included(text):
    dynamics = RobotDynamics(parse_urdf(text), backend='python')
    check_mass_matrix(dynamics.model, dynamics.mass_matrix)
