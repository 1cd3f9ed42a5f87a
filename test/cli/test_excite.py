"""`robot_dynamics excite`: files and figures."""

import json
import re
from pathlib import Path

import pytest
import yaml

pytest.importorskip('scipy')
pytest.importorskip('coal')

from excited_arm import urdf
from running_command import documented, ended

JOINTS = ('turn', 'shoulder')
DOCUMENT = Path(__file__).resolve().parents[2] / 'docs' / 'excitation.md'
SHORT = ('--urdf', 'arm.urdf', '--duration', '4', '--output', 'traj.yaml')


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'arm.urdf').write_text(urdf(joints=2))
    return tmp_path


@pytest.fixture(scope='module')
def excited(tmp_path_factory):
    """What has ended, the trajectory, the figures, and the folder."""
    folder = tmp_path_factory.mktemp('excite')
    (folder / 'arm.urdf').write_text(urdf(joints=2))
    found = ended(folder, 'excite', *SHORT, '--seed', 3, '--json', 'figures.json')
    trajectory = yaml.safe_load((folder / 'traj.yaml').read_text())
    return found, trajectory, json.loads((folder / 'figures.json').read_text()), folder


def test_files_and_figures(excited):
    found, trajectory, figures, _ = excited
    assert found.returncode == 0, found.stderr
    assert tuple(trajectory['joint_names']) == JOINTS
    shown = documented('excite', DOCUMENT.read_text())
    assert list(figures) == list(shown)
    assert list(figures['joints'][0]) == list(shown['joints'][0])
    first = trajectory['points'][0]
    starts = [joint['start'] for joint in figures['joints']]
    assert first['positions'] == pytest.approx(starts, abs=1e-6)
    assert first['velocities'] == [0.0] * len(JOINTS)
    assert figures['log_det'] > figures['random_log_det']
    assert figures['smallest_distance'] is None  # neighbours alone
    assert figures['smallest_height'] >= 0.05
    assert 'ros2 bag record' in found.stdout


def test_the_same_seed_gives_the_same_file(run, files, excited):
    assert run('excite', *SHORT, '--seed', 3).returncode == 0
    assert (files / 'traj.yaml').read_bytes() == (excited[3] / 'traj.yaml').read_bytes()


def test_some_joints_without_gravity(run, files, excited):
    """Without it, the shoulder needs less of its effort limit."""
    options = '--joints', 'shoulder', '--start', 'turn=0.5,shoulder=-0.2', '--gravity', '0,0,0'
    assert run('excite', *SHORT, *options, '--json', 'a.json').returncode == 0
    assert yaml.safe_load((files / 'traj.yaml').read_text())['joint_names'] == ['shoulder']
    figures = json.loads((files / 'a.json').read_text())
    assert figures['held'] == {'turn': 0.5}
    (shoulder,) = figures['joints']
    assert shoulder['start'] == -0.2
    assert shoulder['effort'] < 0.7 * excited[2]['joints'][1]['effort']


def test_geometry_that_is_not_found_has_exit_code_1(run, files):
    """The motion is written, and its file says what was not checked."""
    mesh = '<mesh filename="package://nowhere/upper.stl"/>'
    text, count = re.subn(r'<capsule [^>]*length="0.4"/>', mesh, urdf(joints=2))
    assert count == 1
    (files / 'arm.urdf').write_text(text)
    found = run('excite', *SHORT, '--json', 'figures.json')
    assert found.returncode == 1
    (unchecked, *_) = json.loads((files / 'figures.json').read_text())['not_checked']
    assert 'upper: mesh package://nowhere/upper.stl' in unchecked
    assert unchecked in found.stdout
    assert f'# not checked: {unchecked}' in (files / 'traj.yaml').read_text()
