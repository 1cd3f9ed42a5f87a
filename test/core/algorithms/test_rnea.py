"""What its docstrings call equivalent, and forces that can be written down."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN

from robot_dynamics_ros.core import parse_urdf

pytestmark = pytest.mark.contract


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_gravity_and_bias_are_inverse_dynamics_without_motion(robot):
    dynamics, rest = FloatDynamics(robot.model), np.zeros(robot.model.size)
    for q, v, _, _ in robot.states(5):
        g, bias = dynamics.inverse_dynamics(q, rest, rest), dynamics.inverse_dynamics(q, v, rest)
        assert np.array_equal(dynamics.gravity_torque(q), g)
        assert np.array_equal(dynamics.bias_torque(q, v), bias)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_a_weightless_robot_at_rest_needs_no_torque(robot):
    dynamics = FloatDynamics(robot.model, gravity=(0.0, 0.0, 0.0))
    rest = np.zeros(robot.model.size)
    for q, _, _, _ in robot.states(2):
        assert not dynamics.inverse_dynamics(q, rest, rest).any()


M, LENGTH = 1.7, 0.4
POINT = f'<inertial><origin xyz="0 0 -{LENGTH}"/><mass value="{M}"/></inertial>'
BODIES = f'<link name="base"/><link name="carrier"/><link name="mass">{POINT}</link>'


def two_joints(first, first_axis, second, second_axis):
    joints = ''.join(
        f'<joint name="{child}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/></joint>'
        for parent, child, kind, axis in (
            ('base', 'carrier', first, first_axis),
            ('carrier', 'mass', second, second_axis),
        )
    )
    return FloatDynamics(parse_urdf(f'<robot name="two">{BODIES}{joints}</robot>'))


def test_a_turning_pendulum_is_thrown_outwards():
    """Watt's governor: m l^2 w^2 sin q cos q lifts what the weight pulls down."""
    governor = two_joints('continuous', '0 0 1', 'continuous', '0 1 0')
    q, w = 0.6, 5.0
    lift = M * LENGTH**2 * w**2 * np.sin(q) * np.cos(q)
    weight = M * 9.81 * LENGTH * np.sin(q)
    assert_close(governor.bias_torque([0.3, q], [w, 0.0]), [0.0, weight - lift])


def test_a_mass_that_slides_on_a_turntable_feels_the_coriolis_force():
    """2 m r w r_dot about the turntable, -m r w^2 along the slide."""
    turntable = two_joints('continuous', '0 0 1', 'prismatic', '1 0 0')
    r, w, r_dot = 0.5, 3.0, 0.7
    expected = [2.0 * M * r * w * r_dot, -M * r * w**2]
    assert_close(turntable.bias_torque([1.1, r], [w, r_dot]), expected)
