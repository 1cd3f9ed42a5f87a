import itertools
import math

import numpy as np
import pytest

from robot_dynamics_ros.demo import DemoError
from robot_dynamics_ros.demo.plan import HOLDING_SHARE, MOVING_SHARE, choose_home, plan_trajectory
from robot_dynamics_ros.simulation.mujoco_model import JointData


def joint(name='a', kind='revolute', lower=-3.0, upper=3.0, velocity=2.0, effort=50.0):
    return JointData(name, kind, lower, upper, velocity, effort, 0.0, 0.0, mimic=False)


ARMS = {
    'ordinary': [joint('a'), joint('b', effort=20.0)],
    'narrow': [joint('a', lower=0.1, upper=0.3), joint('b', lower=-2.0, upper=-1.0)],
    'slow': [joint('a', velocity=0.05), joint('b')],
    'weak': [joint('a', effort=11.0), joint('b', effort=3.0)],
    'unlimited': [
        joint('a', 'continuous', -math.inf, math.inf, math.inf, math.inf),
        joint('b', 'prismatic', -math.inf, math.inf, math.inf, math.inf),
    ],
    'on a rail': [joint('a', 'prismatic', 0.0, 0.4), joint('b')],
}


def torque(q, v, a):
    """An arm of two joints that feel gravity and inertia each for itself."""
    return np.array([10.0 * np.sin(q[0]) + 2.0 * a[0], 2.0 * np.cos(q[1]) + 0.5 * a[1]])


def limits(joints, name):
    return np.array([getattr(joint, name) for joint in joints])


@pytest.fixture(params=ARMS)
def joints(request):
    return ARMS[request.param]


@pytest.fixture
def plan(joints):
    home = choose_home(joints, torque)
    return home, plan_trajectory(joints, home, torque, 4.0)


def test_home_can_be_held_and_pulls(joints, plan):
    home, _ = plan
    zero = np.zeros(2)
    assert (home > limits(joints, 'lower')).all()
    assert (home < limits(joints, 'upper')).all()
    pull = np.abs(torque(home, zero, zero))
    assert (pull <= HOLDING_SHARE * limits(joints, 'effort')).all()
    assert pull.max() > 1.0


def test_home_is_the_same_every_time(joints, plan):
    np.testing.assert_array_equal(choose_home(joints, torque), plan[0])


def columns(trajectory):
    return (np.array([getattr(point, name) for point in trajectory.points]) for name in 'qva')


def test_trajectory_goes_from_rest_to_rest(plan):
    home, trajectory = plan
    assert (trajectory.start, trajectory.end) == (0.0, pytest.approx(4.0))
    for end in (trajectory.points[0], trajectory.points[-1]):
        np.testing.assert_allclose(end.q, home, atol=1e-12)
        np.testing.assert_allclose(end.v, 0.0, atol=1e-12)
        np.testing.assert_allclose(end.a, 0.0, atol=1e-9)


def test_trajectory_keeps_to_the_limits_and_uses_them(joints, plan):
    _, trajectory = plan
    q, v, a = columns(trajectory)
    assert (q > limits(joints, 'lower')).all()
    assert (q < limits(joints, 'upper')).all()
    assert (np.abs(v) <= MOVING_SHARE * limits(joints, 'velocity') + 1e-12).all()
    torques = np.array([torque(*row) for row in zip(q, v, a, strict=True)])
    assert (np.abs(torques) <= MOVING_SHARE * limits(joints, 'effort')).all()
    assert (np.ptp(q, axis=0) > 0.01).all()


def test_derivatives_are_those_of_the_positions(plan):
    _, trajectory = plan
    step = trajectory.points[1].time - trajectory.points[0].time
    for value, rate in itertools.pairwise(columns(trajectory)):
        slope = (value[2:] - value[:-2]) / (2 * step)
        np.testing.assert_allclose(slope, rate[1:-1], atol=0.03 * np.abs(rate).max())


def test_interpolation_stays_on_the_curve(joints):
    home = np.zeros(2) if joints[0].lower < 0 else np.array([0.2, -1.5])
    coarse, fine = (plan_trajectory(joints, home, torque, 4.0) for _ in range(2))
    middle = [(one.time + next_.time) / 2 for one, next_ in itertools.pairwise(fine.points)]
    for time in middle[::10]:
        q, v, _ = coarse.at(time)
        after, *_ = coarse.at(time + 1e-5)
        np.testing.assert_allclose((after - q) / 1e-5, v, atol=1e-3)


def test_names_the_joint_that_is_too_weak():
    with pytest.raises(DemoError, match=r'held: b, with 0\.0001'):
        choose_home([joint('a'), joint('b', effort=1e-4)], torque)
