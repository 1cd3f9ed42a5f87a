"""The plan: of joints whose torques are known, and of arms that feel every push or do not."""

import itertools
import math

import numpy as np
import pytest

pytest.importorskip('mujoco')

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.demo import DemoError, default_urdf
from robot_dynamics_ros.demo.plan import (
    HOLDING_SHARE,
    MOVING_SHARE,
    SPEED,
    choose_home,
    limits,
    plan_contact,
    plan_trajectory,
)
from robot_dynamics_ros.simulation.mujoco_model import JointData
from robot_dynamics_ros.simulation.physics import Physics


def joint(name='a', kind='revolute', lower=-3.0, upper=3.0, velocity=2.0, effort=50.0):
    return JointData(name, kind, lower, upper, velocity, effort, 0.0, 0.0, mimic=False)


FREE = (-math.inf, math.inf, math.inf)
ARMS = {
    'ordinary': [joint('a'), joint('b', effort=20.0)],
    'narrow': [joint('a', lower=0.1, upper=0.3), joint('b', lower=-2.0, upper=-1.0)],
    'slow': [joint('a', velocity=0.05), joint('b')],
    'weak': [joint('a', effort=11.0), joint('b', effort=3.0)],
    'unlimited': [joint('a', 'continuous', *FREE), joint('b', 'prismatic', *FREE)],
    'on a rail': [joint('a', 'prismatic', 0.0, 0.4), joint('b')],
}


def torque(q, v, a):
    """An arm of two joints that feel gravity and inertia each for itself."""
    return np.array([10.0 * np.sin(q[0]) + 2.0 * a[0], 2.0 * np.cos(q[1]) + 0.5 * a[1]])


@pytest.mark.parametrize('joints', ARMS.values(), ids=ARMS)
def test_the_trajectory_swings_about_a_pose_that_pulls_within_the_limits(joints):
    home = choose_home(joints, torque)
    pull = np.abs(torque(home, np.zeros(2), np.zeros(2)))
    assert (pull <= HOLDING_SHARE * limits(joints, 'effort')).all()
    assert pull.max() > 1.0
    trajectory = plan_trajectory(joints, home, torque, 4.0)
    assert (trajectory.start, trajectory.end) == (0.0, pytest.approx(4.0))
    q, v, a = (np.array([getattr(point, each) for point in trajectory.points]) for each in 'qva')
    for end in (0, -1):
        np.testing.assert_allclose(q[end], home, atol=1e-12)
        np.testing.assert_allclose([v[end], a[end]], 0.0, atol=1e-9)
    assert (q > limits(joints, 'lower')).all()
    assert (q < limits(joints, 'upper')).all()
    assert (np.ptp(q, axis=0) > 0.01).all()
    assert (np.abs(v) <= MOVING_SHARE * limits(joints, 'velocity') + 1e-12).all()
    torques = np.array([torque(*row) for row in zip(q, v, a, strict=True)])
    assert (np.abs(torques) <= MOVING_SHARE * limits(joints, 'effort')).all()
    # Derivatives are those of the positions.
    step = trajectory.points[1].time - trajectory.points[0].time
    for value, rate in itertools.pairwise((q, v, a)):
        slope = (value[2:] - value[:-2]) / (2 * step)
        np.testing.assert_allclose(slope, rate[1:-1], atol=0.03 * np.abs(rate).max())


def test_names_the_joint_that_is_too_weak():
    with pytest.raises(DemoError, match=r'held: b, with 0\.0001'):
        choose_home([joint('a'), joint('b', effort=1e-4)], torque)


PLANAR = """
<robot name="planar"><link name="base"/>
  <joint name="a" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="80" velocity="2"/></joint>
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


@pytest.mark.parametrize(('name', 'tool'), [('UR5', 'tool0'), ('planar', 'tip')])
def test_the_tool_is_pushed_far_away_and_meets_the_wall_on_the_way_back(name, tool):
    text = PLANAR
    if name == 'UR5':
        try:
            text = default_urdf().read_text()
        except DemoError as error:
            pytest.skip(str(error))
    model = parse_urdf(text)
    arm = Physics(text, model.joint_names, friction=False)
    home = choose_home(arm.limits, arm.required_torque)
    plan = plan_contact(model, arm, home)
    assert plan.tool == tool
    assert plan.felt is (name == 'UR5')
    assert (plan.thresholds > 0.0).all()

    there = plan.out.at(plan.out.end)[0]
    for way, ends in ((plan.out, (home, there)), (plan.back, (there, home))):
        np.testing.assert_allclose([way.at(0.0)[0], way.at(way.end)[0]], ends)
    efforts, speeds = limits(arm.limits, 'effort'), limits(arm.limits, 'velocity')
    for time in np.linspace(0.0, plan.back.end, 40):
        q, v, a = plan.back.at(time)
        assert (np.abs(v) <= MOVING_SHARE * speeds * (1.0 + 1e-6)).all()
        assert (np.abs(arm.required_torque(q, v, a)) <= 1.1 * MOVING_SHARE * efforts).all()

    def tool_at(q):
        arm.reset(q)
        return arm.outside.frame(plan.tool)[1]

    wall, times = plan.wall, np.linspace(0.0, plan.back.end, 400)
    places = np.array([tool_at(plan.back.at(time)[0]) for time in times])
    gap = (places - wall.point) @ wall.normal - wall.radius
    met = int(np.argmax(gap <= 0.0))
    assert gap[0] > 0.02
    assert gap[-1] < 0.0
    velocity = np.gradient(places, times, axis=0)[met]
    assert np.linalg.norm(velocity) == pytest.approx(SPEED, rel=0.1)
    assert -velocity @ wall.normal == pytest.approx(np.linalg.norm(velocity), rel=0.02)
