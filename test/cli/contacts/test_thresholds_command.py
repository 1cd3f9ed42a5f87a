"""`robot_dynamics thresholds`: a parameter file of recordings without contact."""

import json
import re
from dataclasses import replace

import pytest

pytest.importorskip('rosbags')
pytest.importorskip('scipy')

from pushed_recording import Pushed, pushed_states
from recorded_states import csv_file
from ruamel.yaml import YAML

pytestmark = pytest.mark.contract


def test_thresholds_are_a_parameter_file_with_one_value_for_each_joint(taught):
    values = YAML(typ='safe').load(taught.read_text())['/**']['ros__parameters']
    assert values['joints'] == ['turn', 'slide', 'wrist']
    assert values['contact_cutoff'] == 5.0
    assert values['external_bandwidth'] == [20.0] * 3
    assert values['external_observer'] is True
    head = taught.read_text()
    assert re.search('.* in an hour', head)
    assert re.search(r'[\d.]+, [\d.]+, [\d.]+ \[rad/s or m/s\]', head)
    # At least what the friction of the wrist may do: 0.7 N m at rest, and a quarter of variation.
    assert values['push_threshold'][2] >= 1.25 * 0.7
    for band in ('collision', 'push'):
        assert min(values[f'{band}_threshold']) > 0.0
        for part in ('_velocity', '_acceleration'):
            assert min(values[f'{band}_threshold{part}']) >= 0.0
            assert len(values[f'{band}_threshold{part}']) == 3


def written_values(file):
    return YAML(typ='safe').load(file.read_text())['/**']['ros__parameters']


@pytest.mark.parametrize('joints', [['wrist', 'turn', 'slide'], ['wrist', 'turn']])
def test_a_file_commands_the_joints_of_the_given_ones_in_their_order(run, files, taught, joints):
    """As ROS does, the node takes the last `joints` for the lists of all files."""
    (files / 'arm.yaml').write_text(f'/**: {{ros__parameters: {{joints: {joints}}}}}')
    (files / 'offset.yaml').write_text('/**: {ros__parameters: {external_bandwidth: [15.0]}}')
    ended = run(
        'thresholds', 'free', '--urdf', 'arm.urdf', '--output', 'ordered.yaml', '--bandwidth', 20,
        '--parameters', 'arm.yaml', '--parameters', 'offset.yaml',
    )  # fmt: skip
    assert ended.returncode == 0
    assert re.search(rf'(?m)ordered\.yaml; .* {", ".join(joints)}$', ended.stdout)
    plain, ordered = written_values(taught), written_values(files / 'ordered.yaml')
    assert ordered.keys() == plain.keys()
    assert ordered['joints'] == joints
    rows = [plain['joints'].index(name) for name in joints]
    for name, values in plain.items():
        if isinstance(values, list):
            assert ordered[name] == [values[row] for row in rows]


def test_without_a_given_list_it_is_said_which_joints_a_file_commands(run, files, taught):
    ended = run('thresholds', 'free', '--urdf', 'arm.urdf', '--output', 'own.yaml')
    assert re.search(r'own\.yaml; .*turn, slide, wrist', ended.stdout)
    assert 'file with --parameters' in ended.stdout
    assert 'the joints below' in taught.read_text()


@pytest.mark.parametrize('joints', [['turn', 'wrist'], []])
def test_a_commanded_joint_without_threshold_is_named_and_nothing_is_written(run, files, joints):
    """An empty list stands for all joints of the robot."""
    states = pushed_states(seed=5)
    csv_file(files / 'less.csv', replace(states, efforts=states.efforts * [1.0, 1.0, 0.0]))
    (files / 'arm.yaml').write_text(f'/**: {{ros__parameters: {{joints: {joints}}}}}')
    ended = run(
        'thresholds', 'less.csv', '--urdf', 'arm.urdf', '--output', 'less.yaml',
        '--parameters', 'arm.yaml',
    )  # fmt: skip
    assert ended.returncode == 2
    assert 'less.yaml' in ended.stderr
    assert 'threshold of wrist: record' in ended.stderr
    assert not (files / 'less.yaml').exists()


def test_doubts_stand_at_the_head_of_the_file(run, files, taught):
    """The wrist is touched for the second half, with 0.75 of its effort limit."""
    touched = pushed_states((Pushed(2, 15.0, 40.0, 15.0),), seconds=30.0, seed=5)
    csv_file(files / 'touched.csv', touched)
    ended = run('thresholds', 'touched.csv', '--urdf', 'arm.urdf', '--output', 'touched.yaml')
    assert ended.returncode == 1
    doubts = ended.stdout[: ended.stdout.index('written: ')].splitlines()
    doubts = [line for line in doubts if re.match('(large|exceeded): ', line)]
    assert len(doubts) == 2
    text = (files / 'touched.yaml').read_text()
    comment = ' '.join(re.sub('(?m)^#', '', text[: text.index('Thresholds of contacts')]).split())
    assert comment.startswith('Doubts of robot_dynamics thresholds: ')
    for doubt in doubts:
        assert doubt in comment
    assert written_values(files / 'touched.yaml').keys() == written_values(taught).keys()
    assert taught.read_text().startswith('# Thresholds of contacts')
    assert 'without contact' in taught.read_text()


def test_a_margin_raises_what_is_learned_for_other_motion(run):
    def constants(*options):
        ended = run('thresholds', 'free', '--urdf', 'frictionless.urdf', *options, '--json', '-')
        result = json.loads(ended.stdout)
        return result['margin'], result['joints']['turn']['push']['constant']

    (one, plain), (more, wide) = constants(), constants('--margin', 1.5)
    assert (one, more) == (1.0, 1.5)
    assert wide == pytest.approx(1.5 * plain)
    for option, value in (('--margin', 0.5), ('--margin', 1e308), ('--split', 1e-9)):
        ended = run('thresholds', 'free', '--urdf', 'arm.urdf', option, value)
        assert ended.returncode == 2
        assert option in ended.stderr


def test_bandwidth_and_rate_of_false_alarms_are_options(run):
    ended = run(
        'thresholds', 'free', '--urdf', 'arm.urdf', '--bandwidth', 5, '--false-alarms', 2,
        '--split', 3, '--json', '-',
    )  # fmt: skip
    result = json.loads(ended.stdout)
    assert result['bandwidth'] == [5.0] * 3
    assert (result['cutoff'], result['false_alarms_per_hour']) == (3.0, 2.0)


def test_a_short_recording_is_refused_with_the_time_that_is_needed(run, files):
    csv_file(files / 'short.csv', pushed_states(seconds=6.0, seed=5))
    ended = run('thresholds', 'short.csv', '--urdf', 'arm.urdf')
    assert ended.returncode == 2
    assert 'thresholds need 10 s without' in ended.stderr
