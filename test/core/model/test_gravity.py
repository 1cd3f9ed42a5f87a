"""Gravity of a base that is mounted at an angle, or turned by a quaternion."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics.closeness import assert_close
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, StateError, mounted_gravity
from robot_dynamics_ros.core.model.gravity import rotated_gravity
from robot_dynamics_ros.core.spatial import rotate, rotation_about, rotation_from_rpy


def test_a_mounting_is_the_rotation_of_its_rpy():
    """Upright, from the ceiling, on a wall, and anyhow."""
    assert mounted_gravity((0.0, 0.0, 1.0)) == (0.0, 0.0, -9.81)
    assert mounted_gravity((math.pi, 0.0, 0.0)) == (0.0, 0.0, 9.81)
    assert mounted_gravity((0.0, math.pi / 2, 0.0)) == (9.81, 0.0, 0.0)
    rpy, g = (0.4, -1.1, 2.3), (1.5, -2.5, -9.0)
    assert_close(mounted_gravity(rpy, g), np.array(rotation_from_rpy(*rpy)).T @ g)


@pytest.mark.parametrize('gravity', [(0.0, 0.0, -9810.0), (80.0, 0.0, 80.0)])
def test_gravity_of_no_planet_is_refused(gravity):
    """It has the wrong unit."""
    model = hand_written('pendulum').model
    dynamics = RobotDynamics(model)
    for refused in (
        lambda: mounted_gravity((0.0, 0.0, 0.0), gravity),
        lambda: RobotDynamics(model, gravity=gravity),
        lambda: setattr(dynamics, 'gravity', gravity),
        lambda: dynamics.with_gravity(gravity),
    ):
        with pytest.raises(StateError, match=r'^gravity .* 100 m/s\^2'):
            refused()
    assert dynamics.gravity.tolist() == [0.0, 0.0, -9.81]


components = st.floats(-1.0, 1.0)
directions = st.tuples(components, components, components).filter(
    lambda axis: math.hypot(*axis) > 0.01
)
angles = st.floats(-2 * math.pi, 2 * math.pi)
gravities = st.tuples(*[st.floats(-50.0, 50.0)] * 3)


@given(axis=directions, angle=angles, gravity=gravities, exponent=st.integers(-290, 290))
def test_a_quaternion_turns_gravity_about_its_axis(axis, angle, gravity, exponent):
    """Whatever its size is, as a matrix about the same axis does."""
    unit = np.array(axis) / math.hypot(*axis)
    quaternion = 10.0**exponent * np.array([*(math.sin(angle / 2) * unit), math.cos(angle / 2)])
    turned = rotated_gravity(quaternion, gravity)
    expected = rotate(rotation_about(tuple(unit), angle), gravity)
    np.testing.assert_allclose(turned, expected, rtol=0.0, atol=2e-13)
    assert math.hypot(*turned) == pytest.approx(math.hypot(*gravity), rel=1e-14, abs=1e-300)


@pytest.mark.parametrize('turn', [(0.0, 0.0, 0.0, 0.0), (0.0, math.inf, 0.0, 1.0)])
def test_what_is_no_rotation_is_refused(turn):
    with pytest.raises(StateError, match=r'^quaternion '):
        rotated_gravity(turn, (0.0, 0.0, -9.81))
