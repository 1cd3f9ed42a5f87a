"""Joints whose names are exchanged are found in bounded memory, however many there are."""

import json
import tracemalloc

import numpy as np
import pytest

pytest.importorskip('rosbags')

from mechanics.planar_arms import planar_arm
from recorded_states import States, csv_file
from running_command import run

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

__all__ = ['run']

AXES = ('0 1 0', '1 0 0', '0 0 1')


@pytest.fixture
def files(tmp_path):
    return tmp_path


def recorded(size, exchanged):
    """URDF of a chain, and its exact motion in which joints have each other's names."""
    head, *joints = planar_arm(size).split('<axis xyz="0 0 1"/>')
    parts = [f'<axis xyz="{AXES[j % 3]}"/>{joint}' for j, joint in enumerate(joints)]
    urdf = head + ''.join(parts)
    dynamics = RobotDynamics(parse_urdf(urdf))
    times = np.arange(2000) / 100.0
    rates = 2.0 * np.pi * (0.2 + 0.05 * np.arange(size))
    angles = np.outer(times, rates) + np.arange(size)
    q, v, a = 0.4 * np.sin(angles), 0.4 * rates * np.cos(angles), -0.4 * rates**2 * np.sin(angles)
    names = [f'joint{number + 1}' for number in range(size)]
    for first, second in exchanged:
        names[first], names[second] = names[second], names[first]
    stamps = np.rint(times * 1e9).astype(np.int64)
    return urdf, States(stamps, q, v, dynamics.inverse_dynamics(q, v, a), tuple(names))


@pytest.mark.contract
@pytest.mark.parametrize('size', [4, 14])
def test_exchanged_names(run, files, size):
    urdf, states = recorded(size, [(1, 2)])
    (files / 'arm.urdf').write_text(urdf)
    csv_file(files / 'states.csv', states)
    tracemalloc.start()
    try:
        ended = run('compare', 'states.csv', '--urdf', 'arm.urdf', '--json', '-')
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 128 << 20, f'{peak / (1 << 20):.0f} MiB'
    (finding,) = json.loads(ended.stdout)['findings']
    assert (finding['code'], set(finding['joints'])) == ('exchanged', {'joint2', 'joint3'})
