"""`robot_dynamics identify` of velocities that are not those of the positions."""

import re

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import JOINTS, rows
from said_findings import codes

pytestmark = pytest.mark.contract

WRONG = {'degrees': np.rad2deg, 'zero': np.zeros_like}


def record(files, name):
    """The good recording, with other velocities."""
    table = rows().copy()
    table[:, 4:7] = WRONG[name](table[:, 4:7])
    write(files / f'{name}.csv', list(JOINTS), table)
    return f'{name}.csv'


@pytest.mark.parametrize('name', WRONG)
def test_nothing_is_written_and_no_consequence_is_told(identified, files, name):
    ended, result = identified(record(files, name), target=name)
    assert ended.returncode == 1
    assert not (files / name).exists()
    assert codes(result) == ['units']
    assert result['findings'][0]['joints'] == list(JOINTS)
    assert 'the finding units' in ended.stdout
    assert 'finding units' in ended.stderr


def test_a_recording_beside_a_good_one_is_left_out(identified, files):
    """Of both, the estimate is that of the good one."""
    _, alone = identified('good.csv')
    ended, both = identified('good.csv', record(files, 'degrees'))
    assert both['joint_parameters'] == alone['joint_parameters']
    assert [one['error'] == '' for one in both['recordings']] == [True, False]
    assert re.search(r'degrees\.csv: .*velocities.*joint1, joint2, joint3 .*57\.3', ended.stderr)
    assert both['recordings'][1]['error'].endswith('left out.')
