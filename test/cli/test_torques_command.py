"""`robot_dynamics torques`: the torques of known motions, files as a whole, many recordings."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from glob import glob
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import three_joints
from waiting import wait_until

pytest.importorskip('rosbags')

from recorded_states import (
    START,
    Sines,
    csv_file,
    joint_state_bag,
    ros2_messages,
    serialized_text,
    sine_states,
    write_bag,
)

from robot_dynamics_ros.cli.command_line import main
from robot_dynamics_ros.core import JointFriction, RobotDynamics, parse_urdf
from robot_dynamics_ros.recordings import Recording

pytestmark = pytest.mark.contract

URDF = three_joints.URDF.replace(
    '<axis xyz="1 0 0"/>', '<axis xyz="1 0 0"/><dynamics damping="0.4" friction="0.7"/>'
)
STATES = replace(sine_states(), names=three_joints.JOINTS)
JOINT_STATE, STRING = 'sensor_msgs/msg/JointState', 'std_msgs/msg/String'
LIMIT = 60.0


class Ended(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Runs the command in this process, in a folder with a bag and a URDF."""
    monkeypatch.chdir(tmp_path)
    joint_state_bag(tmp_path / 'bag', STATES)
    (tmp_path / 'arm.urdf').write_text(URDF)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(['torques', *map(str, arguments)])
        return Ended(ended.value.code, *capfd.readouterr())

    return run


def efforts_of(path, topic):
    """Times since START, positions, velocities and efforts of a topic."""
    with Recording.read([Path(path)], topic=topic, joints=three_joints.JOINTS) as recording:
        (chunk,) = recording.chunks()
        times = chunk.times + (recording.start - START) / 1e9
        return times, chunk.positions, chunk.velocities, chunk.efforts


def test_torques_are_those_of_the_motion(run, tmp_path):
    """Inverse dynamics and friction at the exact states, which the filter nearly keeps."""
    ended = run('bag', '--urdf', 'arm.urdf', '--output', 'out.mcap', '--cutoff', 20)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith('bag: ')
    assert '250 Hz, low pass 20 Hz, 3 joints: out.mcap' in ended.stdout
    times, *_, efforts = efforts_of('out.mcap', '/model/torques')
    assert len(times) > 900
    motion = [Sines().at(times, derivative) for derivative in range(3)]
    model = parse_urdf(URDF)
    exact = RobotDynamics(model).inverse_dynamics(*motion) + JointFriction(model).torque(motion[1])
    scale = np.abs(exact).max(axis=0)
    assert (np.abs(efforts - exact) / scale).max() < 1e-3


def test_parts_sum_up_and_gravity_is_that_of_the_positions(run):
    assert run('bag', '--urdf', 'arm.urdf', '--output', 'out.mcap').returncode == 0
    _, positions, velocities, total = efforts_of('out.mcap', '/model/torques')
    model = parse_urdf(URDF)
    with Recording.read([Path('out.mcap')]) as recording:
        assert recording.description == URDF
        assert recording.size == len(STATES)
    csv = run('bag', '--urdf', 'arm.urdf', '--output', 'out.csv')
    assert csv.returncode == 0
    header, *rows = [line.split(',') for line in Path('out.csv').read_text().splitlines()]
    table = np.array(rows, float)

    def columns(part):
        return table[:, [header.index(f'{joint}/{part}') for joint in three_joints.JOINTS]]

    parts = {part: columns(part) for part in ('gravity', 'coriolis', 'inertia', 'friction')}
    assert np.array_equal(columns('torque'), total)
    assert sum(parts.values()) == pytest.approx(total, rel=1e-12, abs=1e-12)
    assert parts['gravity'] == pytest.approx(RobotDynamics(model).gravity_torque(positions))
    assert parts['friction'] == pytest.approx(JointFriction(model).torque(velocities))
    assert np.abs(parts['friction'][:, 2]).max() > 0.5


def test_json_and_locked_joints(run, tmp_path):
    some = replace(STATES, names=('turn', 'gripper', 'wrist'))
    joint_state_bag(tmp_path / 'some', some)
    ended = run('some', '--urdf', 'arm.urdf', '--output', 'o.parquet', '--json', '-')
    assert ended.returncode == 0
    (row,) = json.loads(ended.stdout)['recordings']
    assert (row['file'], row['output'], row['error']) == ('some', 'o.parquet', None)
    assert (row['robot'], row['locked'], list(row['joints'])) == (
        'three', ['slide'], ['turn', 'wrist'],
    )  # fmt: skip
    assert row['samples'] < row['quality']['samples'] == len(STATES)
    assert row['joints']['wrist']['peak_torque'] > 0.0


def test_remarks_are_said(run, tmp_path):
    """A gap of 0.5 s between two segments."""
    stamps = STATES.stamps + 500_000_000 * (np.arange(len(STATES)) > 500)
    joint_state_bag(tmp_path / 'gap', replace(STATES, stamps=stamps))
    ended = run('gap', '--urdf', 'arm.urdf', '--output', 'o.csv')
    assert ended.returncode == 0
    assert re.match(r'  1 gap.* 0\.504', ended.stdout.splitlines()[1])
    assert 'gaps' not in run('bag', '--urdf', 'arm.urdf', '--output', 'o.csv').stdout


def test_json_is_as_documented(run):
    document = (Path(__file__).resolve().parents[2] / 'docs' / 'recordings.md').read_text()
    shown = json.loads(re.search(r'```json torques\n(.*?)```', document, re.DOTALL)[1])
    ended = run('bag', '--urdf', 'arm.urdf', '--output', 'o.csv', '--json', '-')
    (row,), (wanted,) = json.loads(ended.stdout)['recordings'], shown['recordings']
    assert list(row) == list(wanted)
    assert list(row['joints']['wrist']) == list(wanted['joints']['elbow'])
    assert set(wanted['quality']) < set(row['quality'])


def test_the_description_is_taken_from_the_bag(run, tmp_path):
    contents = {
        '/robot_description': (STRING, [(START, serialized_text(URDF))]),
        '/joint_states': (JOINT_STATE, ros2_messages(STATES)),
    }
    write_bag(tmp_path / 'described', contents)
    assert run('described', '--output', 'a.csv').returncode == 0
    assert run('described', '--urdf', 'arm.urdf', '--output', 'b.csv').returncode == 0
    assert Path('a.csv').read_bytes() == Path('b.csv').read_bytes()
    ended = run('bag', '--output', 'c.csv')
    assert ended.returncode == 2
    assert 'file with --urdf' in ended.stderr


def test_joints_are_renamed(run, tmp_path):
    other = replace(STATES, names=tuple(f'left_{name}' for name in three_joints.JOINTS))
    joint_state_bag(tmp_path / 'left', other)
    ended = run('left', '--urdf', 'arm.urdf', '--output', 'a.csv')
    assert ended.returncode == 2
    assert re.search('left_slide, left_turn, left_wrist.*--rename left_=', ended.stderr)
    renamed = run('left', '--urdf', 'arm.urdf', '--rename', 'left_=', '--output', 'a.csv')
    assert renamed.returncode == 0
    assert run('bag', '--urdf', 'arm.urdf', '--output', 'b.csv').returncode == 0
    assert Path('a.csv').read_bytes() == Path('b.csv').read_bytes()


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        ([], 'one BAG'),
        (['nowhere.mcap'], 'nowhere.mcap'),
        (['bag', '--output', 'out.txt'], '.mcap'),
        (['bag', 'bag/bag.mcap', '--output', 'out.csv'], 'out.csv is a file'),
        (['bag', 'bag/bag.mcap', '--output', 'arm.urdf'], 'arm.urdf is a file'),
        (['bag', 'bag', '--output', 'out'], 'bag is named twice'),
        (['bag', 'bag/../bag', '--output', 'out'], '2 recordings'),
        (['bag/bag.mcap', '--output', 'bag/bag.mcap'], '--output would replace'),
        (['bag', '--output', 'bag/bag.mcap'], 'the folder of'),
        (['bag', '--output', 'nowhere/out.csv'], 'folder nowhere'),
        (['bag', '--rename', 'turn'], '--rename turn: RECORDED=NAME'),
        (['bag', '--rename', 'a=b', '--rename', 'a=c'], "'a' is renamed twice"),
        (['bag', '--topic', '/camera'], 'topic /camera'),
        (['bag', '--cutoff', '500'], 'cutoff'),
        (['bag', '--scheduler', 'localhost:8786'], 'tcp://HOST:PORT'),
        (['bag', 'mass:=2'], 'arm.urdf is a URDF'),
    ],
)
def test_errors_are_one_line_and_nothing_is_written(run, arguments, said, tmp_path):
    ended = run(*arguments, '--urdf', 'arm.urdf')
    assert (ended.returncode, ended.stdout) == (2, '')
    assert said in ended.stderr
    assert ended.stderr.count('\n') == 1
    written = {path.name for path in tmp_path.iterdir()} - {'bag', 'arm.urdf', 'out'}
    assert not written


def test_many_recordings_and_resume(run, tmp_path):
    (tmp_path / 'one').mkdir()
    (tmp_path / 'two').mkdir()
    csv_file(tmp_path / 'one' / 'run.csv', STATES)
    csv_file(tmp_path / 'two' / 'run.csv.gz', STATES)
    (tmp_path / 'broken.mcap').write_bytes(b'\x89MCAP')
    bags = ['bag', 'one/run.csv', 'broken.mcap', 'two/run.csv.gz']
    options = ['--urdf', 'arm.urdf', '--output', 'out', '--format', 'csv', '--resume', 'kept']
    ended = run(*bags, *options, '--json', 'result.json')
    assert (ended.returncode, ended.stderr.count('\n')) == (2, 1)
    rows = json.loads(Path('result.json').read_text())['recordings']
    assert [row['file'] for row in rows] == bags
    assert [bool(row['error']) for row in rows] == [False, False, True, False]
    assert rows[2]['error'] in ended.stderr
    assert 'failed: broken.mcap\n' in ended.stdout
    assert '4 recordings: 3 written, 1 failed' in ended.stdout
    written = {path.name: path.read_bytes() for path in (tmp_path / 'out').iterdir()}
    assert set(written) == {'bag_torques.csv', 'one_run_torques.csv', 'two_run_torques.csv'}
    assert written['one_run_torques.csv'] == written['two_run_torques.csv']

    (tmp_path / 'out' / 'bag_torques.csv').unlink()
    again = run(*bags, *options)
    lines = again.stdout.splitlines()
    assert [line.endswith('earlier run)') for line in lines] == [
        False, True, False, True, False,
    ]  # fmt: skip
    assert {p.name: p.read_bytes() for p in (tmp_path / 'out').iterdir()} == written


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_leaves_nothing(tmp_path, number):
    """A signal while the file is being written: exit code 128 + its number, the file as before."""
    states = replace(sine_states(rate=1000.0, seconds=90.0), names=three_joints.JOINTS)
    csv_file(tmp_path / 'long.csv', states)
    (tmp_path / 'arm.urdf').write_text(URDF)
    (tmp_path / 'out.mcap').write_text('as before')
    before = sorted(tmp_path.iterdir())
    process = subprocess.Popen(
        [sys.executable, '-m', 'robot_dynamics_ros.cli.command_line', 'torques', 'long.csv',
         '--urdf', 'arm.urdf', '--output', 'out.mcap'],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True,
        env={**os.environ, 'PYTHONPATH': ':'.join(filter(None, sys.path))},
    )  # fmt: skip
    # pathlib fails where a folder vanishes meanwhile, as that of the first try of the output does.
    pattern = '.out.mcap.*/*/*/*.mcap'
    wait_until(lambda: glob(pattern, root_dir=tmp_path), 'a begun file', LIMIT, pause)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=LIMIT)
    said = 'interrupted' if number == signal.SIGINT else f'ended by {number.name}'
    # click ends the line that the terminal shows.
    assert (process.returncode, stderr.strip()) == (128 + number, f'robot_dynamics: {said}')
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / 'out.mcap').read_text() == 'as before'


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason='one core has one process')
def test_an_interruption_of_a_terminal_ends_all_processes_quietly(tmp_path):
    """SIGINT reaches each process, also those that still import."""
    for name in ('one', 'two'):
        states = replace(sine_states(seconds=8.0), names=three_joints.JOINTS)
        csv_file(tmp_path / f'{name}.csv', states)
    (tmp_path / 'arm.urdf').write_text(URDF)
    process = subprocess.Popen(
        [sys.executable, '-m', 'robot_dynamics_ros.cli.command_line', 'torques', 'one.csv',
         'two.csv', '--urdf', 'arm.urdf'],
        cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, 'PYTHONPATH': ':'.join(filter(None, sys.path))},
    )  # fmt: skip

    def children():
        """Of each thread of the process."""
        found = glob('*/children', root_dir=(root := f'/proc/{process.pid}/task'))
        return ' '.join(Path(root, each).read_text() for each in found).split()

    # One of them is multiprocessing's tracker of resources.
    wait_until(lambda: len(children()) == 3, 'two workers', LIMIT, pause)
    pids = children()
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=LIMIT)
    assert (process.returncode, stderr.strip()) == (130, 'robot_dynamics: interrupted')
    wait_until(lambda: not any(map(is_running, pids)), 'the end of all', LIMIT, pause)
    assert {path.name for path in tmp_path.iterdir()} == {'one.csv', 'two.csv', 'arm.urdf'}


def is_running(pid):
    """Whether a process exists, and is not only waiting for its parent to read its end."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


def test_csv_files_that_are_one_recording(run, tmp_path):
    fields = ('position', 'velocity', 'effort')
    for field in fields:
        csv_file(tmp_path / f'{field}.csv', STATES, fields=[field])
    joined = '+'.join(f'{field}.csv' for field in fields)
    assert run(joined, '--urdf', 'arm.urdf', '--format', 'csv').returncode == 0
    csv_file(tmp_path / 'all.csv', STATES)
    assert run('all.csv', '--urdf', 'arm.urdf', '--format', 'csv').returncode == 0
    assert Path('position_torques.csv').read_bytes() == Path('all_torques.csv').read_bytes()


def pause():
    time.sleep(0.002)
