"""The command `robot_dynamics`: exit codes, errors in one line, export-c of URDF and xacro."""

import json
import re
import subprocess
import sys

import pytest
from running_command import run
from three_joints import URDF

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.export import export_c

pytestmark = pytest.mark.contract

__all__ = ['run']

XACRO = """<robot name="xacro_arm" xmlns:xacro="http://ros.org/wiki/xacro">
<xacro:arg name="mass" default="1"/><xacro:include filename="links.xacro"/>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""
LINKS = """<robot xmlns:xacro="http://ros.org/wiki/xacro"><link name="base"/><link name="arm">
<inertial><mass value="$(arg mass)"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
</inertial></link></robot>"""
# Without ROS, as pip installs it.
PROGRAM = """
import sys
for name in ('rclpy', 'ament_index_python'):
    sys.modules[name] = None
from robot_dynamics_ros.cli.command_line import main
main()
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'arm.urdf').write_text(URDF)
    (tmp_path / 'arm.urdf.xacro').write_text(XACRO)
    (tmp_path / 'links.xacro').write_text(LINKS)
    (tmp_path / 'binary.urdf').write_bytes(b'\xff\xfe\x00')
    (tmp_path / 'empty.urdf').write_text('')
    (tmp_path / 'still.urdf').write_text('<robot name="r"><link name="base"/></robot>')
    return tmp_path


def test_it_writes_what_export_c_gives(run, files):
    options = '--name', 'my', '--quantities', 'gravity_torque, jacobian', '--frame', 'hand'
    ended = run('export-c', 'arm.urdf', '--output', 'out', *options)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == 'out: package my_dynamics, 6 files\n'
    expected = export_c(
        parse_urdf(URDF), name='my', quantities=['gravity_torque', 'jacobian'], frame='hand',
        urdf=URDF,
    )  # fmt: skip
    for path, text in expected.items():
        assert (files / 'out' / path).read_text() == text


def test_a_topic(run, files):
    ended = run(
        'export-c', '--topic', '/robot_description', '--output', 'out',
        read_topic=lambda topic: URDF,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert (files / 'out' / 'package.xml').exists()


def test_json_lists_what_was_written(run, files):
    ended = run('export-c', 'arm.urdf', '--output', 'out', '--name', 'my', '--json', '-')
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert (found['folder'], found['package']) == ('out', 'my_dynamics')
    assert all((files / 'out' / file).is_file() for file in found['files'])


def test_an_argument_that_a_xacro_file_does_not_have_is_refused(run, files):
    pytest.importorskip('xacro')
    ended = run('inspect', 'arm.urdf.xacro', 'n:=2')
    assert ended.returncode == 2
    assert re.search(r'arm\.urdf\.xacro: .*argument n\b', ended.stderr)
    assert 'mass' in ended.stderr
    # Of several files, each takes its own.
    assert 'no argument' not in run('validate', 'arm.urdf.xacro', 'n:=2').stdout


def test_no_file_that_a_xacro_file_includes_is_replaced(run, files):
    pytest.importorskip('xacro')
    ended = run('inspect', 'arm.urdf.xacro', '--json', 'links.xacro')
    assert (ended.returncode, ended.stdout) == (2, '')
    assert re.search(r'links\.xacro.*--json', ended.stderr)
    assert (files / 'links.xacro').read_text() == LINKS


HAND = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="grip" default="1"/></robot>"""
WITH_HAND = """
<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="hand" default="false"/>
  <xacro:if value="$(arg hand)">
    <xacro:arg name="fingers" default="2"/>
    <xacro:property name="model" value="none"/>
    <xacro:include filename="hand.xacro"/>
    <xacro:include filename="${model}.xacro"/>
  </xacro:if>
  <link name="base"/><link name="tip"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="tip"/></joint>
</robot>
"""


def test_arguments_of_branches_that_are_not_taken_are_no_errors(run, files):
    pytest.importorskip('xacro')
    (files / 'hand.xacro').write_text(HAND)
    (files / 'with_hand.xacro').write_text(WITH_HAND)
    arguments = ['hand:=false', 'fingers:=3', 'grip:=2']
    ended = run('export-c', 'with_hand.xacro', *arguments, '--output', 'out')
    assert ended.returncode == 0, ended.stderr
    ended = run('inspect', 'with_hand.xacro', 'finger:=3')
    assert ended.returncode == 2
    assert re.search(r'argument finger\b.*fingers, grip, hand', ended.stderr)
    assert 'includes ${model}.xacro' in ended.stderr


def test_xacro_files_take_arguments_and_include_others(run, files):
    pytest.importorskip('xacro')
    for mass in ('2', '3'):
        ended = run('export-c', 'arm.urdf.xacro', f'mass:={mass}', '--output', mass)
        assert ended.returncode == 0, ended.stderr
    source = 'src/xacro_arm_dynamics.c'
    assert (files / '2' / source).exists()
    header = 'include/xacro_arm_dynamics/xacro_arm_dynamics.h'
    assert (files / '2' / header).read_text() != (files / '3' / header).read_text()


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (['nowhere.urdf'], 'nowhere.urdf'),
        (['no\nwhere.urdf'], 'where.urdf'),
        (['binary.urdf'], 'binary.urdf: not a URDF'),
        (['empty.urdf'], 'empty.urdf: '),
        (['still.urdf'], 'no moving joint'),
        (['arm.urdf', 'mass:=2'], 'arm.urdf is a URDF'),
        (['arm.urdf.xacro', 'mass=2'], "'mass=2'"),
        (['arm.urdf.xacro', 'mass:=heavy'], 'arm.urdf.xacro: '),
        (['arm.urdf', '--quantities', 'power'], "unknown quantity 'power'"),
        (['arm.urdf', '--quantities', 'jacobian'], '--frame'),
        (['arm.urdf', '--frame', 'x'], "unknown frame 'x'"),
        (['arm.urdf', '--frame', 'hand'], 'only frame_pose, jacobian, '),
        (['arm.urdf', '--name', 'UR5'], "'UR5'"),
        (['arm.urdf', '--colour', 'red'], '--colour'),
        (['arm.urdf', '--output', 'arm.urdf'], 'arm.urdf is a file'),
        (['arm.urdf', '--output', '/proc/none'], '/proc'),
        (['arm.urdf', '--output', '.'], 'was not written here'),
    ],
)
def test_errors_are_one_line_and_nothing_is_written(run, arguments, said, files):
    before = sorted(files.iterdir())
    output = [] if '--output' in arguments else ['--output', 'out']
    ended = run('export-c', *arguments, *output)
    assert (ended.returncode, ended.stdout) == (2, '')
    assert ended.stderr.startswith('robot_dynamics: ')
    assert said in ended.stderr
    assert ended.stderr.count('\n') == 1
    assert sorted(files.iterdir()) == before


def test_debug_adds_the_traceback(run, files):
    ended = run('export-c', 'still.urdf', '--output', 'out', '--debug')
    assert ended.returncode == 2
    assert 'Traceback' in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith('robot_dynamics: ')


def test_foreign_files_are_not_replaced(run, files):
    (files / 'out').mkdir()
    (files / 'out' / 'CMakeLists.txt').write_text('mine')
    ended = run('export-c', 'arm.urdf', '--output', 'out')
    assert ended.returncode == 2
    assert 'CMakeLists.txt was not written' in ended.stderr
    assert [file.name for file in (files / 'out').iterdir()] == ['CMakeLists.txt']


@pytest.mark.parametrize('arguments', [['--help'], ['export-c', '--help']])
def test_help(run, arguments):
    ended = run(*arguments)
    assert ended.returncode == 0, ended.stderr
    assert 'export-c' in ended.stdout
    assert max(map(len, ended.stdout.splitlines())) <= 80
    if len(arguments) > 1:
        assert 'robot_dynamics export-c arm.urdf --output' in ended.stdout


def test_all_quantities(run, files):
    for frame, expected in ([], False), (['--frame', 'hand'], True):
        ended = run('export-c', 'arm.urdf', '--quantities', 'all', '--output', 'out',
                    *frame)  # fmt: skip
        assert ended.returncode == 0
        header = (files / 'out/include/three_dynamics/three_dynamics.h').read_text()
        assert 'int three_regressor(' in header
        assert ('int three_jacobian(' in header) == expected


def test_without_ros(files):
    """In a process where there is none."""
    ended = subprocess.run(
        [sys.executable, '-c', PROGRAM, 'export-c', 'arm.urdf', '--output', 'out'],
        cwd=files, capture_output=True, text=True, timeout=60,
        env={'PYTHONPATH': ':'.join(filter(None, sys.path))},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert (files / 'out' / 'package.xml').exists()
