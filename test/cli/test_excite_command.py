"""`robot_dynamics excite`: files, figures, refusals."""

import json

import pytest
import yaml

pytest.importorskip('scipy')

from excited_arm import JOINTS, urdf
from running_command import run

from robot_dynamics_ros.identification.excitation import motion_picture

__all__ = ['run']

SHORT = ('--urdf', 'arm.urdf', '--duration', '4', '--harmonics', '4', '--steps', '12')


@pytest.fixture
def files(tmp_path):
    (tmp_path / 'arm.urdf').write_text(urdf())
    return tmp_path


def test_files_and_figures(run, files):
    pytest.importorskip('matplotlib')
    ended = run(
        'excite', *SHORT, '--output', 'traj.yaml', '--goal', 'goal.yaml',
        '--picture', 'motion.png', '--json', 'figures.json',
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, '')
    trajectory = yaml.safe_load((files / 'traj.yaml').read_text())
    assert tuple(trajectory['joint_names']) == JOINTS
    assert yaml.safe_load((files / 'goal.yaml').read_text())['trajectory'] == trajectory
    assert (files / 'motion.png').read_bytes().startswith(b'\x89PNG')
    figures = json.loads((files / 'figures.json').read_text())
    first = trajectory['points'][0]
    starts = [joint['start'] for joint in figures['joints']]
    assert first['positions'] == pytest.approx(starts, abs=1e-6)
    assert first['velocities'] == [0.0] * len(JOINTS)
    assert figures['log_det'] > figures['random_log_det']
    assert figures['smallest_distance'] >= 0.05
    assert figures['smallest_height'] >= 0.05
    assert 'ros2 bag record' in ended.stdout
    assert 'Move the robot there before' in ended.stdout
    assert f'times smaller than of the median of {12} random motions' in ended.stdout


def test_the_same_command_writes_the_same_file(run, files):
    for name in ('one.yaml', 'two.yaml'):
        assert run('excite', *SHORT, '--output', name).returncode == 0
    assert (files / 'one.yaml').read_bytes() == (files / 'two.yaml').read_bytes()


def test_some_joints(run, files):
    ended = run('excite', *SHORT, '--output', 'traj.yaml', '--joints', 'wrist,shoulder')
    assert ended.returncode == 0
    trajectory = yaml.safe_load((files / 'traj.yaml').read_text())
    assert trajectory['joint_names'] == ['shoulder', 'wrist']
    assert 'held still: turn 0, elbow 0' in ended.stdout


@pytest.mark.parametrize(
    ('arguments', 'said'),
    [
        (('--joints', 'wrist,knee'), "unknown joint 'knee'"),
        (('--floor', '3'), 'none of 400 random poses'),
        (('--floor', 'deep'), "--floor: 'deep' is not a number"),
        (('--start', '0,0,x,0'), "--start: 'x' is not a number"),
        (('--goal', 'traj.yaml'), 'would be written twice'),
        (('--duration', '0.5'), 'at least'),
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
    assert (ended.returncode, ended.stderr) == (130, '\nrobot_dynamics: interrupted\n')
    assert (files / 'traj.yaml').read_text() == 'as it was'
    assert sorted(path.name for path in files.iterdir()) == ['arm.urdf', 'traj.yaml']
