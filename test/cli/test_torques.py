"""`robot_dynamics torques`: the torques of known motions, and many recordings."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import three_joints

pytest.importorskip('rosbags')

from recorded_states import START, Sines, csv_file, joint_state_bag, sine_states
from running_command import answered, documented

from robot_dynamics_ros.core import JointFriction, RobotDynamics, parse_urdf

pytestmark = pytest.mark.contract

URDF = three_joints.URDF.replace(
    '<axis xyz="1 0 0"/>', '<axis xyz="1 0 0"/><dynamics damping="0.4" friction="0.7"/>'
)
MODEL = parse_urdf(URDF)
JOINTS = three_joints.JOINTS
STATES = replace(sine_states(), names=JOINTS)
PARTS = ('gravity', 'coriolis', 'inertia', 'friction')
DOCUMENT = Path(__file__).resolve().parents[2] / 'docs' / 'recordings.md'
GIVEN = ('--urdf', 'arm.urdf', '--force', '--output')


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('torques')
    joint_state_bag(folder / 'bag', STATES)
    (folder / 'arm.urdf').write_text(URDF)
    for name in ('one', 'two'):
        (folder / name).mkdir()
    csv_file(folder / 'one/run.csv', STATES)
    csv_file(folder / 'two/run.csv.gz', STATES)
    (folder / 'broken.mcap').write_bytes(b'\x89MCAP')
    return folder


def columns(files, part):
    """(N, n) of the table that was written."""
    header, *rows = [line.split(',') for line in (files / 'out.csv').read_text().splitlines()]
    table = dict(zip(header, np.array(rows, float).T, strict=True))
    return table[part] if part in table else np.stack([table[f'{j}/{part}'] for j in JOINTS], 1)


@pytest.mark.parametrize(('option', 'gravity'), [((), -9.81), (('--gravity', '0,0,5'), 5.0)])
def test_torques_are_those_of_the_motion_under_a_gravity(answer, files, option, gravity):
    """Inverse dynamics and friction at the exact states, which the filter nearly keeps."""
    code, found, _ = answer('torques', 'bag', *GIVEN, 'out.csv', '--cutoff', '20', *option)
    (row,) = found['recordings']
    assert (code, row['error'], row['cutoff']) == (0, None, 20.0)
    assert row['rate'] == pytest.approx(250.0)
    times = (columns(files, 'stamp_ns') - START) / 1e9
    assert len(times) == row['samples'] > 900
    dynamics, friction = RobotDynamics(MODEL, gravity=(0.0, 0.0, gravity)), JointFriction(MODEL)
    q, v, a = (Sines().at(times, derivative) for derivative in range(3))
    exact = dynamics.inverse_dynamics(q, v, a) + friction.torque(v)
    torque = columns(files, 'torque')
    assert (np.abs(torque - exact) / np.abs(exact).max(axis=0)).max() < 1e-3
    peaks = [one['peak_torque'] for one in row['joints'].values()]
    assert peaks == pytest.approx(np.abs(torque).max(axis=0))
    parts = {part: columns(files, part) for part in PARTS}
    assert sum(parts.values()) == pytest.approx(torque, rel=1e-12, abs=1e-12)
    assert parts['gravity'] == pytest.approx(dynamics.gravity_torque(columns(files, 'position')))
    assert parts['friction'] == pytest.approx(friction.torque(columns(files, 'velocity')))
    assert np.abs(parts['friction'][:, 2]).max() > 0.5


def test_json_is_as_documented_and_names_locked_joints(files):
    """A gap of 0.5 s between two segments, and a joint that the robot has not."""
    stamps = STATES.stamps + 500_000_000 * (np.arange(len(STATES)) > 500)
    some = replace(STATES, names=('turn', 'gripper', 'wrist'), stamps=stamps)
    joint_state_bag(files / 'some', some)
    code, found, _ = answered(files, 'torques', 'some', *GIVEN, 'some.csv')
    ((row,), (wanted,)) = (
        each['recordings'] for each in (found, documented('torques', DOCUMENT.read_text()))
    )
    assert list(row) == list(wanted)
    assert list(row['joints']['wrist']) == list(wanted['joints']['elbow'])
    assert set(wanted['quality']) < set(row['quality'])
    assert (code, row['robot'], row['locked']) == (0, 'three', ['slide'])
    assert list(row['joints']) == ['turn', 'wrist']
    assert row['samples'] < row['quality']['samples'] == len(STATES)
    assert row['quality']['gaps'] == 1
    assert any('0.504' in remark for remark in row['remarks'])


def test_many_recordings(run, files):
    """One that cannot be used does not end the others; files are named after the recordings."""
    bags = ['bag', 'one/run.csv', 'broken.mcap', 'two/run.csv.gz']
    options = ['--urdf', 'arm.urdf', '--output', 'out', '--format', 'csv']
    first = run('torques', *bags, *options, '--json', 'result.json')
    assert (first.returncode, first.stderr.count('\n')) == (2, 1), first.stderr
    rows = json.loads((files / 'result.json').read_text())['recordings']
    assert [row['file'] for row in rows] == bags
    assert [bool(row['error']) for row in rows] == [False, False, True, False]
    assert rows[2]['error'] in first.stderr
    made = {path.name: path.read_bytes() for path in (files / 'out').iterdir()}
    assert set(made) == {'bag_torques.csv', 'one_run_torques.csv', 'two_run_torques.csv'}
    assert made['one_run_torques.csv'] == made['two_run_torques.csv']
    again = run('torques', *bags, *options)
    assert (again.returncode, again.stdout, '--force' in again.stderr) == (2, '', True)
