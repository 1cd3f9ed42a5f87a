"""`robot_dynamics payload`: recordings of the simulated arm as files, and what is printed."""

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('rosbags')
yaml = pytest.importorskip('yaml')

from recorded_states import joint_state_bag
from running_command import run
from simulated_recordings import JOINTS, TOOL_CENTER, TOOL_MASS, simulated, urdf

pytestmark = pytest.mark.contract

__all__ = ['run']


@pytest.fixture(scope='module')
def bags(tmp_path_factory):
    folder = tmp_path_factory.mktemp('bags')
    tool = simulated(tool=True)
    joint_state_bag(folder / 'tool', tool.states)
    joint_state_bag(folder / 'empty', simulated(seed=7).states)
    fewer = {name: getattr(tool, name)[:, :5] for name in ('positions', 'velocities', 'efforts')}
    joint_state_bag(folder / 'fewer', replace(tool, **fewer, joints=JOINTS[:5]).states)
    degrees = replace(tool, velocities=np.rad2deg(tool.velocities))
    joint_state_bag(folder / 'degrees', degrees.states)
    angles = replace(degrees, positions=np.rad2deg(tool.positions))
    joint_state_bag(folder / 'angles', angles.states)
    (folder / 'arm.urdf').write_text(urdf())
    return folder


@pytest.fixture
def files(bags):
    return bags


@pytest.fixture
def payload(run):
    """Runs the subcommand for the flange."""

    def payload(*words, frame='flange_link'):
        return run(
            'payload', *words, '--urdf', 'arm.urdf', '--frame', frame, '--cutoff', 10,
            '--json', 'payload.json',
        )  # fmt: skip

    return payload


@pytest.mark.parametrize('without', [(), ('--without', 'empty')])
def test_the_command_that_sets_the_payload_is_printed(payload, bags, without):
    """The tool to 1 % and 5 mm; also as JSON."""
    ended = payload('tool', *without)
    assert ended.returncode == 0, ended.stderr
    against, sentence, command = ended.stdout.splitlines()
    assert ('empty' if without else 'the model arm') in against
    assert ' kg on flange_link' in sentence
    request = yaml.safe_load(shlex.split(command)[5])
    assert request['inertia']['m'] == pytest.approx(TOOL_MASS, rel=0.01)
    com = [request['inertia']['com'][axis] for axis in 'xyz']
    assert com == pytest.approx(TOOL_CENTER, abs=0.005)
    written = json.loads((bags / 'payload.json').read_text())
    assert written['set_payload'] == command
    assert written['mass'] == pytest.approx(request['inertia']['m'], rel=1e-5)


def test_no_payload_has_exit_code_1(payload):
    ended = payload('empty')
    assert ended.returncode == 1
    assert 'cannot be distinguished' in ended.stdout
    assert 'ros2 service call' not in ended.stdout


@pytest.mark.parametrize(
    ('words', 'frame', 'said'),
    [
        (['tool'], 'tool0', "unknown frame 'tool0'"),
        (['tool'], 'world', "'world'"),
        (['fewer'], 'flange_link', 'flange'),
        (['degrees'], 'flange_link', 'degrees: units: '),
        (['angles'], 'flange_link', 'angles: units: '),
        (['tool', '--without', 'nowhere'], 'flange_link', 'nowhere'),
        (['tool', '--parameters', 'other.yaml'], 'flange_link', "joint 'wrist'"),
    ],
)
def test_what_cannot_be_estimated_is_refused(payload, rotors, words, frame, said):
    ended = payload(*words, frame=frame)
    assert (ended.returncode, ended.stdout) == (2, '')
    assert said in ended.stderr
    assert ended.stderr.count('\n') == 1


@pytest.fixture
def rotors(bags):
    """A friction.yaml with rotors, and one of another robot; removed afterwards."""
    for name, joints in (('friction', JOINTS), ('other', ('wrist',))):
        values = {joint: {'armature': 0.02} for joint in joints}
        (bags / f'{name}.yaml').write_text(yaml.safe_dump({'joints': values}))
    yield
    for name in ('friction', 'other'):
        (bags / f'{name}.yaml').unlink()


def test_rotors_beside_the_urdf_are_named(payload, bags, rotors):
    """A URDF holds none: without the file that lies beside it they would be payload."""
    remark = '--parameters friction.yaml'
    assert remark in payload('tool').stdout
    assert remark in json.loads((bags / 'payload.json').read_text())['remark']
    ended = payload('tool', '--parameters', 'friction.yaml')
    assert remark not in ended.stdout
    assert 'friction.yaml' in ended.stdout
