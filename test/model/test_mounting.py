import math

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import RobotDynamics, StateError, mounted_gravity, parse_urdf


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
    with pytest.raises(StateError, match=r'gravity is .* at most 100 m/s\^2 is allowed'):
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
