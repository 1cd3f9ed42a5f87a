"""`robot_dynamics payload`."""

import json
import shlex

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')
yaml = pytest.importorskip('yaml')

from arm_motions import TILTED, URDF, sines
from recorded_states import joint_state_bag
from simulated_recordings import TOOL_CENTER, TOOL_MASS, simulated, urdf

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

pytestmark = pytest.mark.contract


KINDS = ('position', 'velocity', 'effort')
GIVEN = ','.join(map(str, TILTED))
NODE = {'/**': {'ros__parameters': {'gravity': list(TILTED), 'joint_model': 'friction.yaml'}}}
TILT = ('tilted.csv', '--urdf', 'tilted/desk.urdf', '--frame', 'flange')


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp('payload')
    joint_state_bag(folder / 'tool', simulated(tool=True).states)
    joint_state_bag(folder / 'empty', simulated(seed=7).states)
    (folder / 'arm.urdf').write_text(urdf())
    (folder / 'tilted').mkdir()
    (folder / 'tilted/desk.urdf').write_text(URDF)
    (folder / 'tilted/node.yaml').write_text(yaml.safe_dump(NODE))
    values = {'joints': {'yaw': {'coulomb': 0.25}}}
    (folder / 'tilted/friction.yaml').write_text(yaml.safe_dump(values))
    write_tilted(folder)
    return folder


def write_tilted(folder):
    """A recording of an arm whose base is turned by 30 degrees, with 0.6 kg at its flange.

    Also one without its last joint, and one in degrees.
    """
    model = parse_urdf(URDF)
    loaded = model.with_payload('flange', 0.6, (0.0, 0.0, 0.05), np.diag([1e-3] * 3))
    dynamics = RobotDynamics(loaded, gravity=TILTED)
    times, q, v, a = sines(3, seed=3, seconds=24.0)
    friction = 0.25 * v / np.hypot(v, 0.01) + 0.15 * v
    noise = 0.02 * np.random.default_rng(1).normal(size=q.shape)
    efforts = dynamics.inverse_dynamics(q, v, a) + friction + noise
    degrees = np.rad2deg(1.0)
    for name, factor, count in ('tilted', 1.0, 3), ('degrees', degrees, 3), ('fewer', 1.0, 2):
        columns = [f'{joint}_{kind}' for kind in KINDS for joint in model.joint_names[:count]]
        values = (one[:, :count] for one in (factor * q, factor * v, efforts))
        header = ','.join(['time', *columns])
        table = np.column_stack([times, *values])
        np.savetxt(folder / f'{name}.csv', table, delimiter=',', header=header, comments='')


@pytest.mark.parametrize('without', [(), ('--without', 'empty')])
def test_the_tool_and_the_command_that_sets_it(run, files, without):
    """To 1 % and 5 mm."""
    words = ('--cutoff', 10, *without, '--urdf', 'arm.urdf', '--frame', 'flange_link')
    ended = run('payload', 'tool', *words, '--json', 'found.json', '--force')
    assert ended.returncode == 0, ended.stderr
    found = json.loads((files / 'found.json').read_text())
    assert ('empty' if without else 'the model arm') in found['against']
    request = yaml.safe_load(shlex.split(found['set_payload'])[5])
    assert request['inertia']['m'] == pytest.approx(TOOL_MASS, rel=0.01)
    com = [request['inertia']['com'][axis] for axis in 'xyz']
    assert com == pytest.approx(TOOL_CENTER, abs=0.005)
    assert found['mass'] == pytest.approx(request['inertia']['m'], rel=1e-5)
    assert ended.stdout.splitlines()[-1] == found['set_payload']


def test_no_payload_has_exit_code_1(answer):
    code, found, _ = answer('payload', 'empty', '--urdf', 'arm.urdf', '--frame', 'flange_link')
    assert (code, found['set_payload']) == (1, '')


@pytest.mark.parametrize(
    ('words', 'said'),
    [
        (['fewer.csv'], 'elbow'),
        (['degrees.csv'], 'degrees.csv: units '),
        (['tilted.csv', '--without', 'nowhere'], 'nowhere'),
        *(
            (['tilted.csv', '--parameters', 'tilted/node.yaml', '--gravity', gravity], '--gravity')
            for gravity in ('0,0,-9.81', '0,0', '0,0,west', '0,0,9810')
        ),
    ],
)
def test_what_cannot_be_estimated_is_refused(answer, words, said):
    code, found, stderr = answer('payload', *words, *TILT[1:])
    assert (code, found, stderr.count('\n')) == (2, None, 1)
    assert said in stderr


def test_gravity_of_a_base_that_is_turned(answer):
    """By the option or by the file of the node; both may be given if they agree.

    A URDF holds no rotors: without the file that lies beside it they would be payload.
    """
    given, node = ('--gravity', GIVEN), ('--parameters', 'tilted/node.yaml')
    for words in (given, node, (*node, *given)):
        _, found, _ = answer('payload', *TILT, *words)
        assert abs(found['mass'] - 0.6) <= found['mass_interval'] < 0.01
        assert ('--parameters tilted/friction.yaml' in found['remark']) == (words == given)
        assert ('tilted/node.yaml' in found['against']) == (words != given)
    code, found, _ = answer('payload', *TILT)
    assert (code, '--gravity' in found['refusal']) == (1, True)
