"""`robot_dynamics identify` of velocities that are not those of the positions."""

import json
import shutil

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('cvxpy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import DESCRIBED, JOINTS, recording, rows
from running_command import run

__all__ = ['run']


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('identify')
    shutil.copy(DESCRIBED, folder / 'arm.urdf')
    recording(folder / 'good.csv')
    for name, change in (('degrees', np.rad2deg), ('zero', np.zeros_like)):
        table = rows().copy()
        table[:, 4:7] = change(table[:, 4:7])
        write(folder / f'{name}.csv', list(JOINTS), table)
    return folder


@pytest.fixture
def identified(run, files):
    """Runs identify, and gives what it printed and its JSON."""

    def identify(*names):
        ended = run(
            'identify',
            *names,
            '--urdf',
            'arm.urdf',
            '--output',
            f'{names[-1]}.out',
            '--json',
            'result.json',
        )
        return ended, json.loads((files / 'result.json').read_text())

    return identify


@pytest.mark.parametrize('name', ['degrees', 'zero'])
def test_nothing_is_written_and_no_consequence_is_told(identified, files, name):
    ended, result = identified(f'{name}.csv')
    assert ended.returncode == 1
    assert not (files / f'{name}.csv.out').exists()
    assert [one['code'] for one in result['findings']] == ['velocities']
    assert result['findings'][0]['joints'] == list(JOINTS)
    assert 'Its parameters cannot be trusted: see the finding velocities.' in ended.stdout
    assert 'no parameter can be trusted: finding velocities' in ended.stderr


def test_a_recording_beside_a_good_one_is_left_out(identified):
    """Of both, the estimate is that of the good one."""
    _, alone = identified('good.csv')
    ended, both = identified('good.csv', 'degrees.csv')
    assert both['joint_parameters'] == alone['joint_parameters']
    assert [one['error'] == '' for one in both['recordings']] == [True, False]
    assert 'degrees.csv: The velocities of joint1, joint2, joint3 are 57.3 times' in ended.stdout
