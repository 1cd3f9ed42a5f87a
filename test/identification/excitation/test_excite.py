"""Optimised motions: within every limit, better than random ones, the same for the same seed."""

import re
from dataclasses import replace

import numpy as np
import pytest
import yaml

pytest.importorskip('scipy')
pytest.importorskip('pinocchio')

from excited_arm import (
    JOINTS,
    SETTINGS,
    dynamics,
    excited,
    random_poses,
    urdf,
)

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import (
    JointFriction,
    ParameterError,
    RobotDynamics,
    UnknownNameError,
    parse_urdf,
)
from robot_dynamics_ros.identification.excitation.clearance import Clearance
from robot_dynamics_ros.identification.excitation.excitation import (
    RESERVE,
    WIDER,
    Constraints,
    Search,
    above_samples,
    excite,
)
from robot_dynamics_ros.identification.excitation.information import Information
from robot_dynamics_ros.identification.excitation.limits import MotionLimits
from robot_dynamics_ros.identification.excitation.motion import (
    ExcitationSettings,
    FourierSeries,
    resting_space,
)
from robot_dynamics_ros.oracle.collisions import FLOOR


@pytest.fixture(scope='module')
def found():
    return excited()


def played(found, rate=500.0):
    """States at a rate that shares nothing with the samples of the optimisation."""
    times = np.arange(0.0, found.settings.duration, 1.0 / rate) + 0.37 / rate
    return times, *found.series.at(times)


def test_limits_hold_between_the_samples_too(found):
    """Each joint comes near to one of its limits: it is the limits that end the search."""
    _, q, v, a, jerk = played(found)
    robot, share = dynamics(), found.settings.share
    model = robot.model
    torque = robot.inverse_dynamics(q, v, a) + JointFriction(model).torque(v)
    middle, half = (model.upper + model.lower) / 2.0, (model.upper - model.lower) / 2.0
    speed, effort = model.velocity_limits, model.effort_limits
    uses = (q - middle) / half, v / speed, a / (4.0 * speed), 0.0 * jerk, torque / effort
    largest = np.abs(uses).max(axis=1)
    assert (largest <= found.shares + 1e-9).all()
    assert (largest[:3] >= 0.95 * found.shares[:3]).all()
    assert (found.shares <= share).all()
    assert (found.shares.max(axis=0) > 0.7 * share).all()
    assert found.log_det > found.random.max()
    assert found.improvement > 1.2


def test_distances_hold_between_the_samples_too(found):
    clearance = found.constraints.clearance
    assert (found.distances >= clearance.needed).all()
    smallest = clearance.distances(played(found)[1]).min(axis=0)
    assert (smallest >= found.distances - 1e-12).all()
    (apart, pair), (height, (_, floor)) = (found.nearest(floor=floor) for floor in (False, True))
    assert min(apart, height) >= SETTINGS.distance
    assert (apart, floor) == (found.distances[clearance.names.index(pair)], FLOOR)


def test_it_starts_and_ends_at_rest_where_it_is_asked_to():
    """Joints that are not named are at zero; the motion still keeps its limits."""
    found = excited(start=(('elbow', 0.9), ('turn', -0.4)))
    q, v, a, _ = found.series.at(np.array([0.0, SETTINGS.duration]))
    np.testing.assert_allclose(q, [[-0.4, 0.0, 0.9, 0.0]] * 2, atol=1e-12)
    np.testing.assert_allclose(v, 0.0, atol=1e-9)
    np.testing.assert_allclose(a, 0.0, atol=1e-8)
    assert (found.distances >= found.constraints.clearance.needed).all()
    assert found.shares.max() <= SETTINGS.share
    assert found.log_det > found.random.max()


@pytest.mark.parametrize(
    ('changes', 'said'),
    [
        ({'floor': 2.0}, '-.* above the floor'),
        ({'share': 0.01}, ' uses .* effort limit'),
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
    times, *motion, _ = played(found, rate=100.0)
    rows = np.array([interpolated.at(time) for time in times])
    for order, (values, allowed) in enumerate(zip(motion, (1e-6, 1e-5, 2e-3), strict=True)):
        assert np.abs(rows[:, order] - values).max() < allowed
    assert not re.search(r'-0\.0+[,\]]', text)
    # Within the braces of a goal of FollowJointTrajectory.
    assert yaml.safe_load(f'{{trajectory: {text}}}') == {'trajectory': trajectory}


def constraints(text=None, share=0.6):
    text = text or urdf()
    robot = RobotDynamics(parse_urdf(text))
    limits = MotionLimits.of(robot.model, text, 5.0)
    clearance = Clearance(robot, text, None, random_poses(50), distance=0.1, floor=0.0)
    return Constraints(robot, limits, share, clearance)


def test_all_violations_and_the_slope_of_the_cost():
    one = constraints(urdf().replace('velocity="2.5"', 'velocity="2.5" jerk="9"'))
    random, settings = np.random.default_rng(1), ExcitationSettings(duration=4.0, frequency=1.0)
    search = Search(settings, Information(dynamics()), one, None, random)
    x = 1.5 * random.normal(size=search.random_motion().size)
    motion = search.series(x.reshape(-1, len(JOINTS))).at(search.times)
    excess = np.maximum(np.abs(one.shares(*motion)) / one.share - (1.0 - RESERVE), 0.0)
    assert excess.any(axis=(1, 2)).all()  # of each limit
    near = one.clearance.lacking(motion[0], WIDER)(motion[0])
    assert near.any()
    found = one.violation(*motion)(*motion)
    np.testing.assert_allclose(found, near + (excess**2).sum(axis=(0, 2)))
    steps = 1e-6 * np.eye(x.size)
    for weight in (0.0, 3.0):
        _, slope = search._cost(x, weight)
        ends = [[search._cost(x + sign * h, weight)[0] for sign in (-1, 1)] for h in steps]
        expected = np.diff(ends).ravel() / 2e-6
        np.testing.assert_allclose(slope, expected, rtol=1e-3, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize(('seed', 'friction'), [(0, 0.3), (1, 0.3), (1, 20.0), (2, 20.0)])
def test_all_is_kept_between_the_samples(seed, friction):
    """Friction, little or much, in the direction in which it counts more."""
    one = constraints(urdf().replace('friction="0.3"', f'friction="{friction}"'))
    random, space = np.random.default_rng(seed), resting_space(SETTINGS.harmonics)
    coefficients = space @ random.normal(size=(space.shape[1], len(JOINTS)))
    start = random.uniform(-1.0, 1.0, len(JOINTS))
    series = FourierSeries(SETTINGS.duration, SETTINGS.harmonics, start, coefficients)
    shares, _ = one.used(series)
    motion = series.at(np.linspace(0.0, SETTINGS.duration, 20_000))
    largest = np.abs(one.shares(*motion)).max(axis=1)
    assert (largest <= shares * (1.0 + 1e-9)).all()
    np.testing.assert_allclose(shares, largest, rtol=0.02)
    q, v, a, _ = motion
    model = parse_urdf(urdf().replace('friction="0.3"', f'friction="{friction}"'))
    torque = RobotDynamics(model).inverse_dynamics(q, v, a) + JointFriction(model).torque(v)
    assert (np.abs(torque / model.effort_limits).max(axis=0) <= shares[4]).all()


def test_a_minimum_between_samples_is_covered():
    """Wherever the bend of a V-shaped distance lies between the samples."""
    times = np.arange(12.0)
    for bend in np.linspace(4.0, 5.0, 21):
        distances = 0.1 + 0.3 * np.abs(times - bend)
        assert -above_samples(-distances[:, None]).max() <= 0.1 + 1e-12
