"""Many recordings: each gives little for plots, and the same figures."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import three_joints

pytest.importorskip('rosbags')

from recorded_states import joint_state_bag, sine_states

from robot_dynamics_ros.cli import compare
from robot_dynamics_ros.cli.command_line import main
from robot_dynamics_ros.cli.compare import gather_evidence
from robot_dynamics_ros.cli.recording_options import RecordingOptions
from robot_dynamics_ros.comparison.evidence import (
    SAMPLES_OF_ONE,
    WINDOWS_OF_ONE,
)

STATES = replace(sine_states(rate=500.0, seconds=90.0), names=three_joints.JOINTS)
CUTOFF = 20.0


@pytest.fixture(scope='module')
def bag(tmp_path_factory):
    return joint_state_bag(tmp_path_factory.mktemp('large') / 'bag', STATES)


@pytest.fixture(scope='module')
def options():
    return RecordingOptions(three_joints.URDF, None, {}, CUTOFF)


def test_one_of_many_recordings_gives_little_and_the_same_sums(bag, options):
    whole = gather_evidence(options, 'bag', (bag,))
    little = gather_evidence(options, 'bag', (bag,), one_of_many=True)
    assert len(pickle.dumps(little)) < 400_000 < len(pickle.dumps(whole))
    assert np.array_equal(little.products, whole.products)
    assert (little.count, little.duration) == (whole.count, whole.duration)
    assert 1 <= len(list(little.reach.excerpts)) <= WINDOWS_OF_ONE
    kept = sum(map(len, little.samples.pieces))
    assert SAMPLES_OF_ONE // 4 < kept <= SAMPLES_OF_ONE


def test_many_recordings_are_compared(bag, tmp_path, monkeypatch):
    (tmp_path / 'arm.urdf').write_text(three_joints.URDF)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(compare, 'MANY', 2)
    count = 3
    for number in range(count):
        states = STATES.part(slice(1000 * number, 1000 * number + 6000))
        joint_state_bag(tmp_path / f'{number}', states)
    names = [f'{number}' for number in range(count)]
    with pytest.raises(SystemExit):
        main(['compare', *names, '--urdf', 'arm.urdf', '--json', 'result.json'])
    result = json.loads(Path('result.json').read_text())
    assert [one['error'] for one in result['recordings']] == [''] * count
    assert len({one['samples'] for one in result['recordings']}) == 1
