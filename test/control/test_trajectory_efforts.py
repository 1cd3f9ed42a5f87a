"""Efforts of a trajectory, and what it demands of the joints."""

import re

import numpy as np
import pytest
from three_joints import JOINTS, URDF

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.control.trajectory_efforts import (
    PARTS,
    joint_demands,
    trajectory_efforts,
)
from robot_dynamics_ros.core import (
    ParameterError,
    RobotDynamics,
    StateError,
    UnknownNameError,
    parse_urdf,
)
from robot_dynamics_ros.core.model.tree import Limits

DYNAMICS = RobotDynamics(parse_urdf(URDF))
REST = np.array([0.4, -0.2, 0.9])


def points(given='qva', count=6, size=3):
    random = np.random.default_rng(7)
    times = np.cumsum(random.uniform(0.2, 0.7, count))
    return [
        Point(time, **{name: random.uniform(-1.0, 1.0, size) for name in given}) for time in times
    ]


def test_efforts_are_those_of_inverse_dynamics_at_every_point():
    given = points()
    efforts = trajectory_efforts(DYNAMICS, JOINTS, given, REST)
    expected = [DYNAMICS.inverse_dynamics(point.q, point.v, point.a) for point in given]
    np.testing.assert_allclose(efforts.total, expected, rtol=1e-12, atol=1e-12)


def test_joints_that_are_not_named_rest_where_they_are():
    given = points(size=2)
    efforts = trajectory_efforts(DYNAMICS, ['wrist', 'turn'], given, REST)
    for index, point in enumerate(given):
        q, v, a = np.array([REST, 0 * REST, 0 * REST])
        q[[2, 0]], v[[2, 0]], a[[2, 0]] = point.q, point.v, point.a
        expected = DYNAMICS.inverse_dynamics(q, v, a)[[2, 0]]
        np.testing.assert_allclose(efforts.total[index], expected, rtol=1e-12, atol=1e-12)


def test_parts_sum_to_the_whole_and_gravity_is_that_of_the_positions():
    given = points()
    efforts = trajectory_efforts(DYNAMICS, JOINTS, given, REST)
    gravity = [DYNAMICS.gravity_torque(point.q) for point in given]
    np.testing.assert_allclose(efforts.sum_of(['gravity']), gravity, rtol=1e-12, atol=1e-12)
    driven = efforts.sum_of(['inertial', 'coriolis'])
    np.testing.assert_allclose(driven + gravity, efforts.sum_of(PARTS), rtol=1e-12, atol=1e-12)
    assert not efforts.sum_of([]).any()


@pytest.mark.parametrize('given_fields', ['q', 'qv', 'qva'])
def test_what_is_not_given_is_that_of_the_trajectory_just_after_the_point(given_fields):
    given = points(given_fields)
    motion = Trajectory(given).at_points()
    trajectory = Trajectory(given)
    # Nothing changes by more than 1e4 per second here.
    step = 1e-9
    for index, point in enumerate(given[:-1]):
        np.testing.assert_allclose(motion[:, index], trajectory.at(point.time + step), atol=1e-5)
    last = [given[-1].q] + [getattr(given[-1], f) if f in given_fields else 0 * REST for f in 'va']
    np.testing.assert_array_equal(motion[:, -1], last)


def test_points_may_give_more_or_less_than_their_neighbours():
    full, bare = points('qva'), points('q')
    given = [full[0], bare[1], full[2], Point(full[3].time, full[3].q, full[3].v)]
    motion = Trajectory(given).at_points()
    speed = (given[2].q - given[1].q) / (given[2].time - given[1].time)
    np.testing.assert_allclose(motion[1, 1], speed, rtol=1e-12)
    assert not motion[2, 1].any()
    for index in (0, 2):
        expected = [given[index].q, given[index].v, given[index].a]
        np.testing.assert_array_equal(motion[:, index], expected)


def test_a_single_point_rests_unless_it_says_otherwise():
    efforts = trajectory_efforts(DYNAMICS, JOINTS, [Point(0.0, REST)], REST)
    np.testing.assert_allclose(efforts.total[0], DYNAMICS.gravity_torque(REST), rtol=1e-12)


@pytest.mark.parametrize(
    ('joints', 'given', 'error', 'reason'),
    [
        (JOINTS, [], StateError, 'no points'),
        (JOINTS, points('qa'), StateError, 'accelerations but no'),
        (('turn', 'slide', 'elbow'), points(), UnknownNameError, "unknown joint 'elbow'"),
    ],
)
def test_bad_trajectories_are_refused(joints, given, error, reason):
    with pytest.raises(error, match=reason):
        trajectory_efforts(DYNAMICS, joints, given, REST)


def test_unknown_terms_are_refused():
    efforts = trajectory_efforts(DYNAMICS, JOINTS, points(), REST)
    with pytest.raises(ParameterError, match="'drag' is unknown"):
        efforts.sum_of(['gravity', 'drag'])


def test_demands_are_the_largest_magnitudes_and_limits_are_exceeded_beyond_them():
    efforts = trajectory_efforts(DYNAMICS, JOINTS, points(), REST)
    torques, speeds = np.abs(efforts.total), np.abs(efforts.motion[1])
    lowest, highest = efforts.motion[0].min(axis=0), efforts.motion[0].max(axis=0)
    largest = np.array([lowest, highest, speeds.max(axis=0), torques.max(axis=0)])
    for share, exceeded in ((1.0, False), (0.99, True)):
        limits = [Limits(*column) for column in (share * largest).T]
        for index, demand in enumerate(joint_demands(efforts, JOINTS, limits)):
            assert demand.effort == torques[:, index].max() == torques[demand.effort_point, index]
            assert demand.velocity == speeds[:, index].max()
            assert demand.position in (lowest[index], highest[index])
            for kind in ('effort', 'velocity', 'position'):
                assert getattr(demand, f'{kind}_exceeded') is exceeded
            assert len(demand.excesses()) == (3 if exceeded else 0)
            for said in demand.excesses():
                assert re.search(rf'{demand.joint_name}: \w+ \S+ at point \d, allowed is', said)
