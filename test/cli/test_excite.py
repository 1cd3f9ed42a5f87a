"""`robot_dynamics excite`: files, figures, refusals."""

import json
import re
import sys
from functools import partial
from pathlib import Path

import pytest
import yaml

pytest.importorskip('scipy')
pytest.importorskip('coal')

from excited_arm import short_urdf
from running_command import run

from robot_dynamics_ros.cli import excite as command
from robot_dynamics_ros.core import ParameterError, RobotDynamics
from robot_dynamics_ros.identification.excitation import excitation

__all__ = ['run']

JOINTS = ('turn', 'shoulder')
DOCUMENT = Path(__file__).resolve().parents[2] / 'docs' / 'excitation.md'

SHORT = ('--urdf', 'arm.urdf', '--duration', '4')


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'arm.urdf').write_text(short_urdf())
    return tmp_path


def test_files_and_figures(run, files):
    ended = run('excite', *SHORT, '--output', 'traj.yaml', '--json', 'figures.json')
    assert ended.returncode == 0, ended.stderr
    trajectory = yaml.safe_load((files / 'traj.yaml').read_text())
    assert tuple(trajectory['joint_names']) == JOINTS
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


@pytest.mark.parametrize('missing', ['scipy.optimize', 'coal'])
def test_a_library_that_is_missing_is_named(run, files, monkeypatch, missing):
    package = 'robot_dynamics_ros.identification.excitation'
    for name in ('excitation', 'optimisation', 'clearance', 'collision_geometry', 'constraints'):
        monkeypatch.delitem(sys.modules, f'{package}.{name}', raising=False)
    monkeypatch.setitem(sys.modules, missing, None)
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
    assert f'# not checked: {said}' in (files / 'traj.yaml').read_text()
    assert said in json.loads((files / 'figures.json').read_text())['not_checked'][0]
    assert 'collision geometry of upper' in ended.stdout


def test_slow_computation_is_said_before_it_begins(run, files, monkeypatch):
    def ended(*_):
        raise ParameterError('ended')

    in_python = partial(RobotDynamics, backend='python')
    monkeypatch.setattr(command, 'RobotDynamics', in_python)
    monkeypatch.setattr(excitation, 'excite', ended)
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
    arguments = '--joints', 'shoulder', '--start', 'turn=0.5,shoulder=-0.2', '--json', 'a.json'
    assert run('excite', *SHORT, '--output', 'traj.yaml', *arguments).returncode == 0
    figures = json.loads((files / 'a.json').read_text())
    assert figures['held'] == {'turn': 0.5}
    assert figures['joints'][0]['start'] == -0.2


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (('--joints', 'turn,knee'), "unknown joint 'knee'"),
        (('--floor', '3'), 'upper is -'),
        (('--floor', 'deep'), "--floor: 'deep'"),
        (('--json', 'traj.yaml'), 'for --output and for --json'),
        (('--duration', '0.5'), 'duration is 0.5'),
        (('--duration', '1e5'), 'duration is 100000'),
        (('--start', 'shoulder'), "'shoulder'"),
        (('--start', 'shoulder=up'), "--start: shoulder: 'up'"),
        (('--start', 'knee=1'), "'knee'"),
        (('--start', 'turn=2.9'), 'turn uses'),
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


def test_ctrl_c_leaves_the_file_as_it_was(run, files, monkeypatch):
    (files / 'traj.yaml').write_text('as it was')

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(excitation.Excitation, 'trajectory_text', interrupted)
    ended = run('excite', *SHORT, '--output', 'traj.yaml')
    assert ended.returncode == 130
    assert 'interrupted' in ended.stderr
    assert (files / 'traj.yaml').read_text() == 'as it was'
    assert sorted(path.name for path in files.iterdir()) == ['arm.urdf', 'traj.yaml']
