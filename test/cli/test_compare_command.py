"""`robot_dynamics compare`: recordings of the simulated arm as files, and the verdicts on them."""

import json
import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('rosbags')

from recorded_states import csv_file, joint_state_bag, ros2_messages, serialized_text, write_bag
from simulated_recordings import JOINTS, TOOL_MASS, simulated, urdf

from robot_dynamics_ros.cli.command_line import main

pytestmark = pytest.mark.contract

JOINT_STATE, STRING = 'sensor_msgs/msg/JointState', 'std_msgs/msg/String'


class Ended(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture(scope='module')
def bags(tmp_path_factory):
    """Bags of the arm, good and with defects, and its descriptions."""
    folder = tmp_path_factory.mktemp('bags')
    good = simulated()
    joint_state_bag(folder / 'good', good.states)
    joint_state_bag(folder / 'late', simulated(tool=True).delayed(0.012).states)
    degrees = replace(
        good,
        positions=np.rad2deg(good.positions),
        velocities=np.rad2deg(good.velocities),
    )
    joint_state_bag(folder / 'degrees', degrees.states)
    prefixed = replace(good, joints=tuple(f'left_{joint}' for joint in JOINTS))
    joint_state_bag(folder / 'left', prefixed.states)
    (folder / 'arm.urdf').write_text(urdf())
    (folder / 'frictionless.urdf').write_text(urdf(friction=False))
    (folder / 'broken').mkdir()
    return folder


@pytest.fixture
def run(bags, monkeypatch, capfd):
    """Runs the command in this process, in the folder of the bags."""
    monkeypatch.chdir(bags)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(['compare', *map(str, arguments)])
        return Ended(ended.value.code, *capfd.readouterr())

    return run


def codes(text):
    return [finding['code'] for finding in json.loads(text)['findings']]


def test_a_good_recording_has_exit_code_0(run):
    ended = run('good', '--urdf', 'arm.urdf')
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith('arm: 1 recording, ')
    assert 'squares; negative: opposite' in ended.stdout
    assert ended.stdout.endswith('the model\n')
    for joint in JOINTS:
        assert ended.stdout.count(f'\n{joint} ') == 2


def test_defects_are_findings_with_exit_code_1(run, bags):
    ended = run('late', '--urdf', 'arm.urdf', '--json', 'result.json')
    assert ended.returncode == 1, ended.stderr
    assert re.search(r'\ndelay: .*1\d', ended.stdout)
    assert re.search(r'\npayload: .*1\.\d', ended.stdout)
    result = json.loads((bags / 'result.json').read_text())
    delay, payload = result['findings']
    assert (delay['code'], payload['code']) == ('delay', 'payload')
    assert delay['value'] == pytest.approx(0.012, abs=1e-3)
    assert payload['value'] == pytest.approx(TOOL_MASS, rel=0.03)
    (recording,) = result['recordings']
    assert recording['file'] == 'late'
    assert recording['topic'] == '/joint_states'


def test_json_on_stdout_is_alone(run):
    ended = run('good', '--urdf', 'frictionless.urdf', '--json', '-')
    assert ended.returncode == 1
    assert codes(ended.stdout) == ['friction'] * 6


def test_names_are_mapped_or_a_mapping_is_offered(run):
    ended = run('left', '--urdf', 'arm.urdf')
    assert (ended.returncode, ended.stdout) == (2, '')
    assert '--rename left_=' in ended.stderr
    assert run('left', '--urdf', 'arm.urdf', '--rename', 'left_=').returncode == 0


def test_joints_that_are_not_renamed_are_missing_and_a_mapping_is_offered(run):
    ended = run('left', '--urdf', 'arm.urdf', '--rename', 'left_shoulder=shoulder')
    assert ended.returncode == 1, ended.stderr
    assert 'locked: base, elbow, roll, bend, flange' in ended.stdout
    missing = next(line for line in ended.stdout.splitlines() if line.startswith('missing: '))
    assert '--rename left_=' in missing


def test_the_description_may_come_from_the_recording(run, bags):
    states = simulated().states
    text = (int(states.stamps[0]), serialized_text(urdf()))
    contents = {
        '/robot_description': (STRING, [text]),
        '/joint_states': (JOINT_STATE, ros2_messages(states)),
    }
    write_bag(bags / 'described', contents)
    assert run('described').returncode == 0
    ended = run('good')
    assert ended.returncode == 2
    assert '--urdf' in ended.stderr


def test_every_recording_that_cannot_be_used_is_told_with_its_reason(run, bags):
    (bags / 'rows.csv').write_text('time,base_position\n')
    (bags / 'names.csv').write_text('seconds,position\n0,1\n')
    ended = run('broken', 'good', 'rows.csv', 'names.csv', '--urdf', 'arm.urdf')
    assert ended.returncode == 2
    found = ended.stderr
    ended = run('broken', 'rows.csv', 'names.csv', '--urdf', 'arm.urdf')
    assert (ended.returncode, ended.stdout) == (2, '')
    for text in (found, ended.stderr):
        for reason in ('broken', 'rows.csv', 'names.csv'):
            assert reason in text


def described_bag(folder, text):
    states = simulated().states
    message = (int(states.stamps[0]), serialized_text(text))
    contents = {
        '/robot_description': (STRING, [message]),
        '/joint_states': (JOINT_STATE, ros2_messages(states)),
    }
    return write_bag(folder, contents)


def test_recordings_with_other_descriptions_are_not_compared_with_the_first(run, bags):
    described_bag(bags / 'first', urdf())
    described_bag(bags / 'second', urdf(tool=True))
    described_bag(bags / 'again', '<!-- another comment -->' + urdf())
    ended = run('first', 'second', 'again', '--json', '-')
    assert ended.returncode == 2
    first, second, again = json.loads(ended.stdout)['recordings']
    assert first['error'] == again['error'] == ''
    assert 'second: its /robot_description' in second['error']
    assert second['samples'] == 0
    assert '--urdf' in second['error']
    assert run('first', 'second', '--urdf', 'arm.urdf').returncode == 0


def halves(*groups):
    """Messages of some of the joints each, by time."""
    states = simulated().states
    messages = []
    for names in groups:
        columns = [JOINTS.index(name) for name in names]
        fields = ('positions', 'velocities', 'efforts')
        part = {name: getattr(states, name)[:, columns] for name in fields}
        messages += ros2_messages(replace(states, names=names, **part))
    return sorted(messages, key=lambda message: message[0])


def test_joints_in_several_messages_are_merged_and_that_is_said(run, bags):
    contents = {'/joint_states': (JOINT_STATE, halves(JOINTS[:3], JOINTS[3:]))}
    write_bag(bags / 'halves', contents)
    ended = run('halves', '--urdf', 'arm.urdf', '--json', '-')
    result = json.loads(ended.stdout)
    assert (ended.returncode, codes(ended.stdout)) == (1, ['samples'])
    assert tuple(result['joints']) == JOINTS
    assert result['locked'] == []


def test_a_light_joint_in_other_messages_does_not_slow_the_arm(run, bags):
    text = urdf().replace('</robot>', FINGER + '</robot>')
    (bags / 'gripper.urdf').write_text(text)
    states = simulated().part(slice(0, None, 7)).states
    finger = replace(states, names=('grip',), **{
        name: 0.01 * getattr(states, name)[:, :1] for name in ('positions', 'velocities')
    }, efforts=None)  # fmt: skip
    messages = sorted([*ros2_messages(simulated().states), *ros2_messages(finger)])
    write_bag(bags / 'gripper', {'/joint_states': (JOINT_STATE, messages)})
    ended = run('gripper', '--urdf', 'gripper.urdf', '--json', '-')
    result = json.loads(ended.stdout)
    assert codes(ended.stdout) == []
    assert result['recordings'][0]['rate'] == pytest.approx(200.0)
    assert result['locked'] == ['grip']


FINGER = (
    '<link name="finger"><inertial><mass value="0.01"/>'
    '<inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '<joint name="grip" type="prismatic"><parent link="flange_link"/><child link="finger"/>'
    '<axis xyz="1 0 0"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/></joint>'
)


def test_csv_files_that_are_one_recording(run, bags):
    states = simulated().states
    csv_file(bags / 'states.csv', states, fields=('position', 'velocity'))
    csv_file(bags / 'efforts.csv.gz', states, fields=('effort',))
    ended = run('states.csv+efforts.csv.gz', '--urdf', 'arm.urdf', '--json', '-')
    assert (ended.returncode, codes(ended.stdout)) == (0, [])
    assert run('states.csv+', '--urdf', 'arm.urdf').returncode == 2


def test_many_recordings_and_one_that_is_broken(run, tmp_path):
    arguments = 'good', 'broken', 'good/../good', '--urdf', 'arm.urdf'
    ended = run(*arguments, '--resume', tmp_path / 'kept', '--json', '-')
    assert ended.returncode == 2
    result = json.loads(ended.stdout)
    assert codes(ended.stdout) == []
    first, broken, again = result['recordings']
    assert broken['error']
    assert broken['error'] in ended.stderr
    assert first['samples'] == again['samples'] > 0
    assert run(*arguments, '--resume', tmp_path / 'kept', '--json', '-') == ended


@pytest.mark.parametrize('ending', ['html', 'png'])
def test_report(run, bags, ending):
    pytest.importorskip('plotly')
    pytest.importorskip('matplotlib')
    ended = run('late', '--urdf', 'arm.urdf', '--report', f'arm.{ending}')
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.endswith(f'report: arm.{ending}\n')
    assert (bags / f'arm.{ending}').stat().st_size > 10_000


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        ([], 'one BAG'),
        (['nowhere', '--urdf', 'arm.urdf'], 'nowhere'),
        (['good', '--urdf', 'nowhere.urdf'], 'nowhere.urdf'),
        (['good', '--urdf', 'arm.urdf', '--topic', '/states'], '/joint_states'),
        (['good', '--urdf', 'arm.urdf', '--cutoff', '90'], '50 Hz'),
        (['good', '--urdf', 'arm.urdf', '--report', 'arm.pdf'], '.html, .png'),
        (['good', '--urdf', 'arm.urdf', '--rename', 'knee=hip'], "'knee'"),
        (['good', '--urdf', 'arm.urdf', '--json', 'nowhere/result.json'], 'nowhere'),
    ],
)
def test_errors_are_one_line_and_nothing_is_written(run, bags, arguments, said):
    before = sorted(bags.iterdir())
    ended = run(*arguments)
    assert (ended.returncode, ended.stdout) == (2, '')
    assert ended.stderr.startswith('robot_dynamics: ')
    assert said in ended.stderr
    assert ended.stderr.count('\n') == 1
    assert sorted(bags.iterdir()) == before


def test_help_has_an_example(run):
    ended = run('--help')
    assert ended.returncode == 0
    assert 'robot_dynamics compare bag/ --urdf arm.urdf' in ended.stdout


@pytest.mark.parametrize('bags_in_order', [('good', 'degrees'), ('degrees', 'good')])
def test_a_recording_in_degrees_beside_a_good_one_has_exit_code_2(run, bags_in_order):
    ended = run(*bags_in_order, '--urdf', 'arm.urdf', '--json', '-')
    assert ended.returncode == 2
    assert 'degrees?' in ended.stderr
    assert codes(ended.stdout) == []
    errors = {one['file']: one['error'] for one in json.loads(ended.stdout)['recordings']}
    assert not errors['good']
    assert errors['degrees'].startswith('degrees: ')
