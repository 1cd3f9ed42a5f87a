"""Parameter files of dynamics_node, and options, of `robot_dynamics thresholds` and `contacts`."""

import json
import re
from dataclasses import replace

import pytest

pytest.importorskip('rosbags')
pytest.importorskip('scipy')

from pushed_recording import HIT, pushed_states
from recorded_states import csv_file

from robot_dynamics_ros import executables

pytestmark = pytest.mark.contract


def test_friction_of_a_parameter_file_is_taken_off(run, files):
    (files / 'friction.yaml').write_text(
        'joints: {wrist: {viscous: 0.4, coulomb: 0.7, torque_offset: 0.5}, turn: {viscous: 0.0, '
        'coulomb: 0.0, torque_offset: 0.5}}'
    )
    (files / 'node.yaml').write_text(
        'robot_dynamics:\n  ros__parameters: {joint_model: friction.yaml}\n'
    )

    def residuals(*arguments):
        ended = run('thresholds', 'free', *arguments, '--json', '-')
        assert ended.stderr == ''
        joints = json.loads(ended.stdout)['joints']
        return {name: (one['residual_rms'], one['residual_bias']) for name, one in joints.items()}

    without = residuals('--urdf', 'frictionless.urdf')
    known = residuals('--urdf', 'frictionless.urdf', '--parameters', 'node.yaml')
    described = residuals('--urdf', 'arm.urdf')
    assert without['wrist'][0] > 5.0 * described['wrist'][0]
    assert known == residuals('--urdf', 'frictionless.urdf', '--parameters', 'friction.yaml')
    # The offset is not there: each joint in the file is pushed by as much.
    for joint, offset in {'wrist': 0.5, 'turn': 0.5, 'slide': 0.0}.items():
        assert known[joint][1] == pytest.approx(described[joint][1] + offset, abs=0.01)


def test_a_parameter_file_names_thresholds_as_for_the_node(run, files, taught):
    """Relative to its own folder; not beside other thresholds."""
    (files / 'node.yaml').write_text(
        f'/**:\n  ros__parameters: {{contact_thresholds: {taught.name}}}\n'
    )
    arguments = ('contacts', 'hit.csv', '--urdf', 'arm.urdf', '--parameters', 'node.yaml')
    named, given = run(*arguments, '--json', '-'), run(*arguments[:-2], '--thresholds', taught,
                                                       '--json', '-')  # fmt: skip
    assert named.returncode == 1
    assert json.loads(named.stdout) == json.loads(given.stdout)
    twice = run(*arguments, '--thresholds', taught)
    assert (twice.returncode, twice.stdout) == (2, '')
    assert f'--thresholds is {taught}' in twice.stderr


def test_unknown_names_in_parameter_files_are_named_with_the_nearest(files, monkeypatch, capfd):
    monkeypatch.chdir(files)
    (files / 'misspelt.yaml').write_text(
        '/**:\n  ros__parameters:\n    use_sim_time: false\n    locked_joints: {wrist: 0.1}\n'
        '    locked_joints.slide: 0.0\n    fade_time: 1.0\n    collision_treshold: [3.0]\n'
    )
    monkeypatch.setattr(
        'sys.argv', ['robot_dynamics', 'contacts', 'free', '--urdf', 'arm.urdf', '--parameters',
                     'misspelt.yaml'],
    )  # fmt: skip
    with pytest.raises(SystemExit) as ended:
        executables.robot_dynamics()
    assert ended.value.code == 0
    said = capfd.readouterr().err
    assert 'collision_treshold' in said
    assert 'did you mean collision_threshold?' in said


@pytest.mark.parametrize(
    ('content', 'words'),
    [
        ('/**: [', 'read as YAML'),
        ('/**: 3', 'bad.yaml: no block'),
        ('other:\n  ros__parameters: {joints: [turn]}', '(blocks: /other)'),
        ('/**:\n  ros__parameters: {external_bandwidth: [1.0, 2.0]}', 'the 3 joints'),
        ('/**:\n  ros__parameters: {external_bandwidth: [.nan]}', 'must be finite'),
        ('/**:\n  ros__parameters: {external_bandwidth: [much]}', "'much', a number"),
        ('/**:\n  ros__parameters: {joint_model: 3}', 'joint_model is 3'),
        ('/**:\n  ros__parameters: {joints: 4}', 'joints is 4, a list'),
        (
            '/**:\n  ros__parameters: {joints: [wrist], collision_threshold: [0.0]}',
            'bad.yaml: collision_threshold of wrist is 0',
        ),
        (
            '/**:\n  ros__parameters: {push_threshold: [1, -1, 0]}',
            'bad.yaml: push_threshold of slide is -1',
        ),
        (
            '/**:\n  ros__parameters: {external_bandwidth: [10, 10, 0]}',
            'bad.yaml: external_bandwidth of wrist is 0',
        ),
        ('/**:\n  ros__parameters: {joints: [a, turn, b]}', 'turn, sl'),
        (
            '/**:\n  ros__parameters: {joints: [turn, turn]}',
            'joints is turn, turn',
        ),
        ('/**:\n  ros__parameters: {contact_thresholds: none.yaml}', 'none.yaml: cannot be read'),
        (
            '/**:\n  ros__parameters: {contact_thresholds: a, push_threshold: [1]}',
            'push_threshold is set',
        ),
        ('/**:\n  ros__parameters: {driver_gravity_check: 0}', 'driver_gravity_check is 0, true'),
        ('/**:\n  ros__parameters: {gravity: 9.8}', 'gravity is 9.8'),
    ],
)
def test_parameter_files_that_cannot_be_used_are_refused_in_one_line(run, files, content, words):
    (files / 'bad.yaml').write_text(content)
    ended = run('contacts', 'hit.csv', '--urdf', 'arm.urdf', '--parameters', 'bad.yaml')
    assert (ended.returncode, ended.stdout) == (2, '')
    assert words in ended.stderr
    assert ended.stderr.count('\n') == 1


@pytest.mark.parametrize('command', ['contacts', 'thresholds', 'compare'])
def test_a_file_for_two_nodes_is_refused_with_their_names(run, files, command):
    values = 'ros__parameters: {joints: [wrist], joint_model: a.yaml, push_threshold: [3.0]}'
    (files / 'two.yaml').write_text(
        f'/left/robot_dynamics: {{{values}}}\n/right/robot_dynamics: {{{values}}}\n'
    )
    ended = run(command, 'hit.csv', '--urdf', 'arm.urdf', '--parameters', 'two.yaml')
    assert (ended.returncode, ended.stdout) == (2, '')
    assert 'several nodes (/left/robot_dynamics, /right/robot_dynamics): name' in ended.stderr


def test_joints_without_thresholds_are_not_watched(run, files):
    (files / 'some.yaml').write_text(
        '/**:\n  ros__parameters: {joints: [wrist, slide], push_threshold: [3.0]}\n'
    )
    ended = run(
        'contacts', 'hit.csv', '--urdf', 'arm.urdf', '--parameters', 'some.yaml', '--json', '-'
    )
    (found,) = json.loads(ended.stdout)['recordings']
    assert ended.returncode == 1
    assert list(found['joints']) == ['slide', 'wrist']
    assert found['unwatched'] == ['turn']
    assert [list(contact['torques']) for contact in found['contacts']] == [['wrist']]
    # Of the joint that has them, nothing was measured.
    (files / 'turn.yaml').write_text(
        '/**:\n  ros__parameters: {joints: [turn], push_threshold: [3.0]}\n'
    )
    states = pushed_states((HIT,), seconds=1.0, seed=6)
    csv_file(files / 'still.csv', replace(states, efforts=states.efforts * [0.0, 1.0, 1.0]))
    ended = run('contacts', 'still.csv', '--urdf', 'arm.urdf', '--parameters', 'turn.yaml')
    assert 'joints with thresholds (turn)' in ended.stderr


def test_thresholds_for_other_joints_than_those_of_a_later_file_are_refused(run, files):
    (files / 'some.yaml').write_text(
        '/**:\n  ros__parameters: {joints: [wrist, slide], push_threshold: [3.0]}\n'
    )
    (files / 'more.yaml').write_text(
        '/**:\n  ros__parameters: {joints: [wrist], collision_threshold: [3.0]}\n'
    )
    ended = run(
        'contacts', 'hit.csv', '--urdf', 'arm.urdf', '--parameters', 'some.yaml',
        '--parameters', 'more.yaml',
    )  # fmt: skip
    assert ended.returncode == 2
    assert re.search(r'some\.yaml: push_threshold .*wrist, slide', ended.stderr)
