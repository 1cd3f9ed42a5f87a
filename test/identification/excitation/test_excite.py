"""Optimised motions: within every limit, better than random ones, the same for the same seed."""

import re
from dataclasses import replace

import numpy as np
import pytest
import yaml

pytest.importorskip('scipy')
pytest.importorskip('coal')

from excited_arm import JOINTS, SETTINGS, dynamics, excited, random_poses, urdf

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import (
    JointFriction,
    ParameterError,
    RobotDynamics,
    UnknownNameError,
    parse_urdf,
)
from robot_dynamics_ros.identification.excitation.clearance import Clearance
from robot_dynamics_ros.identification.excitation.constraints import Constraints, MotionLimits
from robot_dynamics_ros.identification.excitation.excitation import excite
from robot_dynamics_ros.identification.excitation.information import Information
from robot_dynamics_ros.identification.excitation.optimisation import (
    Optimisation,
    largest_allowed,
    resting_poses,
)


@pytest.fixture(scope='module')
def found():
    return excited()


def played(found, rate=500.0):
    """States at a rate that shares nothing with the samples of the optimisation."""
    times = np.arange(0.0, found.settings.duration, 1.0 / rate) + 0.37 / rate
    return times, *found.series.at(times)


def test_limits_hold_between_the_samples_too(found):
    _, q, v, a = played(found)
    robot, share = dynamics(), found.settings.share
    model = robot.model
    torque = robot.inverse_dynamics(q, v, a) + JointFriction(model).torque(v)
    middle, half = (model.upper + model.lower) / 2.0, (model.upper - model.lower) / 2.0
    speed, effort = model.velocity_limits, model.effort_limits
    uses = (q - middle) / half, v / speed, a / (4.0 * speed), torque / effort
    for largest, stated in zip(np.abs(uses).max(axis=1), found.shares, strict=True):
        assert (largest <= stated * (1.0 + 1e-9)).all()
        assert (largest >= 0.9 * stated).all()
        assert (stated <= share).all()
    # It is the limits that end the search: each joint comes near to one of them.
    assert (found.shares.max(axis=0) > 0.7 * share).all()


def test_distances_hold_between_the_samples_too(found):
    near = found.near
    assert near.kept
    assert min(near.apart, near.height) >= SETTINGS.distance
    smallest = found.constraints.clearance.distances(played(found)[1], 0.5).min()
    assert smallest >= min(near.apart, near.height)


def test_it_starts_and_ends_at_rest_where_it_is_asked_to():
    """Joints that are not named are at zero; the motion still keeps its limits."""
    found = excited(start=(('elbow', 0.9), ('turn', -0.4)))
    q, v, a = found.series.at(np.array([0.0, SETTINGS.duration]))
    np.testing.assert_allclose(q, [[-0.4, 0.0, 0.9, 0.0]] * 2, atol=1e-12)
    np.testing.assert_allclose(v, 0.0, atol=1e-9)
    np.testing.assert_allclose(a, 0.0, atol=1e-8)
    assert found.near.kept
    assert found.shares.max() <= SETTINGS.share
    assert found.log_det > found.random.max()


def test_it_tells_more_than_random_motions(found):
    assert found.log_det > found.random.max()
    # Of a determinant of so many parameters, the geometric mean of the deviations.
    gain = np.exp((found.log_det - np.median(found.random)) / (2.0 * found.information.rank))
    assert found.improvement == pytest.approx(gain)
    assert gain > 1.2


def test_a_floor_matters_and_periods_add_up():
    """A floor above the lowest point of a free motion, here of two periods, changes the motion."""
    low = Clearance(dynamics(), urdf(), None, random_poses(50), distance=0.04, floor=-9.0)

    def lowest(found):
        """Of forearm and hand, which are last; the column always reaches below."""
        return low.distances(played(found)[1], 20.0)[:, -2:].min() - 9.0

    free = excited(floor=None, seed=1, duration=12.0)
    assert lowest(free) < 0.0
    assert lowest(excited(seed=1)) >= SETTINGS.distance
    band = free.series.band
    assert band.periods == 2
    whole = free.information.of(*free.series.at(band.times(16, 2)[:-1]))
    assert free.log_det == pytest.approx(whole.log_det)
    assert free.condition == pytest.approx(whole.condition)
    assert free.log_det > free.random.max() > free.log_det - 3.0 * free.information.rank


@pytest.mark.parametrize(
    ('changes', 'said'),
    [
        ({'floor': 2.0}, '-.* above the floor'),
        ({'share': 0.01}, 'shoulder uses'),
        # Where the motor holds the arm, the hand is below this floor.
        ({'floor': 0.9, 'share': 0.05}, 'above the floor'),
        ({'start': {'turn': 2.6}}, 'turn uses'),
        ({'start': {'shoulder': 1.5, 'elbow': 1.5}}, 'above the floor'),
        ({'start': {'knee': 1.0}}, 'knee'),
    ],
)
def test_what_is_impossible_is_refused(changes, said):
    with pytest.raises((ParameterError, UnknownNameError), match=said):
        excite(dynamics(), urdf(), None, replace(SETTINGS, **changes))


def points_of(trajectory):
    for point in trajectory['points']:
        time = point['time_from_start']
        states = (point[part] for part in ('positions', 'velocities', 'accelerations'))
        yield Point(time['sec'] + 1e-9 * time['nanosec'], *map(np.array, states))


def test_the_trajectory_is_the_motion(found):
    """Interpolated by quintic polynomials, as a controller does."""
    text = found.trajectory_text(['a remark: {'])
    trajectory = yaml.safe_load(text)
    assert tuple(trajectory['joint_names']) == JOINTS
    interpolated = Trajectory([*points_of(trajectory)])
    assert (interpolated.start, interpolated.end) == (0.0, SETTINGS.duration)
    times, *motion = played(found, rate=100.0)
    rows = np.array([interpolated.at(time) for time in times])
    for order, (values, allowed) in enumerate(zip(motion, (1e-6, 1e-5, 2e-3), strict=True)):
        assert np.abs(rows[:, order] - values).max() < allowed
    assert not re.search(r'-0\.0+[,\]]', text)
    # Within the braces of a goal of FollowJointTrajectory.
    assert yaml.safe_load(f'{{trajectory: {text}}}') == {'trajectory': trajectory}


def test_random_motions_use_all_that_is_allowed():
    """Of a strong robot alone in space: each joint reaches a limit, about a pose at rest."""
    text = re.sub('effort="[0-9]+"', 'effort="1e6"', urdf(joints=2))
    robot, random, share = RobotDynamics(parse_urdf(text)), np.random.default_rng(2), 0.7
    limits = MotionLimits.of(robot.model, 9.0)
    clearance = Clearance(robot, text, None, np.zeros((9, 2)), distance=0.1, floor=None)
    constraints = Constraints(robot, limits, share, clearance)
    poses = resting_poses(constraints, random)
    spread = np.abs(poses - limits.middle).max(axis=0) / (share * limits.half)
    assert ((spread > 0.98) & (spread <= 1.0)).all()
    search = Optimisation(SETTINGS.band, Information(robot), constraints, None, random)
    for _ in range(5):
        q, v, a = search.series(search.random_motion()).at(search.times)
        pose = (q.max(axis=0) + q.min(axis=0)) / 2.0
        room = share * limits.half - np.abs(pose - limits.middle)
        allowed = room, share * limits.velocity, share * limits.acceleration
        used = [np.abs(x).max(axis=0) / y for x, y in zip((q - pose, v, a), allowed, strict=True)]
        np.testing.assert_allclose(np.max(used, axis=0), 1.0, rtol=1e-9)


def test_the_largest_motion_that_is_allowed():
    rest, change = np.array([2.0, -1.0]), np.array([1.0, 3.0])
    np.testing.assert_array_equal(largest_allowed(rest, change, lambda one: True), rest + change)
    half = largest_allowed(rest, change, lambda one: one[0] <= 2.5)
    np.testing.assert_allclose(half, rest + 0.5 * change, atol=0.01)
    assert half[0] <= 2.5
