"""Thresholds: what is allowed, and what they detect."""

import numpy as np
import pytest

from robot_dynamics_ros.control.external.thresholds import NEVER, ContactThresholds
from robot_dynamics_ros.core import ParameterError


def test_constants_alone_detect_in_their_band_only():
    collisions = ContactThresholds.of(3, collision=2.0)
    assert collisions.detects == (True, False)
    assert ContactThresholds.of(3, push=[1.0, 2.0, 3.0]).detects == (False, True)
    limits = collisions.limits(np.ones((2, 2, 3)))
    np.testing.assert_array_equal(limits, [[2.0] * 3, [NEVER] * 3])


def test_a_limit_grows_with_speed_and_acceleration():
    thresholds = ContactThresholds(np.array([[[4.0], [3.0], [0.5]], [[2.0], [1.0], [0.2]]]))
    limits = thresholds.limits(np.array([[[2.0], [10.0]], [[1.0], [5.0]]]))
    np.testing.assert_allclose(limits, [[15.0], [4.0]])


def test_constants_above_the_effort_limits_are_found():
    thresholds = ContactThresholds.of(3, collision=[1.0, 30.0, 1.0])
    assert thresholds.above(np.array([10.0, 20.0, np.inf])) == [('collision', 1)]


@pytest.mark.parametrize('bad', [0.0, -1.0, np.nan, np.inf])
def test_a_constant_must_be_positive_and_finite(bad):
    with pytest.raises(ParameterError, match='push threshold: constant of joint 1'):
        ContactThresholds.of(2, push=[1.0, bad])
