"""`robot_dynamics inspect`: tables, JSON, findings, files and topics, bad input."""

import json
import math
import os
import re
import subprocess
import sys
from itertools import pairwise

import pytest
from mechanics.robots import hand_written
from recorded_states import type_store, write_bag
from running_command import run
from three_joints import LIMITED as URDF

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

pytestmark = pytest.mark.contract

__all__ = ['run']

XACRO = """<robot name="pendulum" xmlns:xacro="http://ros.org/wiki/xacro">
<xacro:arg name="mass" default="1"/><link name="base"/>
<link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="$(arg mass)"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="swing" type="continuous"><parent link="base"/><child link="arm"/>
<axis xyz="0 1 0"/></joint></robot>"""
# Each entity stands for a hundred of the one before.
ENTITIES = ''.join(
    f'<!ENTITY {after} "{f"&{before};" * 100}">' for before, after in pairwise('abcdefghi')
)
BOMB = f'<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">{ENTITIES}]><robot name="&i;"/>'
FAULTY = URDF.replace('ixx="0.03"', 'ixx="3"')


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'arm.urdf').write_text(URDF)
    (tmp_path / 'faulty.urdf').write_text(FAULTY)
    (tmp_path / 'still.urdf').write_text('<robot name="r"><link name="base"/></robot>')
    (tmp_path / 'pendulum.urdf.xacro').write_text(XACRO)
    (tmp_path / 'binary.urdf').write_bytes(bytes(range(256)))
    (tmp_path / 'empty.urdf').write_text('')
    (tmp_path / 'bomb.urdf').write_text(BOMB)
    (tmp_path / 'deep.urdf').write_text('<robot>' + '<a>' * 200_000)
    (tmp_path / 'other.xml').write_text('<world/>')
    (tmp_path / 'folder.urdf').mkdir()
    return tmp_path


def test_a_good_robot(run):
    ended = run('inspect', 'arm.urdf', '--frame', 'hand')
    assert ended.returncode == 0, ended.stderr
    first = ended.stdout.splitlines()[0]
    assert re.match(r'three: 3 .*joints.* 4 links.* base.* 6\.5', first)
    rows = {line.split()[0]: line for line in ended.stdout.splitlines() if line.strip()}
    assert 'payload at hand: ' in ended.stdout
    assert ended.stdout.rstrip().endswith('no findings')
    assert all(joint in rows for joint in ('turn', 'slide', 'wrist'))


def test_json_has_the_torques_of_the_robot(run):
    ended = run('inspect', 'arm.urdf', '--frame', 'hand', '--json', '-')
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    dynamics = RobotDynamics(parse_urdf(URDF), backend='python')
    assert [joint['name'] for joint in found['joints']] == ['turn', 'slide', 'wrist']
    assert sum(joint['mass'] for joint in found['joints']) == pytest.approx(found['mass'])
    at_zero = dynamics.gravity_torque([0, 0, 0])
    for index, (name, load) in enumerate(found['gravity'].items()):
        assert name == dynamics.model.joint_names[index]
        assert load['at_zero'] == pytest.approx(at_zero[index], abs=1e-9)
        worst = dynamics.gravity_torque(load['worst_at'])[index]
        assert load['worst'] == pytest.approx(worst, abs=1e-9)
        assert abs(load['worst']) >= abs(load['at_zero'])
    # A continuous joint has no limits.
    assert found['joints'][0]['upper'] is None
    margin = found['payload_margin']
    assert margin['at_zero'] == pytest.approx(dynamics.payload_margin([0, 0, 0], 'hand'))
    assert margin['least'] <= margin['median']


def test_findings_give_exit_code_1(run, files):
    ended = run('inspect', 'faulty.urdf', '--json', 'found.json')
    assert ended.returncode == 1, ended.stderr
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith('error ')]
    assert "triangle_inequality link 'slider'" in line
    (finding,) = json.loads((files / 'found.json').read_text())['findings']
    assert (finding['code'], finding['link']) == ('triangle_inequality', 'slider')
    assert all(finding[key] for key in ('problem', 'value', 'advice', 'severity'))


def test_findings_of_no_consequence_give_exit_code_0(run, files):
    """Friction that is left out is worth knowing, and no reason to fail."""
    (files / 'pendulum.urdf').write_text(hand_written('pendulum').text)
    ended = run('inspect', 'pendulum.urdf')
    assert ended.returncode == 0
    assert 'friction_left_out' in ended.stdout


def test_a_robot_that_does_not_move(run):
    ended = run('inspect', 'still.urdf')
    assert ended.returncode == 1
    assert 'no_moving_joint' in ended.stdout


def test_xacro_with_arguments(run):
    pytest.importorskip('xacro')
    for mass in (1.0, 3.0):
        ended = run('inspect', 'pendulum.urdf.xacro', f'mass:={mass}', '--json', '-')
        (load,) = json.loads(ended.stdout)['gravity'].values()
        assert abs(load['at_zero']) == pytest.approx(mass * 9.81 * 0.5)


def test_a_topic(run):
    """The reader is handed in: the command itself knows no ROS."""
    asked = []
    ended = run(
        'inspect', '--topic', '/robot_description', '--json', '-',
        read_topic=lambda topic: asked.append(topic) or URDF,
    )  # fmt: skip
    assert (ended.returncode, asked) == (0, ['/robot_description'])
    assert json.loads(ended.stdout)['robot'] == 'three'


@pytest.mark.parametrize('recorded', [True, False])
def test_the_description_of_a_recording(run, files, recorded):
    pytest.importorskip('rosbags')
    store = type_store()
    message = store.types['std_msgs/msg/String'](URDF)
    data = bytes(store.serialize_cdr(message, 'std_msgs/msg/String'))
    topic = '/robot_description' if recorded else '/text'
    write_bag(files / 'bag', {topic: ('std_msgs/msg/String', [(1, data)])})
    ended = run('inspect', 'bag', '--topic', '/robot_description', '--json', '-')
    assert ended.returncode == (0 if recorded else 2)
    if recorded:
        assert json.loads(ended.stdout)['robot'] == 'three'
    else:
        assert re.search('bag: .*/robot_description', ended.stderr)


def no_ros(topic):
    raise ModuleNotFoundError("No module named 'rclpy'", name='rclpy')


@pytest.mark.parametrize('read_topic', [None, no_ros])
def test_a_topic_without_ros(run, read_topic):
    ended = run('inspect', '--topic', '/robot_description', read_topic=read_topic)
    assert (ended.returncode, ended.stdout) == (2, '')
    assert ended.stderr.count('\n') == 1
    assert 'needs ROS 2' in ended.stderr


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (['nowhere.urdf'], 'nowhere.urdf: No such file'),
        (['folder.urdf'], 'folder.urdf'),
        (['binary.urdf'], 'binary.urdf: not a URDF'),
        (['empty.urdf'], 'empty.urdf: the URDF is empty'),
        (['bomb.urdf'], 'bomb.urdf: the URDF declares'),
        (['deep.urdf'], 'deep.urdf: the URDF is not well-formed'),
        (['/dev/zero'], 'larger than 64 MiB'),
        (['other.xml'], 'other.xml: the root element is <world>'),
        (['arm.urdf', 'mass:=2'], "'mass:=2'"),
        (['arm.urdf', 'faulty.urdf'], "'arm.urdf', 'faulty"),
        (['arm.urdf', '--topic', '/t'], 'arm.urdf: --topic is /t'),
        (['arm.urdf', '--topic', '/robot_description'], 'arm.urdf'),
        (['folder.urdf', '--topic', '/robot_description'], 'folder.urdf'),
        (['b.mcap', 'a:=1', '--topic', '/robot_description'], 'b.mcap'),
        ([], 'FILE or --topic'),
        (['arm.urdf', '--frame', 'foot'], "'foot': known are base, "),
        (['arm.urdf', '--picture', 'nowhere/a.png'], 'no folder nowhere'),
        (['arm.urdf', '--picture', 'folder.urdf'], 'folder.urdf is a folder'),
        (['arm.urdf', '--json', 'folder.urdf'], 'folder.urdf is a folder'),
        (['arm.urdf', '--colour', 'red'], '--colour'),
    ],
)
def test_errors_are_one_line_and_nothing_is_written(run, files, arguments, said):
    before = sorted(files.iterdir())
    ended = run('inspect', *arguments)
    assert (ended.returncode, ended.stdout) == (2, '')
    assert ended.stderr.startswith('robot_dynamics: ')
    assert said in ended.stderr
    assert ended.stderr.count('\n') == 1
    assert sorted(files.iterdir()) == before


@pytest.mark.skipif(os.geteuid() == 0, reason='root may read every file')
def test_an_unreadable_file(run, files):
    (files / 'arm.urdf').chmod(0)
    ended = run('inspect', 'arm.urdf')
    assert (ended.returncode, ended.stderr.count('\n')) == (2, 1)
    assert 'arm.urdf: Permission denied' in ended.stderr


def test_a_picture_without_its_meshes(run, files):
    pytest.importorskip('matplotlib')
    mesh = '<visual><geometry><mesh filename="package://a/b.stl"/></geometry></visual>'
    text = URDF.replace('<link name="hand">', f'<link name="hand">{mesh}')
    (files / 'meshes.urdf').write_text(text)
    ended = run('inspect', 'meshes.urdf', '--picture', 'arm.svg')
    assert ended.returncode == 0
    assert '<svg' in (files / 'arm.svg').read_text()
    assert ended.stderr == ''
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith('info ')]
    assert line.startswith("info mesh_not_drawn link 'hand'")
    assert 'package://a/b.stl' in ended.stdout
    ended = run('inspect', 'meshes.urdf', '--picture', 'arm.svg', '--json', '-')
    (finding,) = json.loads(ended.stdout)['findings']
    assert (finding['code'], finding['severity']) == ('mesh_not_drawn', 'info')
    assert (finding['link'], finding['value']) == ('hand', 'package://a/b.stl')
    # Without a picture nobody looks for meshes.
    assert json.loads(run('inspect', 'meshes.urdf', '--json', '-').stdout)['findings'] == []


def test_a_failed_picture_leaves_no_file(run, files):
    pytest.importorskip('matplotlib')
    ended = run('inspect', 'arm.urdf', '--picture', 'arm.nothing')
    assert (ended.returncode, ended.stderr.count('\n')) == (2, 1)
    assert not (files / 'arm.nothing').exists()


def test_a_reader_that_has_ended(files):
    """As `head` leaves it: no traceback, and the exit code of SIGPIPE."""
    read, written = os.pipe()
    os.close(read)
    path = os.pathsep.join(map(os.path.abspath, sys.path))
    ended = subprocess.run(
        [sys.executable, '-m', 'robot_dynamics_ros.cli.command_line', 'inspect', 'arm.urdf'],
        cwd=files, env={**os.environ, 'PYTHONPATH': path},
        stdout=written, stderr=subprocess.PIPE, timeout=60, check=False,
    )  # fmt: skip
    os.close(written)
    assert (ended.returncode, ended.stderr) == (141, b'')


def test_help_has_examples(run):
    ended = run('inspect', '--help')
    assert ended.returncode == 0, ended.stderr
    for part in ('robot_dynamics inspect panda.urdf', '--json', '--topic /robot_description'):
        assert part in ended.stdout


def test_numbers_that_are_no_limit_are_shown_as_such(run, files):
    """Exporters write the largest double where there is no limit."""
    (files / 'big.urdf').write_text(URDF.replace('effort="20"', 'effort="1.7e308"'))
    ended = run('inspect', 'big.urdf')
    assert 'e+308' not in ended.stdout
    assert not math.isnan(ended.returncode)
