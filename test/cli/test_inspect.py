"""`robot_dynamics inspect` and `validate`: robots, findings, files of each kind, and topics."""

import json
import re

import pytest
from mechanics.robots import hand_written
from recorded_states import serialized_text, write_bag
from running_command import DOCUMENT, documented, keys
from three_joints import LIMITED as URDF

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

pytestmark = pytest.mark.contract

XACRO = """<robot name="pendulum" xmlns:xacro="http://ros.org/wiki/xacro">
<xacro:arg name="mass" default="-1"/><link name="base"/><xacro:include filename="arm.xacro"/>
<joint name="swing" type="continuous"><parent link="base"/><child link="arm"/>
<axis xyz="0 1 0"/></joint></robot>"""
INCLUDED = """<robot xmlns:xacro="http://ros.org/wiki/xacro"><link name="arm"><inertial>
<origin xyz="0.5 0 0"/><mass value="$(arg mass)"/><inertia ixx="$(arg ixx)" iyy="0.1" izz="0.1"
ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
# As exported from a CAD program that knew no material.
WEIGHTLESS = """<robot name="desk_arm"><link name="base"/><link name="upper"/><link name="fore"/>
<joint name="yaw" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/>
<axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="30" velocity="4"/></joint>
<joint name="lift" type="revolute"><parent link="upper"/><child link="fore"/>
<axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="30" velocity="4"/></joint></robot>"""
THREE_LINKS = 'examples/three_link_arm/three_link_arm.urdf'


@pytest.fixture(scope='module')
def files(tmp_path_factory, request):
    folder = tmp_path_factory.mktemp('inspect')
    for name, text in (
        ('arm.urdf', URDF), ('empty.urdf', ''),
        ('faulty.urdf', URDF.replace('ixx="0.03"', 'ixx="3"')),
        ('lifted.urdf', URDF.replace('lower="-2"', 'lower="0.5"')),
        ('doubtful.urdf', URDF.replace('effort="20"', 'effort="0"')),
        ('weightless.urdf', WEIGHTLESS),
        ('grams.urdf', re.sub(r'(mass value|i[xyz]{2})="([\d.]+)"', r'\1="\g<2>e3"', URDF)),
        ('still.urdf', '<robot name="r"><link name="base"/></robot>'),
        ('pendulum.urdf', hand_written('pendulum').text),
        ('arm.urdf.xacro', XACRO), ('arm.xacro', INCLUDED),
        ('three_link_arm.urdf', (request.config.rootpath / THREE_LINKS).read_text()),
    ):  # fmt: skip
        (folder / name).write_text(text)
    return folder


def test_a_zero_that_is_not_allowed_is_said(run):
    assert 'at zero stands for wrist 0.5 rad' in run('inspect', 'lifted.urdf').stdout
    assert 'stands for' not in run('inspect', 'arm.urdf').stdout


def test_text_and_json_are_as_documented(run, answer):
    arguments = 'inspect', 'three_link_arm.urdf', '--frame', 'tool'
    text = re.search(r'--frame tool\n(.*?)```', DOCUMENT, re.DOTALL)[1]
    assert run(*arguments).stdout.split() == text.split()
    (_, found, _), shown = answer(*arguments), documented('inspect')
    for name in set(found['gravity']) - set(shown['gravity']):
        del found['gravity'][name]
    assert keys(found) == keys(shown)
    assert found['mass'] == pytest.approx(shown['mass'], rel=0.01)


@pytest.mark.parametrize(
    ('file', 'code', 'finding'),
    [
        ('faulty.urdf', 1, ('triangle_inequality', 'slider', 'error')),
        ('still.urdf', 1, ('no_moving_joint', 'base', 'warning')),
        ('weightless.urdf', 1, ('weightless_joint', 'upper', 'error')),
        # Worth knowing, and no reason to fail.
        ('pendulum.urdf', 0, ('friction_left_out', 'rod', 'info')),
    ],
)
def test_findings_and_exit_codes(run, answer, file, code, finding):
    assert finding[0] in run('inspect', file).stdout
    returned, found, _ = answer('inspect', file)
    (found,) = found['findings']
    assert returned == code
    assert (found['code'], found['link'], found['severity']) == finding
    assert all(found[key] for key in ('problem', 'value', 'advice'))


def test_xacro_files_take_arguments_and_include_others(run, answer):
    pytest.importorskip('xacro')
    for mass in (1.0, 3.0):
        _, found, _ = answer('inspect', 'arm.urdf.xacro', f'mass:={mass}', 'ixx:=0.1')
        (load,) = found['gravity'].values()
        assert abs(load['at_zero']) == pytest.approx(mass * 9.81 * 0.5)
    for arguments, said in (
        (['mass:=1', 'ixx:=0.1', 'n:=2'], r"argument 'n:=2'.*ixx, mass\n"),
        (['mass:=heavy', 'ixx:=1'], "'heavy'"),
        (['mass:=1'], 'xacro'),
    ):
        ended = run('inspect', 'arm.urdf.xacro', *arguments)
        assert ended.returncode == 2
        assert re.search(rf'arm\.urdf\.xacro: .*{said}', ended.stderr)
    # Of several files, each takes its own arguments.
    both = run('validate', 'arm.urdf', 'arm.urdf.xacro', 'mass:=2', 'ixx:=0.1', 'n:=2')
    assert len(re.findall('(?m)^good ', both.stdout)) == 2


def test_the_description_of_a_recording(answer, files):
    pytest.importorskip('rosbags')
    text = ('std_msgs/msg/String', [(1, serialized_text(URDF))])
    write_bag(files / 'bag', {'/robot_description': text})
    assert answer('inspect', 'bag')[1]['robot'] == 'three'


@pytest.mark.parametrize(
    ('words', 'code', 'status'),
    [
        ('arm.urdf --strict', 0, 'good'),
        ('doubtful.urdf --strict', 1, 'findings'),
        ('doubtful.urdf --strict --ignore zero_effort_limit', 0, 'good'),
        ('weightless.urdf', 1, 'findings'),
        ('weightless.urdf --massless-joints yaw --massless-joints lift', 0, 'good'),
        ('grams.urdf', 1, 'findings'),
        ('nowhere.urdf', 2, 'unusable'),
    ],
)
def test_one_line_and_its_exit_code(run, words, code, status):
    pytest.importorskip('pinocchio')
    ended = run('validate', *words.split())
    assert (ended.returncode, ended.stderr.count('\n')) == (code, int(code == 2))
    assert re.fullmatch(f'{status} .*{words.split()[0]}.*\n', ended.stdout)


def test_many_files_keep_their_order(run, files):
    """The worst of them gives the exit code; one that cannot be used does not end the others."""
    pytest.importorskip('pinocchio')
    names = ['arm.urdf', 'faulty.urdf', 'empty.urdf', 'arm.urdf']
    ended = run('validate', *names, '--json', 'found.json')
    *lines, last = ended.stdout.splitlines()
    assert [line.split()[1].rstrip(':') for line in lines] == names
    assert (ended.returncode, re.findall(r'\d+', last)) == (2, ['4', '2', '1', '1'])
    found = json.loads((files / 'found.json').read_text())
    assert found['counts'] == {'good': 2, 'findings': 1, 'unusable': 1}
    good, faulty, empty, _ = found['files']
    usable, unusable = documented('validate')['files']
    assert (faulty.keys(), empty.keys()) == (usable.keys(), unusable.keys())
    assert faulty['findings'][0].keys() == usable['findings'][0].keys()
    assert (good['status'], good['joints'], good['findings']) == ('good', 3, [])
    assert good['agreement']['worst_relative'] <= good['agreement']['tolerance']
    assert [finding['code'] for finding in faulty['findings']] == ['triangle_inequality']
    assert ended.stderr == f'robot_dynamics: {empty["error"]}\n'


def test_gravity_along_another_axis(answer):
    """On a wall, the torque of a horizontal axis is that of the lever along the wall."""
    wall, floor = (
        answer('inspect', 'pendulum.urdf', '--gravity', gravity)[1]['gravity']['swing']['at_zero']
        for gravity in ('-9.81,0,0', '0,0,-9.81')
    )
    dynamics = RobotDynamics(parse_urdf(hand_written('pendulum').text), gravity=(-9.81, 0.0, 0.0))
    assert wall == pytest.approx(dynamics.gravity_torque([0.0])[0])
    assert abs(wall - floor) > 1.0
    # The margin of a payload is under the same gravity: on the moon it is six times as large.
    words = ('inspect', 'arm.urdf', '--frame', 'hand', '--gravity')
    earth, moon, free = (
        answer(*words, gravity)[1]['payload_margin']['at_zero']
        for gravity in ('0,0,-9.81', '0,0,-1.635', '0,0,0')
    )
    assert (moon > 6.0 * earth, free) == (True, None)
    code, _, stderr = answer(*words, '0,0')
    assert (code, '--gravity' in stderr) == (2, True)
