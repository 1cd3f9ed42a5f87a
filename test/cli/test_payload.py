"""`robot_dynamics payload`."""

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')
yaml = pytest.importorskip('yaml')

from arm_motions import TILTED, URDF, sines
from recorded_states import joint_state_bag
from simulated_recordings import JOINTS, TOOL_CENTER, TOOL_MASS, simulated, urdf

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

pytestmark = pytest.mark.contract


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('payload')
    tool = simulated(tool=True)
    joint_state_bag(folder / 'tool', tool.states)
    joint_state_bag(folder / 'empty', simulated(seed=7).states)
    fewer = {name: getattr(tool, name)[:, :5] for name in ('positions', 'velocities', 'efforts')}
    joint_state_bag(folder / 'fewer', replace(tool, **fewer, joints=JOINTS[:5]).states)
    degrees = {name: np.rad2deg(getattr(tool, name)) for name in ('positions', 'velocities')}
    joint_state_bag(folder / 'degrees', replace(tool, **degrees).states)
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
        given = ('--urdf', f'{folder}/arm.urdf', '--frame', 'flange_link')
        ended = run('payload', *words, *given, '--json', '-')
        return ended, json.loads(ended.stdout) if ended.stdout else None

    return payload


@pytest.mark.parametrize('without', [(), ('--without', 'empty')])
def test_the_tool_and_the_command_that_sets_it(run, payload, without):
    """To 1 % and 5 mm."""
    ended, found = payload('tool', '--cutoff', 10, *without)
    assert ended.returncode == 0, ended.stderr
    assert ('empty' if without else 'the model arm') in found['against']
    request = yaml.safe_load(shlex.split(found['set_payload'])[5])
    assert request['inertia']['m'] == pytest.approx(TOOL_MASS, rel=0.01)
    com = [request['inertia']['com'][axis] for axis in 'xyz']
    assert com == pytest.approx(TOOL_CENTER, abs=0.005)
    assert found['mass'] == pytest.approx(request['inertia']['m'], rel=1e-5)
    given = ('--urdf', 'arm.urdf', '--frame', 'flange_link')
    text = run('payload', 'tool', '--cutoff', 10, *without, *given).stdout
    assert text.splitlines()[-1] == found['set_payload']


def test_no_payload_has_exit_code_1(payload):
    ended, found = payload('empty')
    assert (ended.returncode, found['set_payload']) == (1, '')


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (['fewer'], 'flange'),
        (['degrees'], 'degrees: units '),
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


@pytest.fixture
def tilted(files):
    """A recording of an arm whose base is turned by 30 degrees, with 0.6 kg at its flange."""
    model = parse_urdf(URDF)
    loaded = model.with_payload('flange', 0.6, (0.0, 0.0, 0.05), np.diag([1e-3] * 3))
    dynamics = RobotDynamics(loaded, gravity=TILTED)
    times, q, v, a = sines(3, seed=3, seconds=24.0)
    friction = 0.25 * v / np.hypot(v, 0.01) + 0.15 * v
    noise = 0.02 * np.random.default_rng(1).normal(size=q.shape)
    efforts = dynamics.inverse_dynamics(q, v, a) + friction + noise
    columns = [f'{name}_{kind}' for kind in KINDS for name in model.joint_names]
    table = np.column_stack([times, q, v, efforts])
    header = ','.join(['time', *columns])
    np.savetxt(files / 'tilted.csv', table, delimiter=',', header=header, comments='')
    (files / 'desk.urdf').write_text(URDF)
    return 'tilted.csv', '--urdf', 'desk.urdf', '--frame', 'flange', '--json', '-'


KINDS = ('position', 'velocity', 'effort')
GIVEN = ','.join(map(str, TILTED))
NODE = {'/**': {'ros__parameters': {'gravity': list(TILTED), 'joint_model': 'joints.yaml'}}}


def test_gravity_of_a_base_that_is_turned(run, files, tilted):
    """By the option or by the file of the node; both may be given if they agree."""
    (files / 'node.yaml').write_text(yaml.safe_dump(NODE))
    values = {'joints': {'yaw': {'coulomb': 0.25}}}
    (files / 'joints.yaml').write_text(yaml.safe_dump(values))
    for words in (
        ('--gravity', GIVEN),
        ('--parameters', 'node.yaml'),
        ('--parameters', 'node.yaml', '--gravity', GIVEN),
    ):
        found = json.loads(run('payload', *tilted, *words).stdout)
        assert abs(found['mass'] - 0.6) <= found['mass_interval'] < 0.01
    ended = run('payload', *tilted)
    assert ended.returncode == 1
    assert '--gravity' in json.loads(ended.stdout)['refusal']
    for gravity in ('0,0,-9.81', '0,0', '0,0,west', '0,0,9810'):
        ended = run('payload', *tilted, '--parameters', 'node.yaml', '--gravity', gravity)
        assert (ended.returncode, ended.stdout) == (2, '')
        assert '--gravity' in ended.stderr
