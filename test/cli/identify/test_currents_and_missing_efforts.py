"""`robot_dynamics identify` of efforts that are currents, or not measured."""

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_recordings import recording, rows
from said_findings import codes

pytestmark = pytest.mark.contract

GAINS = {'joint1': 9.0, 'joint2': 8.0, 'joint3': 7.0}  # [N m/A]


def amperes(times, efforts):
    return efforts / np.array([*GAINS.values()])


def test_currents_with_known_gains_are_torques(identified, files):
    recording(files / 'amperes.csv', amperes)
    gains = [word for joint, gain in GAINS.items() for word in ('--gain', f'{joint}={gain}')]
    _, result = identified('amperes.csv', '--effort', 'current', *gains, target='amperes')
    _, torques = identified('good.csv', '--force')
    for joint, one in result['held_out'].items():
        other = torques['held_out'][joint]
        assert one['rms_measured'] == pytest.approx(other['rms_measured'], rel=1e-6)
        assert one['rms_identified'] == pytest.approx(other['rms_identified'], rel=0.2)
    assert not {'factor', 'unknown_gain'} & set(codes(result))


def test_a_gain_that_the_data_do_not_fix_is_not_guessed(identified, files):
    recording(files / 'amperes.csv', amperes)
    options = ['--effort', 'current', '--gain', 'joint1=9']
    ended, result = identified('amperes.csv', *options, target='guessed')
    assert 'unknown_gain' in codes(result)
    assert not {'contact', 'excitation'} & set(codes(result))
    (unknown,) = (one['joints'] for one in result['findings'] if one['code'] == 'unknown_gain')
    listed = {f'{joint} gain' for joint in unknown}
    rows = {row['name']: row for row in result['joint_parameters'] if row['name'] in listed}
    assert rows.keys() == listed
    assert all(row['low'] is None and row['high'] is None for row in rows.values())
    assert any('unknown_gain' in text for text in result['objections'])
    assert ended.returncode == 1
    assert not (files / 'guessed').exists()


def test_an_effort_that_is_not_measured_pulls_no_body(identified, files):
    """Noise about zero at the last joint would say that what it carries has no mass."""
    noise = np.random.default_rng(0).normal(0.0, 1e-3, len(rows()))
    recording(
        files / 'silent.csv', lambda times, efforts: np.column_stack([efforts[:, :2], noise])
    )
    ended, result = identified('silent.csv', '--force', target='silent')
    assert 'no_effort' in codes(result)
    assert not {'unexplained', 'still', 'unknown_gain'} & set(codes(result))
    assert (files / 'silent/identified.urdf').is_file(), ended.stderr
    held_out = result['held_out']
    assert held_out['joint3']['rms_identified'] is None
    assert held_out['joint3']['is_noise'] is None
    for joint in ('joint1', 'joint2'):
        assert held_out[joint]['rms_identified'] < 0.2 * held_out[joint]['rms_nominal']
