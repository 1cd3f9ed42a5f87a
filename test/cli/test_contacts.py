"""`robot_dynamics thresholds` and `contacts`: from a recording without contact to planted ones."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('rosbags')
pytest.importorskip('scipy')
yaml = pytest.importorskip('yaml')

from documented_json import documented, keys
from pushed_recording import HIT, URDF, Pushed, pushed_states
from recorded_states import csv_file, joint_state_bag
from running_command import ended

pytestmark = pytest.mark.contract

# The wrist is touched for most of the time, with 0.75 of its effort limit.
TOUCH = Pushed(2, 12.0, 40.0, 15.0)
# What 30 s can promise and test.
SHORT = ('--false-alarms', 0.1, '--margin', 3)


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    """Recordings with and without a contact."""
    folder = tmp_path_factory.mktemp('contacts')
    free = pushed_states(seed=5)
    joint_state_bag(folder / 'free', free)
    csv_file(folder / 'hit.csv', pushed_states((HIT,), seed=6))
    csv_file(folder / 'touched.csv', pushed_states((TOUCH,), seed=5))
    csv_file(folder / 'sign.csv', replace(free, efforts=-free.efforts))
    csv_file(folder / 'less.csv', replace(free, efforts=free.efforts * [1.0, 1.0, 0.0]))
    # A joint that turns and one that slides: one is wrong.
    turns = np.array([180.0 / np.pi if name == 'turn' else 1.0 for name in free.names])
    csv_file(folder / 'degrees.csv', replace(free, velocities=turns * free.velocities))
    (folder / 'arm.urdf').write_text(URDF)
    return folder


@pytest.fixture(scope='module')
def found_by(files):
    """Runs a subcommand: its exit code, its JSON, and its errors."""

    def found_by(command, *arguments, urdf='arm.urdf'):
        done = ended(files, command, *arguments, '--urdf', urdf, '--json', '-')
        return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr

    return found_by


@pytest.fixture(scope='module')
def learned(found_by):
    """What is learned from the recording without contact; also written to thresholds.yaml."""
    code, found, stderr = found_by('thresholds', 'free', *SHORT, '--output', 'thresholds.yaml')
    assert (code, stderr, found['doubts']) == (0, '', [])
    return found


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
            assert parts['constant'] > 0.0
            assert min(parts['velocity'], parts['acceleration']) >= 0.0
    assert 0.0 < learned['tested'] <= 0.1
    # The friction of the wrist at rest.
    assert values['wrist']['push']['constant'] >= 0.7
    assert keys(learned) == keys(documented('thresholds')) | {
        'joints': dict.fromkeys(values, keys(documented('thresholds')['joints']['turn']))
    }


def test_doubts_stand_at_the_head_of_the_file(run, files, learned):
    done = run('thresholds', 'touched.csv', '--urdf', 'arm.urdf', *SHORT,
               '--output', 'touched.yaml', '--json', 'touched.json', '--verbose')  # fmt: skip
    assert done.returncode == 1
    doubts = json.loads((files / 'touched.json').read_text())['doubts']
    assert {'large', 'exceeded'} <= {doubt.partition(':')[0] for doubt in doubts}
    comment = ' '.join(re.sub('(?m)^#', '', (files / 'touched.yaml').read_text()).split())
    for doubt in doubts:
        assert f'\n{doubt}\n' in done.stdout
        assert doubt in comment
    assert written_values(files / 'touched.yaml').keys() == learned['joints'].keys()


def test_a_joint_without_threshold_is_a_doubt(found_by, files):
    code, found, _ = found_by('thresholds', 'less.csv', *SHORT, '--output', 'less.yaml')
    assert (code, found['doubts'][0].split(':')[:2]) == (1, ['unwatched', ' wrist'])
    assert list(written_values(files / 'less.yaml')) == ['turn', 'slide']


def test_a_margin_a_share_of_false_alarms_and_a_bandwidth(found_by, files):
    (files / 'slow.yaml').write_text('/**:\n  ros__parameters: {external_bandwidth: [5.0]}\n')
    options = ('thresholds', 'free', '--parameters', 'slow.yaml', '--false-alarms', 0.2)
    (_, plain, _), (_, wide, _) = (found_by(*options, '--margin', margin) for margin in (8, 12))
    assert (plain['bandwidth'], plain['false_alarms']) == ([5.0] * 3, 0.2)
    assert (plain['margin'], wide['margin']) == (8.0, 12.0)
    (one, more) = (found['joints']['turn']['collision']['constant'] for found in (plain, wide))
    assert more == pytest.approx(1.5 * one)


def test_a_share_that_the_time_is_too_short_for_is_refused(run, files):
    done = run('thresholds', 'free', '--urdf', 'arm.urdf', '--output', 'none.yaml')
    assert done.returncode == 2
    assert re.search(r'29\.\d s.* 0\.01 .* 99 s', done.stderr)
    assert not (files / 'none.yaml').exists()


def test_velocities_in_degrees_are_refused(run, files):
    done = run('thresholds', 'degrees.csv', '--urdf', 'arm.urdf', '--output', 'degrees.yaml')
    assert done.returncode == 2
    assert re.search(r'degrees\.csv: .*turn.* 57\.3', done.stderr)
    assert not (files / 'degrees.yaml').exists()


def test_a_planted_contact_is_found_with_these_thresholds(run, files, learned):
    pytest.importorskip('plotly')
    done = run(
        'contacts', 'hit.csv', '--urdf', 'arm.urdf', '--thresholds', 'thresholds.yaml',
        '--plot', 'hit.html', '--json', 'hit.json',
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith('hit.csv: 1 contact; ')
    assert re.search(r'\n8\.0\d\d s +8\.\d+ s +collision +hand +wrist \+1\d', done.stdout)
    (recording,) = json.loads((files / 'hit.json').read_text())['recordings']
    (contact,) = recording['contacts']
    assert contact['links'] == ['hand']
    assert contact['begin'] == pytest.approx(HIT.begin, abs=0.02)
    assert '1 contact in hit.csv' in (files / 'hit.html').read_text()
    shown = documented('contacts')['recordings'][0]
    assert recording.keys() == shown.keys()
    assert contact.keys() == shown['contacts'][0].keys()
    assert recording['joints']['wrist'].keys() == shown['joints']['wrist'].keys()


def test_several_recordings_are_searched_by_processes(found_by, learned):
    code, found, _ = found_by('contacts', 'hit.csv', 'free', '--thresholds', 'thresholds.yaml')
    assert code == 1
    assert [len(one['contacts']) for one in found['recordings']] == [1, 0]


@pytest.mark.parametrize(('name', 'count'), [('free', 0), ('hit.csv', 1)])
def test_without_thresholds_they_are_those_of_the_recording(found_by, name, count):
    code, found, _ = found_by('contacts', name)
    (recording,) = found['recordings']
    assert (code, len(recording['contacts'])) == (count, count)
    assert recording['thresholds'] == 'this recording'


def test_efforts_that_tell_nothing_are_refused(found_by):
    code, found, _ = found_by('contacts', 'sign.csv', 'hit.csv')
    assert (code, len(found['recordings']), len(found['failed'])) == (2, 1, 1)


@pytest.mark.parametrize('band', ['push', 'collision'])
def test_one_of_the_thresholds_is_enough_as_in_the_node(found_by, files, band):
    (files / f'{band}.yaml').write_text(f'/**:\n  ros__parameters: {{{band}_threshold: [3.0]}}\n')
    code, found, _ = found_by('contacts', 'hit.csv', '--parameters', f'{band}.yaml')
    (recording,) = found['recordings']
    assert (code, {contact['kind'] for contact in recording['contacts']}) == (1, {band})
    assert recording['contacts'][0]['links'] == ['hand']
    assert recording['contacts'][0]['begin'] == pytest.approx(HIT.begin, abs=0.05)


def test_a_parameter_file_names_thresholds_as_for_the_node(found_by, learned, files):
    """Relative to its own folder; not beside other thresholds."""
    (files / 'node.yaml').write_text(
        '/**: {ros__parameters: {contact_thresholds: thresholds.yaml}}'
    )
    named, given = ('--parameters', 'node.yaml'), ('--thresholds', 'thresholds.yaml')
    assert found_by('contacts', 'hit.csv', *named) == found_by('contacts', 'hit.csv', *given)
    code, _, stderr = found_by('contacts', 'hit.csv', *named, *given)
    assert (code, 'contact_thresholds and --thresholds' in stderr) == (2, True)


def test_joints_without_thresholds_are_not_watched(found_by, files):
    (files / 'some.yaml').write_text(
        '/**:\n  ros__parameters: {joints: [wrist, slide], push_threshold: [3.0]}\n'
    )
    code, found, _ = found_by('contacts', 'hit.csv', '--parameters', 'some.yaml')
    (recording,) = found['recordings']
    assert (code, list(recording['joints'])) == (1, ['slide', 'wrist'])
    assert recording['unwatched'] == ['turn']
    assert [list(contact['torques']) for contact in recording['contacts']] == [['wrist']]


@pytest.mark.parametrize(
    ('content', 'said'),
    [
        ('/**: [', 'YAML'),
        ('joints: {elbow: {coulomb: 1.0}}', "'elbow'"),
        ('{external_bandwidth: [1.0, 2.0]}', 'external_bandwidth is [1.0, 2.0]'),
        ('{joints: 4}', 'joints is 4'),
        ('{joints: [wrist], collision_threshold: [0.0]}', 'collision_threshold of wrist is 0'),
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
    assert (done.returncode, done.stdout) == (2, '')
    assert said in done.stderr
    assert done.stderr.count('\n') == 1


def test_gravity_of_a_base_that_is_turned(found_by, files, learned):
    """By the option, or by the file of the node: another one makes another residual."""
    (files / 'turned.yaml').write_text('/**:\n  ros__parameters: {gravity: [0.0, 1.0, -9.76]}\n')
    given = ('--thresholds', 'thresholds.yaml')
    option = ('--gravity', '0,1,-9.76')
    by_option = found_by('contacts', 'hit.csv', *given, *option)
    by_file = found_by('contacts', 'hit.csv', *given, '--parameters', 'turned.yaml')
    assert by_option == by_file
    assert by_option[1] != found_by('contacts', 'hit.csv', *given)[1]
    # With thresholds of the recording itself, too.
    assert found_by('contacts', 'hit.csv', *option) != found_by('contacts', 'hit.csv')
    both = found_by('contacts', 'hit.csv', '--parameters', 'turned.yaml', '--gravity', '0,0,-9.81')
    assert (both[0], '--gravity' in both[2]) == (2, True)
