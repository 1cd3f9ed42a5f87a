"""`robot_dynamics payload`; and efforts that no drive has, which count as not measured."""

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')
yaml = pytest.importorskip('yaml')

from recorded_states import joint_state_bag
from simulated_recordings import JOINTS, TOOL_CENTER, TOOL_MASS, simulated, urdf

pytestmark = pytest.mark.contract

# In the middle of the motion: one of shoulder, two of elbow, whose limits are 300 N m.
PLACES = {'shoulder': (1000,), 'elbow': (2000, 2001)}


def with_efforts(value):
    recorded = simulated(tool=True)
    for joint, places in PLACES.items():
        recorded = recorded.with_efforts(
            lambda efforts, rows=places: np.where(
                np.isin(np.arange(len(efforts)), rows), value, efforts
            ),
            joint,
        )
    return recorded.states


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('payload')
    tool = simulated(tool=True)
    joint_state_bag(folder / 'tool', tool.states)
    joint_state_bag(folder / 'empty', simulated(seed=7).states)
    fewer = {name: getattr(tool, name)[:, :5] for name in ('positions', 'velocities', 'efforts')}
    joint_state_bag(folder / 'fewer', replace(tool, **fewer, joints=JOINTS[:5]).states)
    degrees = replace(tool, velocities=np.rad2deg(tool.velocities))
    joint_state_bag(folder / 'degrees', degrees.states)
    angles = replace(degrees, positions=np.rad2deg(tool.positions))
    joint_state_bag(folder / 'angles', angles.states)
    joint_state_bag(folder / 'absurd', with_efforts(-1e300))
    joint_state_bag(folder / 'missing', with_efforts(np.nan))
    (folder / 'arm.urdf').write_text(urdf())
    (folder / 'identified').mkdir()
    (folder / 'identified/arm.urdf').write_text(urdf())
    (folder / 'identified/friction.yaml').write_text(
        yaml.safe_dump({'joints': {joint: {'armature': 0.02} for joint in JOINTS}})
    )
    return folder


@pytest.fixture
def payload(run):
    """Runs the subcommand: what has ended, and its JSON."""

    def payload(*words, folder='.'):
        ended = run(
            'payload', *words, '--urdf', f'{folder}/arm.urdf', '--frame', 'flange_link',
            '--json', '-',
        )  # fmt: skip
        return ended, json.loads(ended.stdout) if ended.stdout else None

    return payload


@pytest.mark.parametrize('without', [(), ('--without', 'empty')])
def test_the_tool_and_the_command_that_sets_it(payload, without):
    """To 1 % and 5 mm."""
    ended, found = payload('tool', '--cutoff', 10, *without)
    assert ended.returncode == 0, ended.stderr
    assert ('empty' if without else 'the model arm') in found['against']
    request = yaml.safe_load(shlex.split(found['set_payload'])[5])
    assert request['inertia']['m'] == pytest.approx(TOOL_MASS, rel=0.01)
    com = [request['inertia']['com'][axis] for axis in 'xyz']
    assert com == pytest.approx(TOOL_CENTER, abs=0.005)
    assert found['mass'] == pytest.approx(request['inertia']['m'], rel=1e-5)


def test_the_text_ends_with_that_command(run, payload):
    arguments = ('tool', '--cutoff', 10)
    _, found = payload(*arguments)
    ended = run('payload', *arguments, '--urdf', 'arm.urdf', '--frame', 'flange_link')
    assert ended.stdout.splitlines()[-1] == found['set_payload']


def test_no_payload_has_exit_code_1(payload):
    ended, found = payload('empty')
    assert (ended.returncode, found['set_payload']) == (1, '')


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (['fewer'], 'flange'),
        (['degrees'], 'degrees: units: '),
        (['angles'], 'angles: units: '),
        (['tool', '--without', 'nowhere'], 'nowhere'),
    ],
)
def test_what_cannot_be_estimated_is_refused(payload, words, said):
    ended, found = payload(*words)
    assert (ended.returncode, found) == (2, None)
    assert said in ended.stderr
    assert ended.stderr.count('\n') == 1


def test_rotors_beside_the_urdf_are_named(payload):
    """A URDF holds none: without the file that lies beside it they would be payload."""
    file = 'identified/friction.yaml'
    _, found = payload('tool', folder='identified')
    assert f'--parameters {file}' in found['remark']
    _, found = payload('tool', '--parameters', file, folder='identified')
    assert (found['remark'], file in found['against']) == ('', True)


@pytest.mark.parametrize('subcommand', ['compare', 'payload', 'torques'])
def test_efforts_that_no_drive_has_are_named_and_not_measured(run, files, subcommand):
    options = {'payload': ['--frame', 'flange_link'], 'torques': ['--output', 'out.csv']}
    texts, results = [], []
    for name in ('absurd', 'missing'):
        arguments = [subcommand, name, '--urdf', 'arm.urdf', *options.get(subcommand, [])]
        ended = run(*arguments, '--json', f'{name}.json')
        texts.append(ended.stdout + ended.stderr)
        result = json.loads((files / f'{name}.json').read_text())
        results.append(result['joints'] if subcommand == 'compare' else result)
        if subcommand == 'torques':
            results[-1] = (files / 'out.csv').read_text()
    assert results[0] == results[1]
    for said in ('1 effort of shoulder above 3e+06', '2 efforts of elbow above 3e+06'):
        assert said in texts[0]
