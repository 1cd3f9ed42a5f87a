"""The velocity from positions: exact where it is constant, late by what is documented."""

import math

import numpy as np
import pytest
from three_joints import URDF

from robot_dynamics_ros.control.velocity import VelocityEstimate
from robot_dynamics_ros.core import parse_urdf

MODEL = parse_urdf(URDF)


@pytest.mark.parametrize('cutoff', [2.0, 20.0])
def test_it_lags_behind_a_ramp_of_velocity_by_its_delay(cutoff):
    estimate, period, a = VelocityEstimate(MODEL, cutoff), 1e-4, np.array([2.0, -0.5, 1.0])
    for step in range(round(15.0 * estimate.delay / period)):
        time = step * period
        estimate.update(time, 0.5 * a * time**2)
    assert estimate.delay == pytest.approx(1.0 / (2.0 * math.pi * cutoff), rel=1e-12)
    np.testing.assert_allclose(time - estimate.v / a, estimate.delay, atol=1e-3 * estimate.delay)


def test_a_continuous_joint_may_be_wrapped_and_others_may_not():
    estimate, v = VelocityEstimate(MODEL, 20.0), np.array([3.0, 0.3, -0.2])
    for step in range(1000):
        q = v * 0.005 * step
        q[0] = math.remainder(q[0], 2.0 * math.pi)
        estimate.update(0.005 * step, q)
    np.testing.assert_allclose(estimate.v, v, rtol=1e-9)
    estimate.update(5.0, q + np.array([0.0, 2.0 * math.pi, 0.0]))
    assert abs(estimate.v[1]) > 100.0
