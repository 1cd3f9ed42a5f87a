"""Optimised motions: within every limit, better than random ones, the same for the same seed."""

from dataclasses import replace

import numpy as np
import pytest
import yaml

pytest.importorskip('scipy')

from excited_arm import (
    JOINTS,
    SETTINGS,
    dynamics,
    excited,
    random_poses,
    slope_by_differences,
    urdf,
)

from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import JointFriction, ParameterError, StateError
from robot_dynamics_ros.identification.excitation.clearance.clearance import Clearance
from robot_dynamics_ros.identification.excitation.excited_motion import excite
from robot_dynamics_ros.identification.excitation.motion_effort import Effort
from robot_dynamics_ros.identification.excitation.motion_limits import MotionLimits
from robot_dynamics_ros.identification.excitation.trajectory_text import (
    goal_text,
    trajectory_text,
)
from robot_dynamics_ros.identification.excitation.violation import MotionConstraints


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
    used = found.used
    for values, limit, stated in (
        (q - middle, half, used.position),
        (v, model.velocity_limits, used.velocity),
        (a, 4.0 * model.velocity_limits, used.acceleration),
        (torque, model.effort_limits, used.effort),
    ):
        largest = (np.abs(values) / limit).max(axis=0)
        assert (largest <= stated * (1.0 + 1e-9)).all()
        assert (largest >= 0.9 * stated).all()
        assert (stated <= share).all()
    # It is the limits that end the search: each joint comes near to one of them.
    nearest = np.max([used.position, used.velocity, used.acceleration, used.effort], axis=0)
    assert (nearest > 0.7 * share).all()


def test_distances_hold_between_the_samples_too(found):
    _, q, _, _ = played(found)
    near = found.clearance.at(q, 0.5)
    assert near.apart.min() >= found.used.apart >= SETTINGS.distance
    assert near.height.min() >= found.used.height >= SETTINGS.distance
    assert near.kept
    assert found.used.kept


def test_it_tells_more_than_random_motions(found):
    assert found.merit.log_det > found.random.max()
    assert found.improvement > 1.2


def test_it_starts_and_ends_at_rest(found):
    _, v, a = found.series.at(np.array([0.0, SETTINGS.duration]))
    np.testing.assert_allclose(v, 0.0, atol=1e-9)
    np.testing.assert_allclose(a, 0.0, atol=1e-8)


def test_periods_add_up(found):
    """Of two periods the information is twice that of one."""
    size = found.information.rank
    q, v, a = (np.concatenate([part, part]) for part in played(found)[1:])
    once = found.information.of(*played(found)[1:]).log_det
    assert found.information.of(q, v, a).log_det == pytest.approx(once + size * np.log(2.0))


def test_a_start_is_kept():
    start = (0.4, -0.3, 0.6, 0.2)
    found = excited(start=start, steps=24)
    q, _, _ = found.series.at(np.array([0.0, SETTINGS.duration]))
    np.testing.assert_allclose(q, [start, start], atol=1e-9)
    assert found.merit.log_det > found.random.max()


def test_a_floor_matters():
    """A floor above the lowest point of a free motion changes the motion."""
    low = Clearance(
        dynamics(), urdf(), None, random_poses(50), distance=0.04, floor=-9.0, mujoco=False
    )

    def lowest(found):
        """Of forearm and hand; the column always reaches below."""
        return low.at(played(found)[1], 0.5).height[:, 2:].min() - 9.0

    free = excited(floor=None, steps=24)
    floor = lowest(free) + 0.05
    assert lowest(excited(floor=floor, steps=24)) >= floor + SETTINGS.distance


@pytest.mark.parametrize(
    ('changes', 'error', 'said'),
    [
        ({'floor': 2.0}, ParameterError, '-.* above the floor'),
        ({'share': 0.01}, ParameterError, 'shoulder needs'),
        ({'start': (0.0, 0.0)}, StateError, '2 values, needed are 4'),
        ({'start': (0.0, 2.6, 0.0, 0.0)}, ParameterError, 'shoulder is 2.6'),
        ({'start': (0.0, 1.6, 1.5, 0.0)}, ParameterError, 'hand is -0.*floor'),
    ],
)
def test_what_is_impossible_is_refused(changes, error, said):
    with pytest.raises(error, match=said):
        excite(dynamics(), urdf(), None, replace(SETTINGS, **changes))


def test_the_slope_of_all_violations():
    robot = dynamics()
    limits = MotionLimits.of(robot.model, 5.0)
    clearance = Clearance(
        robot, urdf(), None, random_poses(50), distance=0.1, floor=0.0, mujoco=False
    )
    constraints = MotionConstraints(limits, 0.6, Effort(robot), clearance)
    random = np.random.default_rng(1)
    motion = [random_poses(6, 3), *random.uniform(-6.0, 6.0, (2, 6, len(JOINTS)))]
    slopes = constraints.violation(*motion, reserve=0.02).slopes
    for order in range(3):

        def total(x, order=order):
            changed = [*motion]
            changed[order] = x
            return constraints.violation(*changed, reserve=0.02).total

        expected = slope_by_differences(total, motion[order])
        np.testing.assert_allclose(
            slopes[order], expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max()
        )


def points_of(trajectory):
    return [
        Point(
            point['time_from_start']['sec'] + 1e-9 * point['time_from_start']['nanosec'],
            *(np.array(point[part]) for part in ('positions', 'velocities', 'accelerations')),
        )
        for point in trajectory['points']
    ]


def test_the_trajectory_is_the_motion(found):
    """Interpolated by quintic polynomials, as a controller does."""
    text = trajectory_text(found, ['a remark: {'])
    trajectory = yaml.safe_load(text)
    assert tuple(trajectory['joint_names']) == JOINTS
    interpolated = Trajectory(points_of(trajectory))
    assert (interpolated.start, interpolated.end) == (0.0, SETTINGS.duration)
    times, *motion = played(found, rate=100.0)
    rows = np.array([interpolated.at(time) for time in times])
    for order, (values, allowed) in enumerate(zip(motion, (1e-6, 1e-5, 2e-3), strict=True)):
        assert np.abs(rows[:, order] - values).max() < allowed
    assert yaml.safe_load(goal_text(found, []))['trajectory'] == trajectory


def test_a_message_takes_the_trajectory(found):
    """As `ros2 topic pub` sets its fields."""
    messages = pytest.importorskip('trajectory_msgs.msg')
    runtime = pytest.importorskip('rosidl_runtime_py')
    message = messages.JointTrajectory()
    runtime.set_message_fields(message, yaml.safe_load(trajectory_text(found, [])))
    assert tuple(message.joint_names) == JOINTS
    assert len(message.points) == len(found.times)
