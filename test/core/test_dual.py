"""Dual numbers against complex steps; `test/sources` has them as scalars of M."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.complex_step import derivative, gradient

from robot_dynamics_ros.core.dual import Dual, along, independent
from robot_dynamics_ros.core.scalar import cos, sin

POINTS = np.random.default_rng(0).uniform(0.5, 2.0, (5, 2))


def rational(point):
    """Every operation, with constants on either side."""
    x, y = point
    wave = sin(x * y) - cos(2.0 - x)
    return (3.0 - x) / (y * 2.0 + 1.0) + wave / 4.0 - (-y) * x + 1.0 / (x + y) + (y - 0.5)


@pytest.mark.parametrize('point', POINTS)
def test_rules_of_calculus(point):
    """Gradients, and slopes along a direction."""
    direction = np.array([0.3, -1.7])
    for given, slope in (
        (independent(point), gradient(rational, point)),
        (along(point, direction), derivative(rational, point, direction)),
    ):
        x = rational(given)
        assert_close(x.value, rational(point))
        assert_close(x.slope, slope)


def test_dual_numbers_of_dual_numbers_are_second_derivatives():
    for t in (0.3, 1.0, 2.5):
        x = Dual(Dual(t, 1.0), Dual(1.0, 0.0))
        second = (x * x * sin(x)).slope.slope
        assert_close(second, 2.0 * np.sin(t) + 4.0 * t * np.cos(t) - t * t * np.sin(t), scale=1.0)
