"""Random states stay within what the description allows."""

import numpy as np
import pytest
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.model.sampling import (
    LARGEST_RATE,
    position_range,
    random_states,
)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_states_are_within_limits(robot):
    for state in random_states(robot.model, 200):
        for vector in (state.q, state.v, state.a):
            assert vector.shape == (robot.model.size,)
            assert np.isfinite(vector).all()
        for joint, q, v in zip(robot.model.independent_joints, state.q, state.v, strict=True):
            lower, upper = position_range(joint)
            assert lower <= q <= upper
            assert max(lower, joint.limits.lower) == lower
            assert abs(v) <= joint.limits.velocity


@pytest.mark.parametrize(
    ('limit', 'expected'),
    [
        ('lower="-1" upper="2"', (-1.0, 2.0)),
        ('lower="2" upper="-1"', (-np.pi, np.pi)),
        ('lower="0" upper="0"', (-np.pi, np.pi)),
        ('lower="-1e16" upper="1e16"', (-np.pi, np.pi)),
        ('lower="-1.79769e308" upper="1.79769e308"', (-np.pi, np.pi)),
        ('lower="0" upper="1e16"', (-np.pi, np.pi)),
    ],
)
def test_limits_that_cannot_be_meant_are_none(limit, expected):
    text = hand_written('pendulum').text.replace('lower="-3.1" upper="3.1"', limit)
    (joint,) = parse_urdf(text).joints
    assert position_range(joint) == expected


@pytest.mark.parametrize('limit', ['0', '-1e5'])
def test_a_velocity_limit_that_is_not_positive_counts_as_none(limit):
    """Zero is a placeholder: at rest nothing would be compared."""
    text = hand_written('pendulum').text.replace('velocity="8"', f'velocity="{limit}"')
    speeds = [abs(state.v[0]) for state in random_states(parse_urdf(text), 50)]
    assert 0.5 * LARGEST_RATE < max(speeds) <= LARGEST_RATE
