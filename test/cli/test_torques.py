"""`robot_dynamics torques`: the torques of known motions, many recordings, findings of units."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import three_joints

pytest.importorskip('rosbags')

from recorded_states import START, Sines, csv_file, joint_state_bag, sine_states
from running_command import ended

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


@pytest.fixture(scope='module')
def written(files):
    """Runs the subcommand: its exit code, the row of its JSON, and the columns of its table."""

    def written(name, *options):
        given = ('--urdf', 'arm.urdf', '--output', 'out.csv', '--force', '--json', '-')
        found = ended(files, 'torques', name, *given, *options)
        header, *rows = [line.split(',') for line in (files / 'out.csv').read_text().splitlines()]
        table = dict(zip(header, np.array(rows, float).T, strict=True))
        return found.returncode, json.loads(found.stdout)['recordings'][0], table

    return written


@pytest.fixture(scope='module')
def bag(written):
    """What is said and written of the good recording."""
    return written('bag', '--cutoff', '20')


def columns(table, part):
    return np.stack([table[f'{joint}/{part}'] for joint in JOINTS], axis=1)


def test_torques_are_those_of_the_motion(bag):
    """Inverse dynamics and friction at the exact states, which the filter nearly keeps."""
    code, row, table = bag
    assert (code, row['error'], row['cutoff']) == (0, None, 20.0)
    assert row['rate'] == pytest.approx(250.0)
    times = (table['stamp_ns'] - START) / 1e9
    assert len(times) == row['samples'] > 900
    q, v, a = (Sines().at(times, derivative) for derivative in range(3))
    exact = RobotDynamics(MODEL).inverse_dynamics(q, v, a) + JointFriction(MODEL).torque(v)
    scale = np.abs(exact).max(axis=0)
    assert (np.abs(columns(table, 'torque') - exact) / scale).max() < 1e-3
    peaks = [one['peak_torque'] for one in row['joints'].values()]
    assert peaks == pytest.approx(np.abs(columns(table, 'torque')).max(axis=0))
    parts = {part: columns(table, part) for part in PARTS}
    assert sum(parts.values()) == pytest.approx(columns(table, 'torque'), rel=1e-12, abs=1e-12)
    positions, velocities = columns(table, 'position'), columns(table, 'velocity')
    assert parts['gravity'] == pytest.approx(RobotDynamics(MODEL).gravity_torque(positions))
    assert parts['friction'] == pytest.approx(JointFriction(MODEL).torque(velocities))
    assert np.abs(parts['friction'][:, 2]).max() > 0.5


def test_json_is_as_documented_and_names_locked_joints(written, files, bag):
    shown = re.search(r'```json torques\n(.*?)```', DOCUMENT.read_text(), re.DOTALL)[1]
    (wanted,) = json.loads(shown)['recordings']
    assert list(bag[1]) == list(wanted)
    assert list(bag[1]['joints']['wrist']) == list(wanted['joints']['elbow'])
    assert set(wanted['quality']) < set(bag[1]['quality'])
    # A gap of 0.5 s between two segments, and a joint that the robot has not.
    stamps = STATES.stamps + 500_000_000 * (np.arange(len(STATES)) > 500)
    some = replace(STATES, names=('turn', 'gripper', 'wrist'), stamps=stamps)
    joint_state_bag(files / 'some', some)
    code, row, _ = written('some')
    assert (code, row['robot'], row['locked']) == (0, 'three', ['slide'])
    assert list(row['joints']) == ['turn', 'wrist']
    assert row['samples'] < row['quality']['samples'] == len(STATES)
    assert row['quality']['gaps'] == 1
    assert any('0.504' in remark for remark in row['remarks'])


def test_gravity_turned_by_90_degrees_turns_the_torques_with_it(written, bag):
    """The part of gravity is that of a robot on a wall, the others are as before."""
    _, _, upright = bag
    _, _, table = written('bag', '--cutoff', '20', '--gravity', '0,-9.81,0')
    dynamics = RobotDynamics(MODEL, gravity=(0.0, -9.81, 0.0))
    turned = dynamics.gravity_torque(columns(table, 'position'))
    assert columns(table, 'gravity') == pytest.approx(turned)
    assert np.abs(turned - columns(upright, 'gravity')).max() > 1.0
    for part in PARTS[1:]:
        assert columns(table, part) == pytest.approx(columns(upright, part))


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
