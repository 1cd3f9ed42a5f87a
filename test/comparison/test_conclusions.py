"""What `compare` concludes from exact motions of chains."""

import json
import re
import tracemalloc

import numpy as np
import pytest

pytest.importorskip('rosbags')

from mechanics.planar_arms import planar_arm
from recorded_states import States, csv_file
from running_command import run

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

__all__ = ['run']
pytestmark = pytest.mark.contract


@pytest.fixture
def files(tmp_path):
    return tmp_path


def chain(size):
    """URDF of joints about y, x and z in turn."""
    head, *joints = planar_arm(size).split('<axis xyz="0 0 1"/>')
    axes = ('0 1 0', '1 0 0', '0 0 1')
    return head + ''.join(f'<axis xyz="{axes[j % 3]}"/>{one}' for j, one in enumerate(joints))


def record(file, urdf, scales=1.0, friction=0.0):
    """Write an exact motion whose efforts are multiples of the torques, with Coulomb friction."""
    dynamics = RobotDynamics(parse_urdf(urdf))
    size, times = dynamics.model.size, np.arange(2000) / 100.0
    rates = 2.0 * np.pi * (0.2 + 0.05 * np.arange(size))
    angles = np.outer(times, rates) + np.arange(size)
    q, v, a = 0.4 * np.sin(angles), 0.4 * rates * np.cos(angles), -0.4 * rates**2 * np.sin(angles)
    efforts = scales * dynamics.inverse_dynamics(q, v, a) + friction * np.sign(v)
    stamps = np.rint(times * 1e9).astype(np.int64)
    return csv_file(file, States(stamps, q, v, efforts, dynamics.model.joint_names))


@pytest.fixture
def compare(run, files):
    """The findings of the command: joints by code."""

    def compare(urdf, recording):
        (files / 'arm.urdf').write_text(urdf)
        printed = run('compare', recording.name, '--urdf', 'arm.urdf', '--json', '-').stdout
        joints = {}
        for one in json.loads(printed)['recordings'][0]['findings']:
            joints.setdefault(one['code'], set()).update(one['joints'])
        return joints

    return compare


def test_exchanged_names_are_found_in_bounded_memory(compare, files):
    recording = record(files / 'states.csv', chain(8))
    names = {'joint2_': 'joint3_', 'joint3_': 'joint2_'}
    recording.write_text(re.sub('joint[23]_', lambda x: names[x[0]], recording.read_text()))
    tracemalloc.start()
    found = compare(chain(8), recording)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == {'swapped': {'joint2', 'joint3'}}
    assert peak < 128 << 20


def test_currents_are_not_trusted_by_compare_nor_identify(compare, run, files):
    scales = np.array([0.05, 0.09, 0.1, 0.06])
    recording = record(files / 'states.csv', chain(4), scales, friction=scales)
    found = compare(chain(4), recording)
    assert {'scale', 'friction'} <= found.keys()
    words = ['--urdf', 'arm.urdf', '--output', 'identified', '--json', '-']
    identified = json.loads(run('identify', recording.name, *words).stdout)
    assert 'scale' in {one['code'] for one in identified['findings']}
    assert not (files / 'identified').exists()
    torques = record(files / 'torques.csv', chain(4), friction=1.0)
    assert compare(chain(4), torques) == {'friction': found['friction']}


def test_an_effort_that_lacks_a_constant_weight_is_unexplained(compare, files):
    lift = chain(4).replace('"continuous"', '"prismatic"', 1).replace('"0 1 0"', '"0 0 1"', 1)
    recording = record(files / 'states.csv', lift, np.array([0.0, 1.0, 1.0, 1.0]), friction=1.0)
    assert compare(lift, recording)['unexplained'] == {'joint1'}
