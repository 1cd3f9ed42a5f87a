"""`robot_dynamics excite`: files, figures, refusals."""

import json
import re
import sys
from functools import partial
from pathlib import Path

import pytest
import yaml

pytest.importorskip('scipy')

from excited_arm import short_urdf
from running_command import run

from robot_dynamics_ros.cli.excite import excite_command
from robot_dynamics_ros.core import ParameterError, RobotDynamics
from robot_dynamics_ros.identification.excitation import excited_motion, motion_picture

__all__ = ['run']

JOINTS = ('turn', 'shoulder')
DOCUMENT = Path(__file__).resolve().parents[2] / 'docs' / 'excitation.md'

SHORT = ('--urdf', 'arm.urdf', '--duration', '4', '--harmonics', '4', '--steps', '12')


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'arm.urdf').write_text(short_urdf())
    return tmp_path


def test_files_and_figures(run, files):
    pytest.importorskip('matplotlib')
    ended = run(
        'excite', *SHORT, '--output', 'traj.yaml', '--goal', 'goal.yaml',
        '--picture', 'motion.png', '--json', 'figures.json',
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    trajectory = yaml.safe_load((files / 'traj.yaml').read_text())
    assert tuple(trajectory['joint_names']) == JOINTS
    assert yaml.safe_load((files / 'goal.yaml').read_text())['trajectory'] == trajectory
    assert (files / 'motion.png').read_bytes().startswith(b'\x89PNG')
    figures = json.loads((files / 'figures.json').read_text())
    shown = json.loads(re.search(r'```json excite\n(.*?)```', DOCUMENT.read_text(), re.DOTALL)[1])
    assert list(figures) == list(shown)
    assert list(figures['joints'][0]) == list(shown['joints'][0])
    first = trajectory['points'][0]
    starts = [joint['start'] for joint in figures['joints']]
    assert first['positions'] == pytest.approx(starts, abs=1e-6)
    assert first['velocities'] == [0.0] * len(JOINTS)
    assert figures['log_det'] > figures['random_log_det']
    assert figures['smallest_distance'] is None  # neighbours alone
    assert figures['smallest_height'] >= 0.05
    assert 'ros2 bag record' in ended.stdout
    assert 'Move the robot' in ended.stdout
    assert f'{12} random motions' in ended.stdout


def test_the_same_seed_gives_the_same_file(run, files):
    for name, seed in (('one', '3'), ('two', '3'), ('three', '4')):
        assert run('excite', *SHORT, '--output', name, '--seed', seed).returncode == 0
    one, two, three = ((files / name).read_bytes() for name in ('one', 'two', 'three'))
    assert one == two != three


def test_a_library_that_is_missing_is_named(run, files, monkeypatch):
    package = 'robot_dynamics_ros.identification.excitation'
    for name in ('excited_motion', 'optimisation'):
        monkeypatch.delitem(sys.modules, f'{package}.{name}', raising=False)
    monkeypatch.setitem(sys.modules, 'scipy.optimize', None)
    ended = run('excite', *SHORT, '--output', 'traj.yaml')
    assert ended.returncode == 2
    assert "pip install 'robot_dynamics_ros[identification]'" in ended.stderr


def test_geometry_that_is_not_found_has_exit_code_1(run, files):
    """The motion is written, and its file says what was not checked."""
    mesh = '<mesh filename="package://nowhere/upper.stl"/>'
    text, count = re.subn(r'<capsule [^>]*length="0.4"/>', mesh, short_urdf())
    assert count == 1
    (files / 'arm.urdf').write_text(text)
    ended = run('excite', *SHORT, '--output', 'traj.yaml', '--json', 'figures.json')
    assert ended.returncode == 1
    said = 'upper: mesh package://nowhere/upper.stl'
    assert f'not checked: {said}' in ended.stdout
    assert f'# Not checked: {said}' in (files / 'traj.yaml').read_text()
    assert said in json.loads((files / 'figures.json').read_text())['not_checked'][0]
    assert 'collision geometry of upper' in ended.stdout


def test_slow_computation_is_said_before_it_begins(run, files, monkeypatch):
    def ended(*_):
        raise ParameterError('ended')

    in_python = partial(RobotDynamics, backend='python')
    monkeypatch.setattr(excite_command, 'RobotDynamics', in_python)
    monkeypatch.setattr(excited_motion, 'excite', ended)
    said = run('excite', *SHORT, '--output', 'traj.yaml')
    assert said.returncode == 2
    assert 'ended' in said.stderr
    assert said.stdout.startswith('Plain Python computes,')


def test_some_joints(run, files):
    ended = run('excite', *SHORT, '--output', 'traj.yaml', '--joints', 'shoulder')
    assert ended.returncode == 0
    trajectory = yaml.safe_load((files / 'traj.yaml').read_text())
    assert trajectory['joint_names'] == ['shoulder']
    assert 'held still: turn 0' in ended.stdout


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (('--joints', 'turn,knee'), "unknown joint 'knee'"),
        (('--floor', '3'), 'upper is at most'),
        (('--floor', 'deep'), "--floor: 'deep'"),
        (('--start', '0,x'), "--start: 'x'"),
        (('--goal', 'traj.yaml'), 'written twice'),
        (('--duration', '0.5'), 'at least'),
        (('--duration', '1e5'), 'at most'),
        (('--harmonics', '10000', '--duration', '20000'), 'harmonics is 10000'),
        (('--seed', '-1'), 'seed is -1'),
        (('arm.urdf',), 'name it with --urdf'),
    ],
)
def test_refusals_write_nothing(run, files, arguments, said):
    ended = run('excite', *SHORT, '--output', 'traj.yaml', *arguments)
    assert ended.returncode == 2
    assert said in ended.stderr
    assert len(ended.stderr.splitlines()) == 1
    assert sorted(path.name for path in files.iterdir()) == ['arm.urdf']


def test_ctrl_c_leaves_all_files_as_they_were(run, files, monkeypatch):
    """While the last of three files is written."""
    (files / 'traj.yaml').write_text('as it was')

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(motion_picture, 'draw', interrupted)
    ended = run(
        'excite', *SHORT, '--output', 'traj.yaml', '--goal', 'goal.yaml', '--picture', 'new.png'
    )
    assert ended.returncode == 130
    assert 'interrupted' in ended.stderr
    assert (files / 'traj.yaml').read_text() == 'as it was'
    assert sorted(path.name for path in files.iterdir()) == ['arm.urdf', 'traj.yaml']
