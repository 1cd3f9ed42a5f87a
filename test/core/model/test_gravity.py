import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics.closeness import assert_close
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import RobotDynamics, StateError, mounted_gravity, parse_urdf
from robot_dynamics_ros.core.model.gravity import rotated_gravity
from robot_dynamics_ros.core.spatial import rotate, rotation_about


def test_upright_from_the_ceiling_and_on_a_wall():
    assert mounted_gravity((0.0, 0.0, 1.0)) == (0.0, 0.0, -9.81)
    assert mounted_gravity((math.pi, 0.0, 0.0)) == (0.0, 0.0, 9.81)
    assert mounted_gravity((0.0, math.pi / 2, 0.0)) == (9.81, 0.0, 0.0)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_is_a_base_turned_in_the_urdf(robot):
    rpy = (0.4, -1.1, 2.3)
    pedestal = (
        '<link name="world"/><joint name="mount" type="fixed"><parent link="world"/>'
        f'<child link="{robot.model.frames[0].name}"/>'
        f'<origin rpy="{" ".join(map(repr, rpy))}"/></joint></robot>'
    )
    turned = FloatDynamics(parse_urdf(robot.text.replace('</robot>', pedestal)))
    upright = FloatDynamics(robot.model, mounted_gravity(rpy))
    for q, v, a, _ in robot.states(2):
        assert_close(upright.inverse_dynamics(q, v, a), turned.inverse_dynamics(q, v, a))


def test_keeps_the_strength_of_gravity():
    assert np.linalg.norm(mounted_gravity((0.1, 0.2, 0.3), (1.0, 2.0, -3.0))) == pytest.approx(
        math.sqrt(14.0), rel=1e-15
    )


@pytest.mark.parametrize('rpy', [(0.0, 0.0), (0.0, 0.0, math.nan)])
def test_refused(rpy):
    with pytest.raises(StateError, match='rpy'):
        mounted_gravity(rpy)


@pytest.mark.parametrize('gravity', [(0.0, 0.0, -9810.0), (80.0, 0.0, 80.0)])
def test_gravity_of_no_planet_is_refused(gravity):
    model = hand_written('pendulum').model
    dynamics = RobotDynamics(model)
    with pytest.raises(StateError, match=r'gravity.* 100 m/s\^2'):
        mounted_gravity((0.0, 0.0, 0.0), gravity)
    with pytest.raises(StateError, match='wrong unit'):
        RobotDynamics(model, gravity=gravity)
    with pytest.raises(StateError, match='wrong unit'):
        dynamics.gravity = gravity
    with pytest.raises(StateError, match='wrong unit'):
        dynamics.with_gravity(gravity)
    assert dynamics.gravity.tolist() == [0.0, 0.0, -9.81]


def test_gravity_of_the_strongest_planet_is_taken():
    assert RobotDynamics(hand_written('pendulum').model, gravity=(0.0, 0.0, -100.0)).gravity[2]


def test_with_gravity_is_another_robot_dynamics():
    """The programs are shared, the gravity is not, whichever is changed afterwards."""
    robot = hand_written('tree')
    here = RobotDynamics(robot.model)
    ceiling = here.with_gravity((0.0, 0.0, 9.81))
    q = next(robot.states(1)).q
    assert_close(ceiling.gravity_torque(q), -here.gravity_torque(q))
    assert_close(ceiling.mass_matrix(q), here.mass_matrix(q))
    here.gravity = (0.0, 0.0, 0.0)
    assert not here.gravity_torque(q).any()
    assert ceiling.gravity_torque(q).any()
    with pytest.raises(StateError, match='gravity has 2 values'):
        here.with_gravity((0.0, 9.81))


components = st.floats(-1.0, 1.0)
directions = st.tuples(components, components, components).filter(
    lambda axis: math.hypot(*axis) > 0.01
)
angles = st.floats(-2 * math.pi, 2 * math.pi)
gravities = st.tuples(*[st.floats(-50.0, 50.0)] * 3)


def quaternion(axis, angle, size=1.0):
    unit = np.array(axis) / math.hypot(*axis)
    return size * np.array([*(math.sin(angle / 2) * unit), math.cos(angle / 2)])


@given(axis=directions, angle=angles, gravity=gravities, exponent=st.integers(-290, 290))
def test_a_quaternion_turns_gravity_about_its_axis(axis, angle, gravity, exponent):
    """Whatever its size is, as a matrix about the same axis does."""
    unit = tuple(np.array(axis) / math.hypot(*axis))
    turned = rotated_gravity(quaternion(axis, angle, 10.0**exponent), gravity)
    expected = rotate(rotation_about(unit, angle), gravity)
    np.testing.assert_allclose(turned, expected, rtol=0.0, atol=2e-13)
    assert math.hypot(*turned) == pytest.approx(math.hypot(*gravity), rel=1e-14, abs=1e-300)


@given(axis=directions, angle=angles, gravity=gravities)
def test_the_conjugate_turns_back_and_minus_the_same(axis, angle, gravity):
    turn = quaternion(axis, angle)
    turned = rotated_gravity(turn, gravity)
    back = rotated_gravity(turn * [-1.0, -1.0, -1.0, 1.0], turned)
    np.testing.assert_allclose(back, gravity, rtol=0.0, atol=2e-13)
    np.testing.assert_allclose(rotated_gravity(-turn, gravity), turned, rtol=0.0, atol=2e-13)


def test_a_quarter_turn_about_x():
    half = math.sqrt(0.5)
    turned = rotated_gravity((half, 0.0, 0.0, half), (0.0, 0.0, -9.81))
    np.testing.assert_allclose(turned, (0.0, 9.81, 0.0), rtol=0.0, atol=1e-14)


def test_of_a_mounting_it_is_the_inverse():
    """Base axes seen from the world, against world axes seen from the base."""
    roll = 0.7
    mounted = mounted_gravity((roll, 0.0, 0.0))
    turned = rotated_gravity(quaternion((1.0, 0.0, 0.0), -roll), (0.0, 0.0, -9.81))
    np.testing.assert_allclose(turned, mounted, rtol=0.0, atol=1e-14)


@pytest.mark.parametrize(
    ('turn', 'words'),
    [
        ((0.0, 0.0, 0.0, 0.0), 'quaternion is 0, 0, 0, 0'),
        ((0.0, 0.0, 1.0), 'quaternion has 3 values'),
        ((0.0, math.inf, 0.0, 1.0), "inf at 'y'"),
    ],
)
def test_what_is_no_rotation_is_refused(turn, words):
    with pytest.raises(StateError, match=words):
        rotated_gravity(turn, (0.0, 0.0, -9.81))


def test_gravity_to_be_turned_is_looked_at_too():
    with pytest.raises(StateError, match='wrong unit'):
        rotated_gravity((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, -9810.0))
