"""`robot_dynamics thresholds` and `contacts`: from a recording without contact to planted ones."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('rosbags')
pytest.importorskip('scipy')
yaml = pytest.importorskip('yaml')

from pushed_recording import HIT, URDF, Pushed, pushed_states
from recorded_states import csv_file, joint_state_bag
from running_command import answered, documented, keys

pytestmark = pytest.mark.contract

# The wrist is touched for most of the time, with 0.75 of its effort limit.
TOUCH = Pushed(2, 12.0, 40.0, 15.0)
# What 30 s can promise and test.
SHORT = ('--false-alarms', 0.1, '--margin', 3)
NODE = '/**:\n  ros__parameters: {{{}}}\n'
GIVEN = ('--thresholds', 'thresholds.yaml')


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    """Recordings with and without a contact."""
    folder = tmp_path_factory.mktemp('contacts')
    free = pushed_states(seed=5)
    joint_state_bag(folder / 'free', free)
    csv_file(folder / 'hit.csv', pushed_states((HIT,), seed=6))
    touched = pushed_states((TOUCH,), seed=5)
    csv_file(folder / 'touched.csv', replace(touched, efforts=touched.efforts * [0.0, 1.0, 1.0]))
    csv_file(folder / 'sign.csv', replace(free, efforts=-free.efforts))
    # A joint that turns and one that slides: one is wrong.
    turns = np.array([180.0 / np.pi if name == 'turn' else 1.0 for name in free.names])
    csv_file(folder / 'degrees.csv', replace(free, velocities=turns * free.velocities))
    (folder / 'arm.urdf').write_text(URDF)
    return folder


@pytest.fixture(scope='module')
def found_by(files):
    """Runs a subcommand: its exit code, its JSON, and its errors."""

    def found_by(command, *arguments, node=None):
        if node is not None:
            (files / 'node.yaml').write_text(NODE.format(node))
            arguments = (*arguments, '--parameters', 'node.yaml')
        return answered(files, command, *arguments, '--urdf', 'arm.urdf')

    return found_by


@pytest.fixture(scope='module')
def learned(found_by):
    """What is learned from the recording without contact; also written to thresholds.yaml."""
    code, found, stderr = found_by('thresholds', 'free', *SHORT, '--output', 'thresholds.yaml')
    assert (code, stderr, found['doubts']) == (0, '', [])
    return found


@pytest.fixture(scope='module')
def hit(found_by, learned):
    """What is found with these thresholds."""
    return found_by('contacts', 'hit.csv', *GIVEN)


def written_values(file):
    return yaml.safe_load(file.read_text())['joints']


def test_thresholds_are_a_file_by_joint_name(files, learned):
    values = written_values(files / 'thresholds.yaml')
    assert list(values) == list(learned['joints']) == ['turn', 'slide', 'wrist']
    for name, joint in values.items():
        assert joint['bandwidth'] == 20.0
        for band in ('collision', 'push'):
            parts = learned['joints'][name][band]
            for part, value in joint[band].items():
                assert value == pytest.approx(parts[part], rel=1e-3)
    assert 0.0 < learned['tested'] <= 0.1
    # The friction of the wrist at rest.
    assert values['wrist']['push']['constant'] >= 0.7
    assert keys(learned) == keys(documented('thresholds')) | {
        'joints': dict.fromkeys(values, keys(documented('thresholds')['joints']['turn']))
    }


def test_doubts_stand_at_the_head_of_the_file(run, files):
    """A joint that is touched, and one without an effort, which has no threshold."""
    done = run('thresholds', 'touched.csv', '--urdf', 'arm.urdf', *SHORT,
               '--output', 'touched.yaml', '--json', 'touched.json', '--verbose')  # fmt: skip
    assert done.returncode == 1
    doubts = json.loads((files / 'touched.json').read_text())['doubts']
    assert {'large', 'exceeded', 'unwatched'} <= {doubt.partition(':')[0] for doubt in doubts}
    comment = ' '.join(re.sub('(?m)^#', '', (files / 'touched.yaml').read_text()).split())
    for doubt in doubts:
        assert f'\n{doubt}\n' in done.stdout
        assert doubt in comment
    assert list(written_values(files / 'touched.yaml')) == ['slide', 'wrist']


def test_a_margin_a_share_of_false_alarms_and_a_bandwidth(found_by, learned):
    options = ('thresholds', 'free', '--false-alarms', 0.1, '--margin', 12)
    _, wide, _ = found_by(*options)
    constants = [one['joints']['turn']['collision']['constant'] for one in (learned, wide)]
    assert constants[1] == pytest.approx(4.0 * constants[0])
    _, slow, _ = found_by(*options, node='external_bandwidth: [5.0]')
    assert (slow['bandwidth'], slow['false_alarms'], slow['margin']) == ([5.0] * 3, 0.1, 12.0)


@pytest.mark.parametrize(
    ('name', 'said'),
    [('free', r'29\.\d s.* 0\.01 .* 99 s'), ('degrees.csv', r'degrees\.csv: .*turn.* 57\.3')],
)
def test_too_little_time_and_velocities_in_degrees_are_refused(run, files, name, said):
    done = run('thresholds', name, '--urdf', 'arm.urdf', '--output', 'none.yaml')
    assert done.returncode == 2
    assert re.search(said, done.stderr)
    assert not (files / 'none.yaml').exists()


def test_a_planted_contact_is_found_with_these_thresholds(run, files, hit):
    pytest.importorskip('plotly')
    words = '--plot', 'hit.html', '--json', 'hit.json'
    done = run('contacts', 'hit.csv', '--urdf', 'arm.urdf', *GIVEN, *words)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith('three: 1 contact in hit.csv, ')
    assert re.search(r'\ncollision hand: 8\.0\d\d s to 8\.\d+ s; wrist 1\d', done.stdout)
    assert json.loads((files / 'hit.json').read_text()) == hit[1]
    assert '1 contact in hit.csv' in (files / 'hit.html').read_text()
    (recording,) = hit[1]['recordings']
    (contact,) = recording['contacts']
    assert contact['links'] == ['hand']
    assert contact['begin'] == pytest.approx(HIT.begin, abs=0.02)
    shown = documented('contacts')['recordings'][0]
    assert recording.keys() == shown.keys()
    assert contact.keys() == shown['contacts'][0].keys()
    assert recording['joints']['wrist'].keys() == shown['joints']['wrist'].keys()


def test_several_recordings_and_one_whose_efforts_tell_nothing(found_by):
    """Without thresholds, they are those of each recording itself."""
    code, found, _ = found_by('contacts', 'sign.csv', 'hit.csv', 'free')
    assert (code, [len(one['contacts']) for one in found['recordings']]) == (2, [1, 0])
    assert {one['thresholds'] for one in found['recordings']} == {'this recording'}
    assert [one['file'] for one in found['failed']] == ['sign.csv']


@pytest.mark.parametrize('band', ['push', 'collision'])
def test_one_of_the_thresholds_of_some_joints_is_enough_as_in_the_node(found_by, band):
    node = f'joints: [wrist, slide], {band}_threshold: [3.0]'
    code, found, _ = found_by('contacts', 'hit.csv', node=node)
    (recording,) = found['recordings']
    assert (code, {contact['kind'] for contact in recording['contacts']}) == (1, {band})
    assert (list(recording['joints']), recording['unwatched']) == (['slide', 'wrist'], ['turn'])
    assert recording['contacts'][0]['links'] == ['hand']
    assert recording['contacts'][0]['begin'] == pytest.approx(HIT.begin, abs=0.05)


def test_a_parameter_file_names_thresholds_as_for_the_node(found_by, hit):
    """Relative to its own folder; not beside other thresholds."""
    node = 'contact_thresholds: thresholds.yaml'
    assert found_by('contacts', 'hit.csv', node=node) == hit
    code, _, stderr = found_by('contacts', 'hit.csv', *GIVEN, node=node)
    assert (code, 'contact_thresholds and --thresholds' in stderr) == (2, True)


@pytest.mark.parametrize(
    ('content', 'said'),
    [
        ('/**: [', 'YAML'),
        ('joints: {elbow: {coulomb: 1.0}}', "'elbow'"),
        ('{joint_model: 1}', 'joint_model is 1'),
        ('{external_bandwidth: [1.0, 2.0]}', 'external_bandwidth has 2 values'),
        ('{joints: 4}', 'joints is 4'),
        (
            '{joints: [wrist], collision_threshold: [0.0]}',
            'collision threshold: constant of joint 0',
        ),
        ('{joints: [a, turn, b]}', "'a' is unknown"),
        ('{contact_thresholds: none.yaml}', 'none.yaml'),
        ('{contact_thresholds: a, push_threshold: [1]}', 'push_threshold and contact_thresholds'),
        ('{driver_effort: amperes}', "'amperes'"),
        ('{gravity: [0, 9.8]}', 'gravity of bad.yaml'),
    ],
)
def test_parameter_files_that_cannot_be_used_are_refused_in_one_line(run, files, content, said):
    block = f'/**:\n  ros__parameters: {content}' if content.startswith('{') else content
    (files / 'bad.yaml').write_text(block)
    done = run('contacts', 'hit.csv', '--urdf', 'arm.urdf', '--parameters', 'bad.yaml')
    assert (done.returncode, done.stdout, done.stderr.count('\n')) == (2, '', 1)
    assert said in done.stderr


def test_gravity_of_a_base_that_is_turned(found_by, hit):
    """By the option, or by the file of the node: another one makes another residual."""
    by_option = found_by('contacts', 'hit.csv', *GIVEN, '--gravity', '0,1,-9.76')
    node = 'gravity: [0.0, 1.0, -9.76]'
    assert by_option == found_by('contacts', 'hit.csv', *GIVEN, node=node) != hit
