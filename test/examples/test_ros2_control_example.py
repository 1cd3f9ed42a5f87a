"""The example controller: its torques of a cycle, compiled with an exported robot, without ROS."""

import subprocess
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
TORQUES = Path('include', 'dynamics_feedforward', 'feedforward.hpp')


def built(folder, torques):
    """The checks of the example, with that text of its torques."""
    write_folder(folder / 'arm', export_c(parse_urdf(URDF), name='arm'))
    (folder / TORQUES).parent.mkdir(parents=True)
    (folder / TORQUES).write_text(torques)
    robot = (EXAMPLE / 'robot.hpp.in').read_text().replace('@ROBOT@', 'arm')
    (folder / TORQUES).with_name('robot.hpp').write_text(robot)
    run('cc', '-std=c99', '-c', '-I', folder / 'arm/include', folder / 'arm/src/arm_dynamics.c',
        '-o', folder / 'arm.o')  # fmt: skip
    run(
        'c++', '-std=c++17', *WARNINGS, '-I', folder / 'include', '-I', folder / 'arm/include',
        EXAMPLE / 'test/feedforward_test.cpp', folder / 'arm.o', '-o', folder / 'test', '-lm',
    )  # fmt: skip
    return folder / 'test'


@needs_compilers
def test_no_step_limits_bad_values_and_no_memory(tmp_path):
    assert 'passed' in run(built(tmp_path, (EXAMPLE / TORQUES).read_text())).stdout


@needs_compilers
@pytest.mark.parametrize(
    ('text', 'wrong', 'found'),
    [
        ('3.0 - 2.0 * faded_', '1e9 - 2.0 * faded_', 'starts without'),
        ('target[i] + feedback, -limit, limit', 'target[i] + feedback, -9e9, 9e9 + limit',
         'its limit'),
        ('std::isfinite(reference.effort[i]) ? reference.effort[i] : 0.0', 'reference.effort[i]',
         'ends at g(q)'),
        ('std::isfinite(reference.velocity[i]) && ', '', 'not given'),
        ('> settings_.state_timeout', '> 1e9', 'states are lost'),
        ('settings_.effort_rates[i] * step', '1e9', 'step is larger'),
    ],
)  # fmt: skip
def test_the_checks_find_what_is_wrong(text, wrong, found, tmp_path):
    torques = (EXAMPLE / TORQUES).read_text()
    assert text in torques
    program = built(tmp_path, torques.replace(text, wrong))
    ended = subprocess.run([program], capture_output=True, text=True, timeout=20)
    assert ended.returncode == 1
    assert found in ended.stderr


def test_its_package_and_its_plugin_can_be_read():
    package = ElementTree.parse(EXAMPLE / 'package.xml').getroot()
    plugin = ElementTree.parse(EXAMPLE / 'plugin.xml').getroot()
    assert plugin.get('path') == package.findtext('name')
    cmake = (EXAMPLE / 'CMakeLists.txt').read_text()
    for dependency in package.findall('depend'):
        assert f'find_package({dependency.text.replace("arm_", "${ROBOT}_")} ' in cmake
