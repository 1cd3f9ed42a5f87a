"""`robot_dynamics excite`: files and figures."""

import json
import re
from pathlib import Path

import pytest
import yaml

pytest.importorskip('scipy')
pytest.importorskip('coal')

from excited_arm import urdf
from running_command import answered, documented

JOINTS = ('turn', 'shoulder')
DOCUMENT = Path(__file__).resolve().parents[2] / 'docs' / 'excitation.md'
SHORT = ('--urdf', 'arm.urdf', '--duration', '4', '--output')


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('excite')
    (folder / 'arm.urdf').write_text(urdf(joints=2))
    return folder


@pytest.fixture(scope='module')
def excited(files):
    """Exit code, figures and errors."""
    return answered(files, 'excite', *SHORT, 'first.yaml', '--seed', 3)


def test_files_and_figures(excited, files):
    code, figures, stderr = excited
    assert code == 0, stderr
    trajectory = yaml.safe_load((files / 'first.yaml').read_text())
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


def test_some_joints_without_gravity(answer, files, excited):
    """Without it, the shoulder needs less of its effort limit."""
    options = '--joints', 'shoulder', '--start', 'turn=0.5,shoulder=-0.2', '--gravity', '0,0,0'
    code, figures, _ = answer('excite', *SHORT, 'some.yaml', *options)
    assert (code, figures['held']) == (0, {'turn': 0.5})
    assert yaml.safe_load((files / 'some.yaml').read_text())['joint_names'] == ['shoulder']
    (shoulder,) = figures['joints']
    assert shoulder['start'] == -0.2
    assert shoulder['effort'] < 0.7 * excited[1]['joints'][1]['effort']


def test_geometry_that_is_not_found_has_exit_code_1(run, files):
    """The motion is written, and its file says what was not checked."""
    mesh = '<mesh filename="package://nowhere/upper.stl"/>'
    text, count = re.subn(r'<capsule [^>]*length="0.4"/>', mesh, urdf(joints=2))
    assert count == 1
    (files / 'mesh.urdf').write_text(text)
    words = '--urdf', 'mesh.urdf', '--json', 'figures.json'
    found = run('excite', *SHORT, 'mesh.yaml', *words)
    assert found.returncode == 1
    (unchecked, *_) = json.loads((files / 'figures.json').read_text())['not_checked']
    assert 'upper: mesh package://nowhere/upper.stl' in unchecked
    assert unchecked in found.stdout
    assert f'# not checked: {unchecked}' in (files / 'mesh.yaml').read_text()
    assert 'ros2 bag record' in found.stdout
