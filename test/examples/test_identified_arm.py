"""docs/identification.md: its six commands lead from an unknown arm to a loaded model."""

import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('mujoco')
pytest.importorskip('scipy')
pytest.importorskip('rosbags')

from identified_arm import play_and_record

from robot_dynamics_ros.cli.command_line import main
from robot_dynamics_ros.core import JointFriction, RobotDynamics, parse_urdf

ROOT = Path(__file__).resolve().parents[2]
# A shorter motion, and a coarser search for it: the same commands otherwise.
SHORTER = ['--duration', '8', '--frequency', '1']


def commands():
    """The words of each command of the document."""
    text = (ROOT / 'docs/identification.md').read_text()
    block = re.search(r'```\n(robot_dynamics excite.*?)```', text, re.DOTALL)[1]
    return [shlex.split(line) for line in block.strip().splitlines()]


def example():
    """The Python of the document."""
    text = (ROOT / 'docs/identification.md').read_text()
    return re.search(r'^```python\n(.*?)^```', text, re.DOTALL | re.M)[1]


def run(words):
    """The exit code of `robot_dynamics ...`, in this process."""
    with pytest.raises(SystemExit) as ended:
        main(words[1:])
    return ended.value.code


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """Where the commands run: the examples are there."""
    folder = tmp_path_factory.mktemp('arm')
    (folder / 'examples').symlink_to(ROOT / 'examples')
    return folder


@pytest.fixture(scope='module')
def identified(folder):
    """After the first three commands: the exit code of each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        excite, play, identify, *_ = commands()
        codes = [run([*excite, *SHORTER])]
        patch.setattr(sys, 'argv', play[1:])
        codes.append(play_and_record.main())
        codes.append(run(identify))
    return codes


def test_the_first_three_commands_give_a_model(identified, folder):
    excited, played, code = identified
    assert (excited, played) == (0, None)
    assert code in (0, 1)  # a short motion may be called poor
    names = {file.name for file in (folder / 'identified').iterdir()}
    assert {'identified.urdf', 'dynamics_node.yaml', 'report.html', 'report.png'} <= names


def test_the_model_is_that_of_the_arm(identified, folder):
    """Base parameters: torques of the bodies at any state, which the drawing misses by far."""
    states = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 200, 3))
    described, arm, found = (
        RobotDynamics(parse_urdf((folder / file).read_text())).inverse_dynamics(*states)
        for file in (
            'examples/three_link_arm/three_link_arm.urdf',
            'examples/identified_arm/arm.urdf',
            'identified/identified.urdf',
        )
    )
    left, before = (np.sqrt(np.mean((one - arm) ** 2, axis=0)) for one in (found, described))
    assert left.max() < 0.02 * before.max(), (left, before)


def test_the_held_out_part_is_explained(identified, folder):
    result = json.loads((folder / 'identified/identification.json').read_text())
    for joint in result['held_out'].values():
        assert joint['rms_identified'] < 0.2 * joint['rms_nominal']
    assert 'repeated_motion' not in [one['code'] for one in result['findings']]


def test_the_example_in_python_gives_the_model_too(identified, folder, monkeypatch, capsys):
    """From the first three quarters of the recording; the rest shows what the model leaves."""
    head, *lines = (folder / 'recording.csv').read_text().splitlines(keepends=True)
    cut = 3 * len(lines) // 4
    (folder / 'monday.csv').write_text(''.join([head, *lines[:cut]]))
    (folder / 'tuesday.csv').write_text(''.join([head, *lines[cut:]]))
    (folder / 'arm.urdf').write_text(
        (folder / 'examples/three_link_arm/three_link_arm.urdf').read_text()
    )
    monkeypatch.chdir(folder)
    names = {}
    exec(example(), names)
    printed = capsys.readouterr().out
    assert 'joint2 coulomb: ' in printed
    arm = parse_urdf((folder / 'examples/identified_arm/arm.urdf').read_text())
    states = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 200, 3))
    rigid = RobotDynamics(arm).inverse_dynamics(*states)
    identified = names['identified']
    assert identified.found.base.rank == 25
    found = identified.model.dynamics.inverse_dynamics(*states)
    np.testing.assert_allclose(found, rigid, atol=0.05 * np.abs(rigid).max())
    assert all(one.rms_identified < 0.2 for one in names['again'].joints.values())


def test_it_validates(identified, folder, monkeypatch):
    pytest.importorskip('pinocchio')
    monkeypatch.chdir(folder)
    assert run(commands()[3]) == 0


def test_friction_and_inertia_are_no_findings_any_more(identified, folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert run([*commands()[4], '--json', 'after.json']) in (0, 1)
    assert (folder / 'after.html').is_file()
    codes = {one['code'] for one in json.loads((folder / 'after.json').read_text())['findings']}
    assert not codes & {'friction', 'payload', 'factor', 'sign', 'unexplained'}


def test_the_node_loads_it(identified, folder, monkeypatch):
    rclpy = pytest.importorskip('rclpy')
    pytest.importorskip('robot_dynamics_interfaces.msg._joint_torques')
    from domains import free_domain

    from robot_dynamics_ros.ros.node import DynamicsNode

    monkeypatch.chdir(folder)
    *_, words = commands()
    assert words[:4] == ['ros2', 'launch', 'robot_dynamics_ros', 'dynamics.launch.py']
    # What the launch file gives the node.
    given = dict(word.split(':=') for word in words[4:])
    arguments = ['--ros-args', '--params-file', given['params_file'], '-p', 'fade_time:=0.0']
    urdf = Path(given['description']).read_text()
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=free_domain())
    node = DynamicsNode(context=context, cli_args=arguments)
    try:
        description = rclpy.parameter.Parameter('robot_description', value=urdf)
        assert node.set_parameters([description])[0].successful
        node.trigger_configure()
        feedforward = node.robot_holder.require().feedforward
        q, v, a = np.random.default_rng(2).uniform(-1.0, 1.0, (3, 3))
        feedforward.compute(q, v, np.array([q, v, a]))
        model = parse_urdf((ROOT / 'examples/identified_arm/arm.urdf').read_text())
        wanted = RobotDynamics(model).inverse_dynamics(q, v, a) + JointFriction(model).torque(v)
        np.testing.assert_allclose(feedforward.effort, wanted, atol=0.05 * np.abs(wanted).max())
    finally:
        node.destroy_node()
        rclpy.shutdown(context=context)


@pytest.mark.parametrize(
    ('motion', 'arm', 'said'),
    [
        ('nothing.yaml', 'arm.urdf', 'nothing.yaml'),
        ('arm.urdf', 'arm.urdf', 'JointTrajectory in YAML'),
        ('joints.yaml', 'arm.urdf', 'JointTrajectory in YAML'),
        ('motion.yaml', 'nothing.urdf', 'nothing.urdf: No such file'),
        ('motion.yaml', 'motion.yaml', 'XML'),
    ],
)
def test_files_that_cannot_be_played_are_refused(tmp_path, monkeypatch, capsys, motion, arm, said):
    monkeypatch.chdir(tmp_path)
    Path('arm.urdf').write_text((ROOT / 'examples/identified_arm/arm.urdf').read_text())
    Path('joints.yaml').write_text('joint_names: [joint1]\n')
    point = '{positions: [0], velocities: [0], accelerations: [0], time_from_start: %s}'
    times = ('{sec: 0, nanosec: 0}', '{sec: 1, nanosec: 0}')
    points = ', '.join(point % time for time in times)
    Path('motion.yaml').write_text(f'joint_names: [joint1]\npoints: [{points}]\n')
    monkeypatch.setattr(sys, 'argv', ['play_and_record.py', motion, arm, 'recording.csv'])
    with pytest.raises(SystemExit) as ended:
        play_and_record.main()
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    assert not Path('recording.csv').exists()


def test_joints_that_do_not_move_are_held_and_recorded_under_their_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arm = ROOT / 'examples/identified_arm/arm.urdf'
    point = '{positions: [%g], velocities: [0], accelerations: [0], time_from_start: {%s}}'
    ends = (0.0, 'sec: 0, nanosec: 0'), (0.5, 'sec: 1, nanosec: 0')
    points = ', '.join(point % end for end in ends)
    Path('motion.yaml').write_text(f'joint_names: [joint3]\npoints: [{points}]\n')
    monkeypatch.setattr(sys, 'argv', ['', 'motion.yaml', str(arm), 'recording.csv'])
    play_and_record.main()
    recorded = np.genfromtxt('recording.csv', delimiter=',', names=True)
    q = np.column_stack([recorded[f'joint{number}_position'] for number in (1, 2, 3)])
    assert np.ptp(q[:, 2]) > 0.45
    assert np.ptp(q[:, :2], axis=0).max() < 0.01
    # The torques are those of the arm, by name.
    model = parse_urdf(arm.read_text())
    wanted = RobotDynamics(model).gravity_torque(q)
    effort = np.column_stack([recorded[f'joint{number}_effort'] for number in (1, 2, 3)])
    np.testing.assert_allclose(np.mean(effort, axis=0), np.mean(wanted, axis=0), atol=1.5)
