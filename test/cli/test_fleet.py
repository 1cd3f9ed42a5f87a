"""Recordings on a real Dask cluster: the same files and numbers as on this machine."""

import json
import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
import three_joints
from waiting import wait_until

distributed = pytest.importorskip('distributed')
pytest.importorskip('rosbags')

from recorded_states import csv_file, joint_state_bag, sine_states

from robot_dynamics_ros.cli.command_line import main

LIMIT = 60.0
RECORDINGS = 5


@pytest.fixture(scope='module')
def address():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=':0'
    ) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Recordings of different lengths, one of them broken, and a URDF."""
    monkeypatch.chdir(tmp_path)
    for number in range(RECORDINGS):
        states = sine_states(seconds=6.0 + number)
        csv_file(tmp_path / f'{number}.csv', replace(states, names=three_joints.JOINTS))
    (tmp_path / 'broken.mcap').write_bytes(b'\x89MCAP0\r\n')
    (tmp_path / 'arm.urdf').write_text(three_joints.URDF)
    return tmp_path


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        main([*map(str, arguments), '--urdf', 'arm.urdf', '--json', 'result.json'])
    return ended.value.code, json.loads(Path('result.json').read_text())


def recordings():
    return [f'{number}.csv' for number in range(RECORDINGS)] + ['broken.mcap']


def written(folder):
    return {path.name: path.read_bytes() for path in Path(folder).glob('[!.]*.csv')}


def test_a_worker_that_is_killed_among_recordings_loses_nothing(folder, address):
    options = ['torques', *recordings(), '--format', 'csv']
    code, here = run(*options, '--output', 'here')
    assert code == 2
    killed = []

    def kill():
        """The worker that has begun to write the first file."""
        wait_until(lambda: any(Path('there').glob('.*')), 'a begun file', LIMIT, pause)
        with distributed.Client(address, set_as_default=False) as client:
            pids = client.run(os.getpid)
        killed.append(next(iter(pids.values())))
        os.kill(killed[0], signal.SIGKILL)

    Path('there').mkdir()
    killer = threading.Thread(target=kill)
    killer.start()
    code, there = run(*options, '--output', 'there', '--scheduler', address, '--resume', 'kept')
    killer.join(LIMIT)
    assert killed
    assert code == 2
    assert len(written('here')) == RECORDINGS
    assert written('there') == written('here')
    for one, other in zip(here['recordings'], there['recordings'], strict=True):
        assert bool(one['error']) == bool(other['error']) == (one['file'] == 'broken.mcap')
        assert one.get('joints') == other.get('joints')
    assert len(list(Path('kept').iterdir())) == RECORDINGS


def pause():
    time.sleep(0.002)


def test_a_comparison_on_a_cluster_is_that_of_this_machine(folder, address):
    joint_state_bag(folder / 'bag', replace(sine_states(), names=three_joints.JOINTS))
    options = ['compare', *recordings(), 'bag']
    code, here = run(*options)
    assert code == 2
    assert run(*options, '--scheduler', address) == (code, here)
