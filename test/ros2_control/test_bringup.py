"""The launch file of the controller, where launch is at hand: what it refuses, and its MJCF."""

import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip('launch.actions')
pytest.importorskip('launch_ros.actions')

from launch import LaunchContext

from robot_dynamics_ros.core import parse_urdf

FILE = Path(__file__).parents[2] / 'robot_dynamics_controller/launch/bringup.launch.py'
LINK = """<link name="{0}_link"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="{0}" type="revolute"><parent link="base"/><child link="{0}_link"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/>{1}</joint>"""
GRIPPER = (
    '<robot name="gripper"><link name="base"/>'
    + LINK.format('left', '')
    + LINK.format('right', '<mimic joint="left" multiplier="-1" offset="0.2"/>')
    + '</robot>'
)


@pytest.mark.parametrize(('name', 'near'), [('descripton', 'description'), ('modes', 'mode')])
def test_an_argument_that_does_not_exist_is_refused(name, near):
    context = LaunchContext()
    context.launch_configurations[name] = 'x'
    with pytest.raises(RuntimeError, match=f"{name}.*'{near}'"):
        runpy.run_path(str(FILE))['start'](context)


def test_the_simulated_gripper_has_its_gear():
    pytest.importorskip('mujoco')
    joints = list(parse_urdf(GRIPPER).joint_names)
    model = ElementTree.fromstring(runpy.run_path(str(FILE))['mujoco_model'](GRIPPER, joints))
    gear = model.find('equality/joint')
    assert (gear.get('joint1'), gear.get('joint2')) == ('right', 'left')
    assert [float(value) for value in gear.get('polycoef').split()[:2]] == [0.2, -1.0]
    assert [motor.get('joint') for motor in model.find('actuator')] == joints == ['left']
