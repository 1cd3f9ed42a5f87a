import numpy as np
import pytest

from robot_dynamics_ros.simulation.trajectory import Trajectory

TIMES = np.array([0.0, 0.4, 1.0, 1.3])


def polynomial(order):
    """One of that order per joint; returns value, velocity and acceleration at times (m,)."""
    p = [np.polynomial.Polynomial(c) for c in np.random.default_rng(3).normal(size=(2, order + 1))]
    return lambda t: [np.array([f.deriv(k)(t) for f in p]).T for k in range(3)]


@pytest.mark.parametrize(('order', 'carried'), [(1, 1), (3, 2), (5, 3)])
def test_reproduces_the_polynomial_that_its_points_lie_on(order, carried):
    motion = polynomial(order)
    trajectory = Trajectory(TIMES, *motion(TIMES)[:carried])
    for time in np.linspace(0.001, 1.299, 50):
        q, v = trajectory.sample(time)
        expected = motion(time)
        np.testing.assert_allclose(q, expected[0], atol=1e-12)
        np.testing.assert_allclose(v, expected[1], atol=1e-11)


def test_rests_before_and_after():
    trajectory = Trajectory(TIMES, *polynomial(5)(TIMES))
    for time, index in ((-1.0, 0), (5.0, -1)):
        q, v = trajectory.sample(time)
        np.testing.assert_array_equal(q, trajectory.positions[index])
        np.testing.assert_array_equal(v, 0.0)


@pytest.mark.parametrize(
    ('times', 'positions'),
    [
        ([], np.zeros((0, 2))),
        ([0.0, 0.0], np.zeros((2, 2))),
        ([1.0, 0.0], np.zeros((2, 2))),
        ([0.0, 1.0], np.zeros((3, 2))),
        ([0.0, 1.0], np.full((2, 2), np.nan)),
    ],
)
def test_refuses_what_cannot_be_followed(times, positions):
    with pytest.raises(ValueError, match=r'time|shape|finite|positions'):
        Trajectory(np.array(times), positions)
