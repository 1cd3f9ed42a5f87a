"""The order of the sentences of the verdict of `robot_dynamics identify`."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('cvxpy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import JOINTS, rows

from robot_dynamics_ros.identification import identify


@pytest.mark.parametrize(
    ('measured', 'where', 'words'),
    [
        (5.5, 0, 'not judged'),
        (np.inf, -1, 'better than'),
    ],
    ids=['not judged', 'judged'],
)
def test_whether_to_load_it_is_said_first_or_last(
    identified, files, monkeypatch, measured, where, words
):
    """Of a model that nothing judges there is no other headline."""
    module = 'robot_dynamics_ros.cli.identify.fitted_model'
    other = {'other_friction': JOINTS[:1]}
    monkeypatch.setattr(
        f'{module}.identify', lambda *one, **more: replace(identify(*one, **more), **other)
    )
    table = rows(still=('joint3',)).copy()
    table[table[:, 0] > measured, 7:] = np.nan
    write(files / 'two.csv', list(JOINTS[:2]), table[:, [0, 1, 2, 4, 5, 7, 8]])
    _, result = identified('two.csv', '--friction-smoothing', '0.08', target='two')
    verdict = result['verdict']
    assert words in verdict[where]
    assert verdict[1].startswith('Not identified')
    assert 'joint1' in verdict[2]
    assert 'Coulomb friction' in verdict[3]
