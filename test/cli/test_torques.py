"""`robot_dynamics torques`: the torques of known motions, many recordings, findings of units."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import three_joints

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
from running_command import ended

from robot_dynamics_ros.core import JointFriction, RobotDynamics, parse_urdf
from robot_dynamics_ros.recordings import Recording

pytestmark = pytest.mark.contract

URDF = three_joints.URDF.replace(
    '<axis xyz="1 0 0"/>', '<axis xyz="1 0 0"/><dynamics damping="0.4" friction="0.7"/>'
)
MODEL = parse_urdf(URDF)
JOINTS = three_joints.JOINTS
STATES = replace(sine_states(), names=JOINTS)
PARTS = ('gravity', 'coriolis', 'inertia', 'friction')
DEGREES = 180.0 / np.pi
DOCUMENT = Path(__file__).resolve().parents[2] / 'docs' / 'recordings.md'


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('torques')
    joint_state_bag(folder / 'bag', STATES)
    (folder / 'arm.urdf').write_text(URDF)
    (folder / 'unlimited.urdf').write_text(
        re.sub('<limit.*?/>', '', URDF).replace('"revolute"', '"continuous"')
    )
    for name in ('one', 'two'):
        (folder / name).mkdir()
    csv_file(folder / 'one/run.csv', STATES)
    csv_file(folder / 'two/run.csv.gz', STATES)
    (folder / 'broken.mcap').write_bytes(b'\x89MCAP')
    return folder


@pytest.fixture(scope='module')
def written(files):
    """Runs the subcommand: its exit code, the row of its JSON, and the columns of its table."""

    def written(name, *options, urdf='arm.urdf'):
        given = ['--urdf', urdf] if urdf else []
        found = ended(
            files, 'torques', name, *given, '--output', 'out.csv', '--json', '-', *options
        )
        if found.returncode == 2:
            return 2, found.stderr, {}
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


def test_parts_sum_up_and_gravity_is_that_of_the_positions(bag):
    table = bag[2]
    parts = {part: columns(table, part) for part in PARTS}
    assert sum(parts.values()) == pytest.approx(columns(table, 'torque'), rel=1e-12, abs=1e-12)
    positions, velocities = columns(table, 'position'), columns(table, 'velocity')
    assert parts['gravity'] == pytest.approx(RobotDynamics(MODEL).gravity_torque(positions))
    assert parts['friction'] == pytest.approx(JointFriction(MODEL).torque(velocities))
    assert np.abs(parts['friction'][:, 2]).max() > 0.5


def test_mcap_has_the_recorded_states_and_the_torques_beside_them(run, files, bag):
    arguments = ('torques', 'bag', '--urdf', 'arm.urdf', '--cutoff', 20, '--output', 'out.mcap')
    assert run(*arguments).returncode == 0
    with Recording.read(files / 'out.mcap') as recording:
        assert (recording.descriptions, recording.size) == ((URDF,), len(STATES))
    with Recording.read(files / 'out.mcap', topic='/model/torques', joints=JOINTS) as torques:
        assert np.array_equal(torques.states().efforts, columns(bag[2], 'torque'))


def test_rotors_and_offsets_are_those_of_a_file(written, files, bag):
    values = ', '.join(f'{joint}: {{armature: 1.5, torque_offset: 0.3}}' for joint in JOINTS)
    (files / 'joints.yaml').write_text(f'joints: {{{values}}}')
    _, _, found = written('bag', '--cutoff', '20', '--parameters', 'joints.yaml')
    added = columns(found, 'inertia') - columns(bag[2], 'inertia')
    assert added == pytest.approx(1.5 * columns(bag[2], 'acceleration'), abs=1e-9)
    offset = columns(found, 'friction') - columns(bag[2], 'friction')
    assert offset == pytest.approx(np.full_like(offset, 0.3))


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


def test_the_same_recording_in_other_forms(written, files):
    """Its description in the bag, joints with other names, and a file for each field."""
    contents = {
        '/robot_description': ('std_msgs/msg/String', [(START, serialized_text(URDF))]),
        '/joint_states': ('sensor_msgs/msg/JointState', ros2_messages(STATES)),
    }
    write_bag(files / 'described', contents)
    left = replace(STATES, names=tuple(f'left_{name}' for name in JOINTS))
    joint_state_bag(files / 'left', left)
    for field in ('position', 'velocity', 'effort'):
        csv_file(files / f'{field}.csv', STATES, fields=[field])
    expected = written('bag')[2]
    joined = 'position.csv+velocity.csv+effort.csv'
    for form in (
        written('described', urdf=None),
        written('left', '--rename', 'left_='),
        written(joined),
    ):
        assert form[0] == 0
        for part in ('torque', *PARTS):
            assert columns(form[2], part) == pytest.approx(columns(expected, part), rel=1e-9)


def test_many_recordings_and_resume(run, files):
    """One that cannot be used does not end the others; files are named after the recordings."""
    bags = ['bag', 'one/run.csv', 'broken.mcap', 'two/run.csv.gz']
    options = ['--urdf', 'arm.urdf', '--output', 'out', '--format', 'csv', '--resume', 'kept']
    first = run('torques', *bags, *options, '--json', 'result.json')
    assert (first.returncode, first.stderr.count('\n')) == (2, 1)
    rows = json.loads((files / 'result.json').read_text())['recordings']
    assert [row['file'] for row in rows] == bags
    assert [bool(row['error']) for row in rows] == [False, False, True, False]
    assert rows[2]['error'] in first.stderr
    made = {path.name: path.read_bytes() for path in (files / 'out').iterdir()}
    assert set(made) == {'bag_torques.csv', 'one_run_torques.csv', 'two_run_torques.csv'}
    assert made['one_run_torques.csv'] == made['two_run_torques.csv']
    (files / 'out' / 'bag_torques.csv').unlink()
    lines = run('torques', *bags, *options).stdout.splitlines()
    kept = [line.partition(':')[0] for line in lines if line.endswith('earlier run)')]
    assert kept == ['one/run.csv', 'two/run.csv.gz']
    assert {path.name: path.read_bytes() for path in (files / 'out').iterdir()} == made


def test_a_cluster_gives_the_same(run, files):
    distributed = pytest.importorskip('distributed')
    names = ['bag', 'one/run.csv', 'broken.mcap']
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=':0'
    ) as cluster:
        arguments = ['compare', *names, '--urdf', 'arm.urdf', '--json', '-']
        here = run(*arguments)
        assert here.returncode == 2
        assert run(*arguments, '--scheduler', cluster.scheduler_address) == here


def in_degrees(file, rate, angle=DEGREES, slower=8.0):
    """A file of 48 s at a rate [Hz], slow enough that steps in degrees are no jumps."""
    states = sine_states(rate=slower * rate, seconds=48.0 / slower)
    scale = np.array([angle, 1.0, angle])
    states = replace(
        states,
        names=JOINTS,
        stamps=states.stamps[0] + np.rint(slower * (states.stamps - states.stamps[0])).astype(int),
        positions=scale * states.positions,
        velocities=scale / slower * states.velocities,
    )
    return csv_file(file, states)


@pytest.mark.parametrize('rate', [30.0, 250.0])
def test_degrees_are_said_as_compare_does(run, written, files, rate):
    in_degrees(files / 'degrees.csv', rate)
    code, row, _ = written('degrees.csv')
    (found,) = row['findings']
    assert (code, found['code'], found['joints'][-1]) == (1, 'units', 'wrist')
    compared = run('compare', 'degrees.csv', '--urdf', 'arm.urdf', '--json', '-').stdout
    other = json.loads(compared)['findings'][0]
    assert {key: other[key] for key in ('code', 'joints', 'value')} == {
        key: found[key] for key in ('code', 'joints', 'value')
    }


def test_radians_are_not_doubted(written, files):
    in_degrees(files / 'radians.csv', 250.0, 1.0)
    code, row, _ = written('radians.csv')
    assert (code, row['findings']) == (0, [])


@pytest.mark.parametrize('factor', [DEGREES, 0.0])
def test_velocities_that_are_not_those_of_the_positions_are_said(written, files, factor):
    csv_file(files / 'wrong.csv', replace(STATES, velocities=factor * STATES.velocities))
    code, row, _ = written('wrong.csv')
    (found,) = row['findings']
    assert (code, found['code'], found['joints']) == (1, 'units', list(JOINTS))
    assert found['value'] == pytest.approx(factor, rel=0.01)


def test_jumps_of_a_robot_without_limits_are_a_finding_once(written, files):
    in_degrees(files / 'jumps.csv', 100.0, slower=1.5)
    code, row, _ = written('jumps.csv', '--cutoff', '20', urdf='unlimited.urdf')
    assert (code, [one['code'] for one in row['findings']]) == (1, ['units'])
    assert not any('degrees' in remark for remark in row['remarks'])
