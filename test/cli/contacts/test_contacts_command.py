"""`robot_dynamics thresholds` and `contacts`: from a recording without contact to planted ones."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('rosbags')
pytest.importorskip('scipy')

from documented_json import documented, keys
from pushed_recording import HIT, Pushed, pushed_states
from recorded_states import csv_file

pytestmark = pytest.mark.contract

STATE = ('positions', 'velocities', 'efforts')


def test_a_planted_contact_is_found_with_these_thresholds(run, taught, files):
    pytest.importorskip('matplotlib')
    ended = run(
        'contacts', 'hit.csv', '--urdf', 'arm.urdf', '--thresholds', taught, '--plot', 'hit.png',
        '--json', 'hit.json',
    )  # fmt: skip
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.startswith('hit.csv: 1 contact; ')
    assert re.search(r'\n8\.0\d\d s +8\.\d+ s +collision +hand +wrist \+1\d', ended.stdout)
    (recording,) = json.loads((files / 'hit.json').read_text())['recordings']
    (contact,) = recording['contacts']
    assert contact['links'] == ['hand']
    assert contact['begin'] == pytest.approx(HIT.begin, abs=0.02)
    assert (files / 'hit.png').read_bytes().startswith(b'\x89PNG')


@pytest.mark.parametrize('band', ['push', 'collision'])
def test_one_of_the_thresholds_is_enough_as_in_the_node(run, files, band):
    pytest.importorskip('matplotlib')
    (files / f'{band}.yaml').write_text(f'/**:\n  ros__parameters: {{{band}_threshold: [3.0]}}\n')
    ended = run(
        'contacts', 'hit.csv', '--urdf', 'arm.urdf', '--parameters', f'{band}.yaml',
        '--plot', f'{band}.png', '--json', f'{band}.json',
    )  # fmt: skip
    assert ended.returncode == 1, ended.stderr
    (recording,) = json.loads((files / f'{band}.json').read_text())['recordings']
    assert {contact['kind'] for contact in recording['contacts']} == {band}
    assert recording['contacts'][0]['links'] == ['hand']
    assert recording['contacts'][0]['begin'] == pytest.approx(HIT.begin, abs=0.05)
    assert (files / f'{band}.png').read_bytes().startswith(b'\x89PNG')


@pytest.mark.parametrize('command', ['contacts', 'thresholds'])
def test_velocities_in_degrees_are_refused(run, files, command):
    """A joint that turns and one that slides: one is wrong, and named."""
    states = pushed_states(seconds=15.0, seed=5)
    turns = np.array([180.0 / np.pi if name == 'turn' else 1.0 for name in states.names])
    csv_file(files / 'degrees.csv', replace(states, velocities=turns * states.velocities))
    output = ('--output', 'degrees.yaml') if command == 'thresholds' else ()
    ended = run(command, 'degrees.csv', '--urdf', 'arm.urdf', *output)
    assert ended.returncode == 2
    assert re.search(r'degrees\.csv: .*velocities.*turn.* 57\.3', ended.stderr)
    assert not (files / 'degrees.yaml').exists()


LOCKED = 'slide was not recorded'


@pytest.fixture(scope='module')
def without_slide(files):
    """A recording without the joint between the two others."""
    states = pushed_states(seconds=15.0, seed=5)
    names = tuple(name for name in states.names if name != 'slide')
    kept = [states.names.index(name) for name in names]
    values = {each: getattr(states, each)[:, kept] for each in STATE}
    csv_file(files / 'two.csv', replace(states, names=names, **values))
    return 'two.csv'


def test_a_joint_that_was_not_recorded_is_named_with_its_thresholds(run, without_slide, taught):
    ended = run(
        'contacts', without_slide, '--urdf', 'arm.urdf', '--thresholds', taught, '--json', '-'
    )
    assert ended.returncode == 1
    (warning,) = ended.stderr.splitlines()
    assert f'warning: two.csv: {LOCKED}' in warning
    assert json.loads(ended.stdout)['recordings'][0]['remarks'][0] in warning


def test_a_joint_that_was_not_recorded_makes_thresholds_doubtful(run, without_slide):
    ended = run('thresholds', without_slide, '--urdf', 'arm.urdf', '--json', '-')
    assert ended.returncode == 1
    assert f'two.csv: {LOCKED}' in ended.stderr
    found = json.loads(ended.stdout)
    assert found['doubts'][0].split(':')[:2] == ['locked', ' slide']
    assert found['recordings'][0]['remarks'][0].startswith(LOCKED)


def test_efforts_of_which_the_node_estimates_nothing_cannot_be_used(run, files):
    states = pushed_states(seed=5)
    csv_file(files / 'sign.csv', replace(states, efforts=-states.efforts))
    ended = run('contacts', 'sign.csv', 'hit.csv', '--urdf', 'arm.urdf', '--json', '-')
    assert ended.returncode == 2, ended.stderr
    (failed,) = json.loads(ended.stdout)['failed']
    assert failed['file'] == 'sign.csv'
    assert 'measured efforts' in failed['error']


def test_a_contact_until_a_gap_may_end_later(run, taught, files):
    states = pushed_states((Pushed(2, 8.0, 12.0, 15.0, rise=0.1),), seconds=14.0, seed=6)
    times = (states.stamps - states.stamps[0]) / 1e9
    csv_file(files / 'cut.csv', states.part((times < 9.0) | (times > 10.0)))
    ended = run('contacts', 'cut.csv', '--urdf', 'arm.urdf', '--thresholds', taught)
    assert re.search(r'\n8\.\d+ s +8\.99\d s or later +\w+ +hand ', ended.stdout)
    assert re.search(r'\n10\.\d+ s or before +12\.\d+ s +\w+ +hand ', ended.stdout)
    assert '1 of these until' in ended.stdout


def test_without_a_contact_the_exit_code_is_0(run, taught):
    ended = run('contacts', 'free', '--urdf', 'arm.urdf', '--thresholds', taught)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith('free: no contact; ')


def test_without_thresholds_they_are_those_of_the_recording(run):
    ended = run('contacts', 'hit.csv', '--urdf', 'arm.urdf')
    assert ended.returncode == 1
    assert 'hit.csv: 1 contact; ' in ended.stdout
    assert 'without contact' in ended.stdout


def test_without_thresholds_no_contact_is_said_to_stand_out_at_most(run):
    ended = run('contacts', 'free', '--urdf', 'arm.urdf')
    assert ended.returncode == 0
    assert ended.stdout.startswith('free: no contact')
    assert 'touch that lasts' in ended.stdout


def test_a_contact_from_the_start_may_have_begun_before(run, taught, files):
    states = pushed_states((Pushed(2, -1.0, 3.0, 15.0),), seconds=6.0, seed=6)
    csv_file(files / 'leaning.csv', states)
    ended = run('contacts', 'leaning.csv', '--urdf', 'arm.urdf', '--thresholds', taught)
    assert re.search(r'before +3\.\d+ s +\w+ +hand', ended.stdout)


def test_several_recordings_are_searched_by_processes(run, taught):
    ended = run(
        'contacts', 'hit.csv', 'free', '--urdf', 'arm.urdf', '--thresholds', taught, '--json', '-',
    )  # fmt: skip
    assert ended.returncode == 1
    counts = [len(one['contacts']) for one in json.loads(ended.stdout)['recordings']]
    assert counts == [1, 0]


def test_files_that_are_read_are_not_replaced(run, taught):
    ended = run('thresholds', 'free', '--urdf', 'arm.urdf', '--output', 'arm.urdf')
    assert ended.returncode == 2
    assert re.search(r'arm\.urdf.*--output', ended.stderr)
    ended = run('contacts', 'hit.csv', 'free', '--urdf', 'arm.urdf', '--plot', 'plot.png')
    assert 'recording, 2 are named' in ended.stderr
    ended = run('contacts', 'hit.csv', '--urdf', 'arm.urdf', '--plot', 'plot.txt')
    assert 'ends in .png, .svg, .pdf' in ended.stderr


def test_the_documented_json_has_the_keys_of_the_commands(run, taught):
    found = json.loads(run('thresholds', 'free', '--urdf', 'arm.urdf', '--json', '-').stdout)
    shown = documented('thresholds')
    joint = next(iter(shown['joints'].values()))
    assert keys(found) == keys(shown) | {'joints': dict.fromkeys(found['joints'], keys(joint))}
    arguments = ('contacts', 'hit.csv', '--urdf', 'arm.urdf', '--thresholds', taught)
    found = json.loads(run(*arguments, '--json', '-').stdout)['recordings'][0]
    shown = documented('contacts')['recordings'][0]
    for part in ('contacts', 'joints'):
        assert keys(found).keys() == keys(shown).keys()
        assert np.ndim(found[part]) == np.ndim(shown[part])
    assert found['contacts'][0].keys() == shown['contacts'][0].keys()
    assert found['joints']['wrist'].keys() == shown['joints']['wrist'].keys()
