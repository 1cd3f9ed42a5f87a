"""The example controller: its torques of a cycle, compiled with an exported robot, without ROS."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from exported_library import WARNINGS, needs_compilers, run
from three_joints import URDF

from robot_dynamics_ros.cli import write_folder
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.export import export_c

pytestmark = pytest.mark.contract

EXAMPLE = Path(__file__).resolve().parents[2] / 'examples' / 'ros2_control'


@needs_compilers
def test_no_step_limits_bad_values_and_no_memory(tmp_path):
    """The checks of the example, which `colcon test` runs too."""
    write_folder(tmp_path / 'arm', export_c(parse_urdf(URDF), name='arm'))
    robot = (EXAMPLE / 'robot.hpp.in').read_text().replace('@ROBOT@', 'arm')
    header = tmp_path / 'include/dynamics_feedforward/robot.hpp'
    header.parent.mkdir(parents=True)
    header.write_text(robot)
    included = ['-I', tmp_path / 'include', '-I', tmp_path / 'arm/include']
    run('cc', '-std=c99', '-c', *included, tmp_path / 'arm/src/arm_dynamics.c',
        '-o', tmp_path / 'arm.o')  # fmt: skip
    run('c++', '-std=c++17', *WARNINGS, '-I', EXAMPLE / 'include', *included,
        EXAMPLE / 'test/feedforward_test.cpp', tmp_path / 'arm.o',
        '-o', tmp_path / 'test', '-lm')  # fmt: skip
    assert 'passed' in run(tmp_path / 'test').stdout


def test_its_package_and_its_plugin_can_be_read():
    package = ElementTree.parse(EXAMPLE / 'package.xml').getroot()
    plugin = ElementTree.parse(EXAMPLE / 'plugin.xml').getroot()
    assert plugin.get('path') == package.findtext('name')
    cmake = (EXAMPLE / 'CMakeLists.txt').read_text()
    for dependency in package.findall('depend'):
        assert f'find_package({dependency.text.replace("arm_", "${ROBOT}_")} ' in cmake
