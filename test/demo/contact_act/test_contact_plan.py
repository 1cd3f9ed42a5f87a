"""The plan of the fourth act, for an arm that feels every push, and for one that does not."""

import numpy as np
import pytest

pytest.importorskip('mujoco')

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.demo import DemoError
from robot_dynamics_ros.demo.contact_act.contact_plan import SPEED, plan_contact
from robot_dynamics_ros.demo.default_arm import default_urdf
from robot_dynamics_ros.demo.plan import HOLDING_SHARE, MOVING_SHARE, choose_home
from robot_dynamics_ros.simulation.physics import Physics

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


@pytest.fixture(scope='module', params=['UR5', 'planar'])
def planned(request):
    if request.param == 'UR5':
        try:
            text = default_urdf().read_text()
        except DemoError as error:
            pytest.skip(str(error))
    else:
        text = PLANAR
    model = parse_urdf(text)
    arm = Physics(text, model.joint_names, friction=False)
    home = choose_home(arm.limits, arm.required_torque)
    return arm, home, plan_contact(model, arm, home), request.param


def tool_at(arm, plan, q):
    arm.reset(q)
    return arm.outside.frame(plan.tool)[1]


def test_what_is_pushed_is_the_tool_and_whether_it_is_felt(planned):
    _, _, plan, name = planned
    assert plan.tool == {'UR5': 'tool0', 'planar': 'tip'}[name]
    assert plan.felt is (name == 'UR5')
    assert (plan.thresholds > 0.0).all()


def test_the_way_leads_out_and_back_within_the_limits(planned):
    arm, home, plan, _ = planned
    np.testing.assert_allclose(plan.out.at(0.0)[0], home)
    np.testing.assert_allclose(plan.back.at(plan.back.end)[0], home)
    there = plan.out.at(plan.out.end)[0]
    np.testing.assert_allclose(plan.back.at(0.0)[0], there)
    efforts = np.array([joint.effort for joint in arm.limits])
    speeds = np.array([joint.velocity for joint in arm.limits])
    still = np.zeros_like(there)
    assert (np.abs(arm.required_torque(there, still, still)) <= HOLDING_SHARE * efforts).all()
    for time in np.linspace(0.0, plan.back.end, 40):
        q, v, a = plan.back.at(time)
        assert (np.abs(v) <= MOVING_SHARE * speeds * (1.0 + 1e-6)).all()
        assert (np.abs(arm.required_torque(q, v, a)) <= 1.1 * MOVING_SHARE * efforts).all()


def test_the_tool_meets_the_wall_once_and_fast(planned):
    arm, _, plan, _ = planned
    wall = plan.wall
    times = np.linspace(0.0, plan.back.end, 400)
    places = np.array([tool_at(arm, plan, plan.back.at(time)[0]) for time in times])
    gap = (places - wall.point) @ wall.normal - wall.radius
    met = int(np.argmax(gap <= 0.0))
    assert gap[0] > 0.02
    assert gap[-1] < 0.0
    assert 0 < met < len(times) - 1
    velocity = np.gradient(places, times, axis=0)[met]
    assert np.linalg.norm(velocity) == pytest.approx(SPEED, rel=0.1)
    assert -velocity @ wall.normal == pytest.approx(np.linalg.norm(velocity), rel=0.02)
