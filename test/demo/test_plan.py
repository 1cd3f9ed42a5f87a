"""The plan keeps to the limits of any arm, and the arm meets its wall."""

import itertools

import numpy as np
import pytest

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.demo import DemoError, default_urdf
from robot_dynamics_ros.demo.plan import (
    DISTANCE,
    HOLDING_SHARE,
    MOVING_SHARE,
    SPEED,
    choose_home,
    make_plan,
)

PLANAR = """
<robot name="planar"><link name="base"/>
  <joint name="a" type="{kind}"><parent link="base"/><child link="upper"/><axis xyz="{axis}"/>
    <limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="{velocity}"/></joint>
  <link name="upper"><inertial><origin xyz="0 0 -0.3"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="b" type="revolute"><parent link="upper"/><child link="lower"/>
    <origin xyz="0 0 -0.6"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="40" velocity="2"/></joint>
  <link name="lower"><inertial><origin xyz="0 0 -0.2"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="c" type="fixed"><parent link="lower"/><child link="tip"/>
    <origin xyz="0 0 -0.5"/></joint>
  <link name="tip"/>
</robot>
"""
USUAL = {'kind': 'revolute', 'axis': '0 1 0', 'lower': -2, 'upper': 2, 'effort': 80, 'velocity': 2}
ARMS = {
    'ordinary': {},
    'narrow': {'lower': 0.1, 'upper': 0.7},
    'slow': {'velocity': 0.05},
    'weak': {'effort': 14},
    'without limits': {'kind': 'continuous', 'velocity': 0},
    'on a rail': {'kind': 'prismatic', 'axis': '1 0 0', 'lower': 0.0, 'upper': 0.6},
}


def planar(**changes):
    return parse_urdf(PLANAR.format(**USUAL | changes))


def ur5():
    try:
        return parse_urdf(default_urdf().read_text())
    except DemoError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize('arm', [*ARMS, 'ur5'])
def test_every_motion_keeps_to_the_limits(arm):
    model = ur5() if arm == 'ur5' else planar(**ARMS[arm])
    plan = make_plan(model, 4.0)
    gravity = np.abs(plan.dynamics.gravity_torque(plan.home))
    assert (gravity <= HOLDING_SHARE * model.effort_bounds).all()
    assert gravity.max() > 1.0
    for trajectory in (plan.trajectory, plan.out, plan.back):
        times = np.linspace(0.0, trajectory.end, 200, endpoint=False)
        q, v, a = np.stack([trajectory.at(time) for time in times], axis=1)
        torques = np.abs(plan.dynamics.inverse_dynamics(q, v, a))
        assert (torques <= 1.01 * MOVING_SHARE * model.effort_bounds).all()
        assert (np.abs(v) <= 1.01 * MOVING_SHARE * model.velocity_bounds).all()
        if arm != 'without limits':
            assert (q >= model.lower).all()
            assert (q <= model.upper).all()


def test_the_trajectory_swings_from_rest_to_rest():
    plan = make_plan(planar(), 4.0)
    points = plan.trajectory.points
    assert (plan.trajectory.start, plan.trajectory.end) == (0.0, pytest.approx(4.0))
    for end in (0, -1):
        np.testing.assert_allclose(points.q[end], plan.home, atol=1e-12)
        np.testing.assert_allclose([points.v[end], points.a[end]], 0.0, atol=1e-9)
    assert (np.ptp(points.q, axis=0) > 0.1).all()
    # Derivatives are those of the positions.
    step = points.times[1] - points.times[0]
    for value, rate in itertools.pairwise((points.q, points.v, points.a)):
        slope = (value[2:] - value[:-2]) / (2 * step)
        np.testing.assert_allclose(slope, rate[1:-1], atol=0.03 * np.abs(rate).max())


def test_names_the_joint_without_an_effort_limit():
    with pytest.raises(DemoError, match='effort limit of a:'):
        make_plan(planar(effort=0), 4.0)


def test_names_the_joint_that_is_too_weak():
    with pytest.raises(DemoError, match=r'held: a, with 0\.0001'):
        choose_home(RobotDynamics(planar(effort=1e-4, lower=0.5)))


@pytest.mark.parametrize(('arm', 'tool'), [(ur5, 'tool0'), (planar, 'tip')])
def test_the_tool_is_pushed_far_away_and_meets_the_wall_on_the_way_back(arm, tool):
    plan = make_plan(arm(), 4.0)
    there = plan.out.at(plan.out.end)[0]
    for way, ends in ((plan.out, (plan.home, there)), (plan.back, (there, plan.home))):
        np.testing.assert_allclose([way.at(0.0)[0], way.at(way.end)[0]], ends)
    assert plan.tool == tool
    # The joints feel the force.
    assert np.abs(plan.dynamics.jacobian(there, tool)[:3].T @ plan.force).max() > 1.0

    times = np.linspace(0.0, plan.back.end, 400)
    poses = np.array([plan.back.at(time)[0] for time in times])
    places = plan.dynamics.frame_pose(poses, tool)[1]
    assert np.linalg.norm(places[0] - places[-1]) > DISTANCE
    gap = (places - plan.wall_point) @ plan.wall_normal - 0.05
    met = int(np.argmax(gap <= 0.0))
    assert gap[0] > 0.02
    assert gap[-1] < 0.0
    velocity = np.gradient(places, times, axis=0)[met]
    assert np.linalg.norm(velocity) == pytest.approx(SPEED, rel=0.1)
    assert -velocity @ plan.wall_normal == pytest.approx(np.linalg.norm(velocity), rel=0.02)
