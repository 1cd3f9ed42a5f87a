"""Interpolation between points: what lies between obeys calculus, what lies outside rests."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import StateError

SIZE = 3
numbers = st.floats(-5.0, 5.0)
vectors = arrays(float, SIZE, elements=numbers)
durations = st.floats(0.05, 20.0)


def close(actual, expected, scale):
    """Within the rounding of polynomials whose terms are of that size."""
    np.testing.assert_allclose(
        actual, expected, rtol=0.0, atol=1e-10 * (1.0 + np.abs(scale).max())
    )


@st.composite
def trajectories(draw, given='qva'):
    count = draw(st.integers(2, 4))
    times = draw(numbers) + np.cumsum([draw(durations) for _ in range(count)])
    fields = [{name: draw(vectors) for name in given} for _ in range(count)]
    return [Point(time, **values) for time, values in zip(times, fields, strict=True)]


@given(points=trajectories())
def test_quintic_passes_through_positions_velocities_and_accelerations(points):
    trajectory = Trajectory(points)
    for point in points[:-1]:
        rows = trajectory.at(point.time)
        close(rows, [point.q, point.v, point.a], 100.0)


@given(points=trajectories('qv'))
def test_cubic_passes_through_positions_and_velocities(points):
    trajectory = Trajectory(points)
    for point in points[:-1]:
        close(trajectory.at(point.time)[:2], [point.q, point.v], 100.0)


@given(points=trajectories('q'), share=st.floats(0.0, 0.999))
def test_linear_lies_on_the_line_at_constant_speed(points, share):
    trajectory = Trajectory(points)
    before, after = points[0], points[1]
    duration = after.time - before.time
    q, v, a = trajectory.at(before.time + share * duration)
    speed = (after.q - before.q) / duration
    close(q, before.q + share * (after.q - before.q), before.q)
    close(v, speed, speed)
    assert not a.any()


@pytest.mark.parametrize(('order', 'fields'), [(1, 1), (3, 2), (5, 3)])
def test_reproduces_the_polynomial_that_its_points_lie_on(order, fields):
    coefficients = np.random.default_rng(3).normal(size=(SIZE, order + 1))
    motion = [np.polynomial.Polynomial(row) for row in coefficients]

    def at(time):
        return np.array([[joint.deriv(k)(time) for joint in motion] for k in range(3)])

    trajectory = Trajectory([Point(time, *at(time)[:fields]) for time in (0.0, 0.4, 1.0, 1.3)])
    for time in np.linspace(0.001, 1.299, 50):
        close(trajectory.at(time), at(time), 100.0)


@pytest.mark.parametrize('given_fields', ['q', 'qv', 'qva'])
@given(data=st.data())
def test_velocity_and_acceleration_are_the_derivatives(given_fields, data):
    """Central differences of q and v over a step h err by h^2 times the third derivative."""
    points = data.draw(trajectories(given_fields))
    trajectory = Trajectory(points)
    before, after = points[0], points[1]
    duration = after.time - before.time
    time = before.time + data.draw(st.floats(0.01, 0.99)) * duration
    h = 1e-4 * duration
    ahead, behind = trajectory.at(time + h), trajectory.at(time - h)
    now = trajectory.at(time)
    slopes = (ahead - behind)[:2] / (2 * h)
    sizes = np.abs([trajectory.at(t) for t in np.linspace(before.time, after.time, 9)[:-1]])
    scale = 1.0 + sizes.max(axis=0).max(axis=1) / duration
    for row in (0, 1):
        np.testing.assert_allclose(slopes[row], now[row + 1], atol=1e-4 * scale[row], rtol=1e-4)


@given(points=trajectories())
def test_outside_its_time_it_rests_at_its_ends(points):
    trajectory = Trajectory(points)
    rest = np.zeros(SIZE)
    close(trajectory.at(points[0].time - 1.0), [points[0].q, rest, rest], 0.0)
    close(trajectory.at(points[-1].time + 1.0), [points[-1].q, rest, rest], 0.0)


@given(q=vectors, v=vectors, a=vectors, time=numbers)
def test_a_single_point_holds_as_it_is(q, v, a, time):
    close(Trajectory([Point(0.0, q, v, a)]).at(time), [q, v, a], 0.0)
    close(Trajectory([Point(0.0, q)]).at(time), [q, 0 * q, 0 * q], 0.0)


def test_continuity_across_a_point():
    """Both neighbours of a point with q, v and a give the same values there."""
    points = [
        Point(0.0, np.array([0.0]), np.array([1.0]), np.array([0.5])),
        Point(1.0, np.array([2.0]), np.array([-1.0]), np.array([3.0])),
        Point(1.5, np.array([0.3]), np.array([0.2]), np.array([-1.0])),
    ]
    trajectory = Trajectory(points)
    # The jerk is a few hundred here: over 1e-9 s the acceleration changes by less than 1e-6.
    close(trajectory.at(1.0 - 1e-9), trajectory.at(1.0), 1e4)


@pytest.mark.parametrize(
    ('points', 'reason'),
    [
        ([], 'no points'),
        ([Point(0.0, np.zeros(1)), Point(0.0, np.zeros(1))], 'times must increase'),
        ([Point(time, np.zeros(1)) for time in (0.0, 1.0, 0.5)], r'point 2 .* 0\.5 s.* 1 s'),
        ([Point(0.0, np.zeros(1)), Point(np.nan, np.zeros(1))], 'times must increase'),
        ([Point(0.0, np.zeros(1), None, np.zeros(1))], 'accelerations but no'),
        ([Point(0.0, np.zeros(2)), Point(1.0, np.zeros(1))], r'point 1 .* shape \(1,\).*\(2,\)'),
        ([Point(0.0, np.zeros(2), np.zeros(3))], r'point 0 .* shape \(3,\)'),
        ([Point(0.0, np.array([0.0, np.nan]))], 'point 0 holds nan'),
        ([Point(0.0, np.zeros(1), np.array([np.inf]))], 'point 0 holds inf'),
    ],
)
def test_what_is_no_trajectory_is_refused(points, reason):
    with pytest.raises(StateError, match=reason):
        Trajectory(points)
