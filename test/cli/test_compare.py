"""`robot_dynamics compare`: recordings of the simulated arm as files, and findings."""

import json
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('rosbags')

from recorded_states import csv_file, joint_state_bag, ros2_messages, serialized_text, write_bag
from running_command import codes
from simulated_recordings import JOINTS, TOOL_MASS, simulated, urdf

pytestmark = pytest.mark.contract

JOINT_STATE, STRING = 'sensor_msgs/msg/JointState', 'std_msgs/msg/String'
FINGER = (
    '<link name="finger"><inertial><mass value="0.01"/>'
    '<inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    '<joint name="grip" type="prismatic"><parent link="flange_link"/><child link="finger"/>'
    '<axis xyz="1 0 0"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/></joint></robot>'
)


def described_bag(folder, text, states):
    message = (int(states.stamps[0]), serialized_text(text))
    contents = {
        '/robot_description': (STRING, [message]),
        '/joint_states': (JOINT_STATE, ros2_messages(states)),
    }
    return write_bag(folder, contents)


def halves(states):
    """Messages of some of the joints each, by time; those of the others come half as often."""
    messages = []
    rarely = states.part(slice(0, None, 2))
    for columns, own in ((slice(0, 4), states), (slice(4, 6), rarely)):
        fields = ('positions', 'velocities', 'efforts')
        part = {name: getattr(own, name)[:, columns] for name in fields}
        messages += ros2_messages(replace(own, names=JOINTS[columns], **part))
    return sorted(messages, key=lambda message: message[0])


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    """Recordings of the arm, good and with defects, and its descriptions."""
    folder = tmp_path_factory.mktemp('compare')
    good = simulated()
    states = good.states
    joint_state_bag(folder / 'good', states)
    joint_state_bag(folder / 'late', simulated(tool=True).delayed(0.012).states)
    degrees = {name: np.rad2deg(getattr(good, name)) for name in ('positions', 'velocities')}
    csv_file(folder / 'degrees.csv', replace(good, **degrees).states)
    csv_file(folder / 'left.csv', replace(good, joints=tuple(f'left_{j}' for j in JOINTS)).states)
    described_bag(folder / 'second', urdf(tool=True), states)
    write_bag(folder / 'halves', {'/joint_states': (JOINT_STATE, halves(states))})
    finger = replace(states, names=('grip',), **{
        name: 0.01 * getattr(states, name)[:, :1] for name in ('positions', 'velocities')
    }, efforts=None)  # fmt: skip
    messages = sorted([*ros2_messages(states), *ros2_messages(finger)])
    write_bag(folder / 'gripper', {'/joint_states': (JOINT_STATE, messages)})
    csv_file(folder / 'states.csv', states, fields=('position', 'velocity'))
    csv_file(folder / 'efforts.csv.gz', states, fields=('effort',))
    (folder / 'arm.urdf').write_text(urdf())
    (folder / 'gripper.urdf').write_text(urdf().replace('</robot>', FINGER))
    (folder / 'names.csv').write_text('seconds,position\n0,1\n')
    return folder


def test_a_good_recording_has_exit_code_0(run):
    """Also with names that were given by --rename."""
    for words in (['good'], ['left.csv', '--rename', 'left_=']):
        ended = run('compare', *words, '--urdf', 'arm.urdf')
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.startswith('arm: Residual: ')
        assert f'\n{words[0]} ' in ended.stdout
        for joint in JOINTS:
            assert ended.stdout.count(f'\n{joint} ') == 1


def test_defects_are_findings_with_exit_code_1_and_a_report(run, files):
    pytest.importorskip('plotly')
    words = ['--urdf', 'arm.urdf', '--json', 'late.json', '--report', 'arm.html']
    ended = run('compare', 'late', *words, '--verbose')
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.endswith('arm.html\n')
    assert (files / 'arm.html').stat().st_size > 10_000
    (row,) = json.loads((files / 'late.json').read_text())['recordings']
    delay, payload = row['findings']
    assert (delay['code'], payload['code']) == ('delay', 'payload')
    assert delay['value'] == pytest.approx(0.012, abs=1e-3)
    assert payload['value'] == pytest.approx(TOOL_MASS, rel=0.03)
    for one in (delay, payload):
        assert f': {one["message"]}. {one["more"]}\n' in ended.stdout
    assert (row['file'], row['topic']) == ('late', '/joint_states')


@pytest.mark.parametrize(
    ('words', 'found', 'locked'),
    [
        # The description that was recorded, unless there is another one.
        (['second'], ['payload'], []),
        (['second', '--urdf', 'arm.urdf'], [], []),
        # What is merged of several messages is said.
        (['halves', '--urdf', 'arm.urdf'], ['samples'], []),
        # A light joint is not merged.
        (['gripper', '--urdf', 'gripper.urdf'], [], ['grip']),
        (['states.csv+efforts.csv.gz', '--urdf', 'arm.urdf'], [], []),
    ],
)
def test_descriptions_and_joints_in_several_messages_or_files(answer, words, found, locked):
    code, result, _ = answer('compare', *words)
    (result,) = result['recordings']
    assert (code, codes(result), result['locked']) == (int(bool(found)), found, locked)
    assert tuple(result['joints']) == JOINTS
    assert result['rate'] == pytest.approx(100.0 if 'halves' in words else 200.0)


def test_many_recordings_and_some_that_cannot_be_used(answer):
    """Each is compared by itself, or named with its reason."""
    names = ['good', 'late', 'degrees.csv', 'names.csv']
    code, found, stderr = answer('compare', *names, '--urdf', 'arm.urdf')
    rows = found['recordings']
    assert (code, [one['file'] for one in rows]) == (2, names)
    assert [codes(one)[:2] for one in rows[:2]] == [[], ['delay', 'payload']]
    assert codes(rows[2])[0] == 'units'
    (error,) = (one['error'] for one in rows if one['error'])
    assert stderr == f'robot_dynamics: {error}\n'
    assert names[3] in error
