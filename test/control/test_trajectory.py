"""Between points motion obeys calculus, outside it rests; the torques that it needs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from three_joints import JOINTS, URDF

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.control.trajectory_efforts import (
    trajectory_efforts,
)
from robot_dynamics_ros.core import (
    RobotDynamics,
    StateError,
    parse_urdf,
)

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


@pytest.mark.parametrize('fields', ['q', 'qv', 'qva'])
@given(data=st.data())
def test_it_passes_through_what_its_points_give_and_rests_outside(fields, data):
    points = data.draw(trajectories(fields))
    trajectory = Trajectory(points)
    for point in points[:-1]:
        given_rows = [getattr(point, field) for field in fields]
        close(trajectory.at(point.time)[: len(fields)], given_rows, 100.0)
    rest = np.zeros(SIZE)
    close(trajectory.at(points[0].time - 1.0), [points[0].q, rest, rest], 0.0)
    close(trajectory.at(points[-1].time + 1.0), [points[-1].q, rest, rest], 0.0)


@pytest.mark.parametrize(('order', 'fields'), [(1, 1), (3, 2), (5, 3)])
def test_reproduces_the_polynomial_that_its_points_lie_on(order, fields):
    coefficients = np.random.default_rng(3).normal(size=(SIZE, order + 1))
    motion = [np.polynomial.Polynomial(row) for row in coefficients]

    def at(time):
        return np.array([[joint.deriv(k)(time) for joint in motion] for k in range(3)])

    trajectory = Trajectory([Point(time, *at(time)[:fields]) for time in (0.0, 0.4, 1.0, 1.3)])
    for time in np.linspace(0.001, 1.299, 50):
        close(trajectory.at(time), at(time), 100.0)


def test_a_single_point_holds_as_it_is():
    for time in (-5.0, 0.0, 5.0):
        close(Trajectory([Point(0.0, *np.eye(3))]).at(time), np.eye(3), 0.0)
        close(Trajectory([Point(0.0, REST)]).at(time), [REST, 0 * REST, 0 * REST], 0.0)


@pytest.mark.parametrize(
    ('points', 'reason'),
    [
        ([], 'no points'),
        ([Point(0.0, np.zeros(1)), Point(0.0, np.zeros(1))], 'point 1'),
        ([Point(time, np.zeros(1)) for time in (0.0, 1.0, 0.5)], r'point 2 is at 0\.5 s'),
        ([Point(0.0, np.zeros(1)), Point(np.nan, np.zeros(1))], 'point 1'),
        ([Point(0.0, np.zeros(1), None, np.zeros(1))], 'point 0'),
        ([Point(0.0, np.zeros(2)), Point(1.0, np.zeros(1))], 'point 1'),
        ([Point(0.0, np.zeros(2), np.zeros(3))], 'point 0'),
        ([Point(0.0, np.array([0.0, np.nan]))], 'point 0'),
        ([Point(0.0, np.zeros(1), np.array([np.inf]))], 'point 0'),
    ],
)
def test_what_is_no_trajectory_is_refused(points, reason):
    with pytest.raises(StateError, match=reason):
        Trajectory(points)


def test_a_segment_is_linear_unless_both_of_its_points_give_velocities():
    q = np.diag([1.0, 2.0, 4.0])
    trajectory = Trajectory([Point(0.0, q[0], q[0]), Point(1.0, q[1]), Point(2.0, q[2], q[2])])
    for index in (0, 1):
        close(trajectory.at(index + 0.3)[1:], [q[index + 1] - q[index], 0.0 * q[0]], 0.0)


# The torques that it needs

DYNAMICS = RobotDynamics(parse_urdf(URDF))
REST = np.array([0.4, -0.2, 0.9])


def some_points(given='qva', size=3):
    random = np.random.default_rng(7)
    times = np.cumsum(random.uniform(0.2, 0.7, 6))
    return [
        Point(time, **{name: random.uniform(-1.0, 1.0, size) for name in given}) for time in times
    ]


def test_joints_that_are_not_named_rest_where_they_are():
    given = some_points(size=2)
    _, parts = trajectory_efforts(DYNAMICS, ['wrist', 'turn'], given, REST)
    for index, point in enumerate(given):
        q, v, a = np.array([REST, 0 * REST, 0 * REST])
        q[[2, 0]], v[[2, 0]], a[[2, 0]] = point.q, point.v, point.a
        expected = DYNAMICS.inverse_dynamics(q, v, a)[[2, 0]]
        np.testing.assert_allclose(parts[:, index].sum(axis=0), expected, rtol=1e-12, atol=1e-12)


def test_efforts_are_those_of_inverse_dynamics_and_have_parts():
    given = some_points()
    motion, parts = trajectory_efforts(DYNAMICS, JOINTS, given, REST)
    expected = [DYNAMICS.inverse_dynamics(point.q, point.v, point.a) for point in given]
    np.testing.assert_allclose(parts.sum(axis=0), expected, rtol=1e-12, atol=1e-12)
    gravity = [DYNAMICS.gravity_torque(point.q) for point in given]
    np.testing.assert_allclose(parts[0], gravity, rtol=1e-12, atol=1e-12)
    still = [DYNAMICS.bias_torque(point.q, point.v) for point in given]
    np.testing.assert_allclose(parts[0] + parts[1], still, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(motion[2], [point.a for point in given])


@pytest.mark.parametrize('given_fields', ['q', 'qv', 'qva'])
def test_what_is_not_given_is_that_of_the_trajectory_just_after_the_point(given_fields):
    given = some_points(given_fields)
    motion = Trajectory(given).at_points()
    trajectory = Trajectory(given)
    # Nothing changes by more than 1e4 per second here.
    step = 1e-9
    for index, point in enumerate(given[:-1]):
        np.testing.assert_allclose(motion[:, index], trajectory.at(point.time + step), atol=1e-5)
    last = [given[-1].q] + [getattr(given[-1], f) if f in given_fields else 0 * REST for f in 'va']
    np.testing.assert_array_equal(motion[:, -1], last)
