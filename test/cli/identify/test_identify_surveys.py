"""The first look at recordings: whether what is held out repeats what is fitted."""

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('cvxpy')
pytest.importorskip('rosbags')

from identified_arm.play_and_record import write
from identified_recordings import DESCRIBED, JOINTS, RATE

from robot_dynamics_ros.cli.fleet_options import Fleet
from robot_dynamics_ros.cli.identify.surveys import surveyed
from robot_dynamics_ros.cli.output import Output
from robot_dynamics_ros.cli.recording_options import options_of


def states(period, seconds=12.0):
    """Times, positions, velocities and efforts (N, 10): three sines of a period for each joint."""
    times = np.arange(round(RATE * seconds)) / RATE
    random = np.random.default_rng(1)
    rates = 2.0 * np.pi * np.arange(1, 4) / period
    amplitudes, phases = random.uniform(0.2, 0.5, (3, 3)), random.uniform(0.0, 6.0, (3, 3))
    angles = times[:, None, None] * rates[:, None] + phases
    q, v = (
        (amplitudes * np.sin(angles)).sum(1),
        (amplitudes * rates[:, None] * np.cos(angles)).sum(1),
    )
    return np.column_stack([times, q, v, np.zeros_like(q)])


@pytest.fixture
def repeated(tmp_path):
    """The share of the held-out motion that repeats the fitted one."""

    def look(held_out=(), **tables):
        files = {name: (tmp_path / f'{name}.csv',) for name in tables}
        for name, table in tables.items():
            write(*files[name], list(JOINTS), table)
        options = options_of(DESCRIBED, [], None, (), 10.0)
        return surveyed(options, files, held_out, Fleet(jobs=1), Output()).repeated

    return look


@pytest.mark.parametrize(('period', 'share'), [(6.0, 1.0), (12.0, 0.0)])
def test_a_period_that_is_played_twice_is_held_out_against_itself(repeated, period, share):
    assert repeated(one=states(period)) == share


def test_a_motion_that_is_held_out_as_a_whole(repeated):
    fitted = states(12.0)
    assert repeated(('two',), one=fitted, two=fitted) == 1.0
    assert repeated(('two',), one=fitted, two=states(7.3)) == 0.0
