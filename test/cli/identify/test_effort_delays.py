"""`robot_dynamics identify`: efforts that come late, and what only looks so."""

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import ARM, JOINTS, RATE, jitter_rows, recording, rows
from said_findings import codes

LATE = 0.02  # [s]


def late(times, efforts):
    return np.stack([np.interp(times - LATE, times, one) for one in efforts.T], axis=1)


def lagging_friction(speeds, time):
    """Friction (N, n) of 3 N m that comes to its size behind reversals, with this time [s]."""
    lag, friction = np.exp(-1.0 / (RATE * time)), np.sign(speeds)
    for index in range(1, len(friction)):
        friction[index] += lag * (friction[index - 1] - friction[index])
    return 3.0 * friction


def test_late_efforts_are_shifted_before_the_fit(identified, files):
    """Friction is that of the arm, not that of the delay, which is 5 to 12 % more."""
    recording(files / 'late.csv', late)
    _, result = identified('late.csv', '--force', target='late')
    assert result['effort_delay'] == pytest.approx(LATE, abs=2e-3)
    assert codes(result) == ['delay']
    assert result['findings'][0]['value'] == result['effort_delay']
    found = {row['name']: row['value'] for row in result['joint_parameters']}
    for joint, viscous in zip(JOINTS, (0.5, 0.7, 0.2), strict=True):
        assert found[f'{joint} viscous'] == pytest.approx(viscous, rel=0.03)


def test_a_delay_that_is_given_is_not_searched(identified, files):
    recording(files / 'left.csv', late)
    _, result = identified('left.csv', '--force', '--effort-delay', '0', target='left')
    assert result['effort_delay'] == 0.0
    assert 'delay' in codes(result)


def test_recordings_with_different_delays_are_not_shifted(identified, files):
    """No shift is right for both: the delay is said, and nothing is done about it."""
    recording(files / 'late.csv', late)
    _, result = identified('good.csv', 'late.csv', '--force', target='different')
    assert result['effort_delay'] == 0.0
    assert 'delay' in codes(result)


def test_a_delay_of_less_than_a_sample_is_not_shifted(identified, files):
    table = rows().copy()
    table[:, 7:] = np.stack(
        [np.interp(table[:, 0] - 6e-3, table[:, 0], one) for one in table[:, 7:].T], axis=1
    )
    write(files / 'slowly.csv', list(JOINTS), table[::5])
    _, result = identified('slowly.csv', '--force', target='slowly')
    assert result['effort_delay'] == 0.0


@pytest.mark.parametrize('time', [0.04, 0.1])
@pytest.mark.parametrize('urdf', ['arm.urdf', str(ARM)])
def test_friction_that_lags_behind_reversals_is_no_delay(identified, files, urdf, time):
    """All else comes at once, and so does friction away from reversals."""
    friction = lagging_friction(rows()[:, 4:7], time)
    recording(files / 'lagging.csv', lambda times, efforts: efforts + friction)
    _, result = identified('lagging.csv', '--force', urdf=urdf, target='lagging')
    assert result['effort_delay'] == 0.0
    assert not {'delay'} & set(codes(result))


def test_a_joint_that_is_held_with_jitter_makes_no_delay_of_friction_that_lags(identified, files):
    """Its few slow equations, which are not fitted, do not take part in the search either."""
    table = jitter_rows()
    table[:, [7, 9]] += lagging_friction(table[:, [4, 6]], 0.04)
    write(files / 'held.csv', list(JOINTS), table)
    _, result = identified('held.csv', '--force', urdf=str(ARM), target='held')
    assert result['effort_delay'] == 0.0
    assert not {'delay'} & set(codes(result))


def test_efforts_that_no_robot_explains_are_not_called_late(identified, files):
    """Friction that falls with the speed, by more than the torques of the arm."""
    speeds = rows()[:, 4:7]
    stiction = 6.0 * np.sign(speeds) * np.exp(-((speeds / 0.5) ** 2))
    recording(files / 'falling.csv', lambda times, efforts: efforts + stiction)
    _, result = identified('falling.csv', target='falling')
    assert 'unexplained' in codes(result)
    assert not {'delay'} & set(codes(result))
