"""`identify --payload FRAME`: recordings of the simulated arm as files, and what is printed."""

import json
import shlex

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('rosbags')
yaml = pytest.importorskip('yaml')

from dataclasses import replace
from pathlib import Path

from recorded_states import joint_state_bag
from simulated_recordings import JOINTS, TOOL_CENTER, TOOL_MASS, simulated, urdf

from robot_dynamics_ros.cli.exit_codes import FINDINGS, GOOD
from robot_dynamics_ros.cli.identify.payload_command import KnownRobot, identify_payload
from robot_dynamics_ros.cli.output import Output
from robot_dynamics_ros.cli.recording_files import named_recordings
from robot_dynamics_ros.cli.recording_options import RecordingOptions
from robot_dynamics_ros.core.errors import ParameterError, RecordingError, UnknownNameError
from robot_dynamics_ros.joint_model import read_joint_model

OPTIONS = RecordingOptions(urdf=urdf(), topic=None, rename={}, cutoff=10.0)


@pytest.fixture(scope='module')
def bags(tmp_path_factory):
    folder = tmp_path_factory.mktemp('bags')
    joint_state_bag(folder / 'tool', simulated(tool=True).states)
    joint_state_bag(folder / 'empty', simulated(seed=7).states)
    left = simulated(tool=True)
    fewer = replace(
        left,
        positions=left.positions[:, :5],
        velocities=left.velocities[:, :5],
        efforts=left.efforts[:, :5],
        joints=JOINTS[:5],
    )
    joint_state_bag(folder / 'fewer', fewer.states)
    degrees = replace(left, velocities=np.rad2deg(left.velocities))
    joint_state_bag(folder / 'degrees', degrees.states)
    return folder


@pytest.fixture
def run(bags, monkeypatch, capfd):
    """Runs it in the folder of the bags: exit code and what it prints."""
    monkeypatch.chdir(bags)

    def run(
        *words, frame='flange_link', without=(), json_file=None, description=None, parameters=None
    ):
        files, _ = named_recordings(words)
        references = named_recordings(without)[0] if without else {}
        options = OPTIONS
        if parameters:
            options = replace(OPTIONS, parameters=read_joint_model(parameters))
        known = KnownRobot(description, parameters, references)
        code = identify_payload(options, files, frame, known, Output(json_file))
        return code, capfd.readouterr().out

    return run


@pytest.mark.parametrize('without', [(), ('empty',)])
def test_the_command_that_sets_the_payload_is_printed(run, bags, without):
    """The tool to 1 % and 5 mm; also as JSON."""
    code, text = run('tool', without=without, json_file=Path('payload.json'))
    assert code == GOOD
    against, sentence, command = text.splitlines()
    assert ('empty' if without else 'the model arm') in against
    assert ' kg on flange_link' in sentence
    request = yaml.safe_load(shlex.split(command)[5])
    assert request['inertia']['m'] == pytest.approx(TOOL_MASS, rel=0.01)
    com = [request['inertia']['com'][axis] for axis in 'xyz']
    assert com == pytest.approx(TOOL_CENTER, abs=0.005)
    written = json.loads((bags / 'payload.json').read_text())
    assert written['set_payload'] == command
    assert written['mass'] == pytest.approx(request['inertia']['m'], rel=1e-5)


def test_no_payload_has_exit_code_1(run):
    code, text = run('empty')
    assert code == FINDINGS
    assert 'cannot be distinguished' in text
    assert 'ros2 service call' not in text


def test_what_cannot_be_estimated_is_refused(run):
    with pytest.raises(UnknownNameError, match="unknown frame 'tool0'"):
        run('tool', frame='tool0')
    with pytest.raises(ParameterError, match=r"'world'.*base"):
        run('tool', frame='world')
    with pytest.raises(RecordingError, match='flange'):
        run('fewer')
    with pytest.raises(RecordingError, match=r'degrees: .*velocities.*deg/s'):
        run('degrees')


@pytest.fixture
def friction(bags):
    """A friction.yaml with rotors, and one of another robot; removed afterwards."""
    for name, joints in (('friction', JOINTS), ('other', ('wrist',))):
        values = {joint: {'armature': 0.02} for joint in joints}
        (bags / f'{name}.yaml').write_text(yaml.safe_dump({'joints': values}))
    yield Path('friction.yaml')
    for name in ('friction', 'other'):
        (bags / f'{name}.yaml').unlink()


def test_rotors_beside_the_description_are_named(run, bags, friction):
    """A URDF holds none: without the file that lies beside it they would be payload."""
    json_file = Path('payload.json')
    _, text = run('tool', description=Path('arm.urdf'), json_file=json_file)
    assert 'friction.yaml lies beside' in text
    assert '--parameters friction.yaml' in json.loads((bags / json_file).read_text())['remark']
    _, text = run('tool', description=Path('arm.urdf'), parameters=friction)
    assert 'lies beside' not in text
    assert 'friction.yaml' in text


def test_parameters_of_another_robot_are_refused(run, friction):
    with pytest.raises(ParameterError, match="joint 'wrist'"):
        run('tool', parameters=Path('other.yaml'))
