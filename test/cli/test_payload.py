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

from recorded_states import joint_state_bag
from simulated_recordings import JOINTS, TOOL_CENTER, TOOL_MASS, simulated, urdf

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
        (['degrees'], 'degrees: units: '),
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
