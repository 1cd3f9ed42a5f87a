"""`robot_dynamics thresholds` and `contacts`: from a recording without contact to planted ones."""

import json
import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

pytest.importorskip('rosbags')
pytest.importorskip('scipy')

from pushed_recording import URDF, Pushed, pushed_states
from recorded_states import csv_file, joint_state_bag
from ruamel.yaml import YAML

from robot_dynamics_ros.cli.command_line import main
from robot_dynamics_ros.cli.contacts.contact_tables import false_alarms

DOCUMENT = (Path(__file__).resolve().parents[2] / 'docs' / 'command.md').read_text()
HIT = Pushed(2, 8.0, 8.4, 15.0)


class Ended(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """Recordings with and without a contact, and the description without friction."""
    folder = tmp_path_factory.mktemp('contacts')
    joint_state_bag(folder / 'free', pushed_states(seed=5))
    csv_file(folder / 'hit.csv', pushed_states((HIT,), seed=6))
    (folder / 'arm.urdf').write_text(URDF)
    (folder / 'frictionless.urdf').write_text(re.sub('<dynamics[^>]*/>', '', URDF))
    return folder


@pytest.fixture
def run(folder, monkeypatch, capfd):
    """Runs a subcommand in this process, in the folder of the recordings."""
    monkeypatch.chdir(folder)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([*map(str, arguments)])
        return Ended(ended.value.code, *capfd.readouterr())

    return run


@pytest.fixture(scope='module')
def taught(folder):
    """A parameter file with thresholds."""
    file = folder / 'thresholds.yaml'
    arguments = ['thresholds', folder / 'free', '--urdf', folder / 'arm.urdf', '--output', file]
    with pytest.raises(SystemExit) as ended:
        main([*map(str, arguments)])
    assert ended.value.code == 0
    return file


def documented(subcommand):
    block = re.search(rf'```json {subcommand}\n(.*?)```', DOCUMENT, re.DOTALL)
    return json.loads(block[1])


def keys(value):
    """The keys of an object and of all below it; those of the first entry stand for a list."""
    if isinstance(value, dict):
        return {key: keys(entry) for key, entry in value.items()}
    return [keys(value[0])] if isinstance(value, list) and value else None


def test_thresholds_are_a_parameter_file_with_one_value_for_each_joint(taught):
    values = YAML(typ='safe').load(taught.read_text())['/**']['ros__parameters']
    assert values['joints'] == ['turn', 'slide', 'wrist']
    assert values['contact_cutoff'] == 5.0
    assert values['external_bandwidth'] == [20.0] * 3
    assert values['external_observer'] is True
    head = taught.read_text()
    assert re.search(r'# .* in an hour of motion like the recorded one', head)
    assert re.search(r'# .* It had speeds up to [\d.]+, [\d.]+, [\d.]+ \[rad/s or m/s\]', head)
    # At least what the friction of the wrist may do: 0.7 N m at rest, and a quarter of variation.
    assert values['push_threshold'][2] >= 1.25 * 0.7
    for band in ('collision', 'push'):
        assert min(values[f'{band}_threshold']) > 0.0
        for part in ('_velocity', '_acceleration'):
            assert min(values[f'{band}_threshold{part}']) >= 0.0
            assert len(values[f'{band}_threshold{part}']) == 3


def test_a_planted_contact_is_found_with_these_thresholds(run, taught, folder):
    pytest.importorskip('matplotlib')
    ended = run(
        'contacts', 'hit.csv', '--urdf', 'arm.urdf', '--parameters', taught, '--plot', 'hit.png',
        '--json', 'hit.json',
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (1, '')
    assert ended.stdout.startswith('hit.csv: 1 contact; ')
    assert re.search(r'\n8\.0\d\d s +8\.\d+ s +collision +hand +wrist \+1\d', ended.stdout)
    (recording,) = json.loads((folder / 'hit.json').read_text())['recordings']
    (contact,) = recording['contacts']
    assert contact['links'] == ['hand']
    assert contact['begin'] == pytest.approx(HIT.begin, abs=0.02)
    assert (folder / 'hit.png').read_bytes().startswith(b'\x89PNG')


def test_without_a_contact_the_exit_code_is_0(run, taught):
    ended = run('contacts', 'free', '--urdf', 'arm.urdf', '--parameters', taught)
    assert (ended.returncode, ended.stderr) == (0, '')
    assert ended.stdout.startswith('free: no contact; ')


def test_without_thresholds_they_are_those_of_the_recording(run):
    ended = run('contacts', 'hit.csv', '--urdf', 'arm.urdf')
    assert ended.returncode == 1
    assert 'hit.csv: 1 contact; ' in ended.stdout
    assert 'learn them from one without contact' in ended.stdout


def test_without_thresholds_no_contact_is_said_to_stand_out_at_most(run):
    ended = run('contacts', 'free', '--urdf', 'arm.urdf')
    assert ended.returncode == 0
    assert ended.stdout.startswith('free: no contact stands out from the rest; ')
    assert 'do not show a touch that lasts through most of it' in ended.stdout


def test_a_contact_from_the_start_may_have_begun_before(run, taught, folder):
    states = pushed_states((Pushed(2, -1.0, 3.0, 15.0),), seconds=6.0, seed=6)
    csv_file(folder / 'leaning.csv', states)
    ended = run('contacts', 'leaning.csv', '--urdf', 'arm.urdf', '--parameters', taught)
    assert re.search(r'\n0\.\d\d\d s or before +3\.\d+ s +\w+ +hand ', ended.stdout)


@pytest.mark.parametrize('command', ['thresholds', 'contacts'])
def test_bands_that_the_states_do_not_show_are_refused_with_what_is_allowed(run, command):
    """States at 200 Hz."""
    ended = run(command, 'free', '--urdf', 'arm.urdf', '--split', 120)
    assert (ended.returncode, ended.stdout) == (2, '')
    assert '--split' in ended.stderr
    assert 'is 120 Hz, allowed is at most 100 Hz: half the rate of the states' in ended.stderr


def test_one_false_alarm_is_one():
    assert [false_alarms(count) for count in (0, 1, 0.1)] == [
        '0 false alarms', '1 false alarm', '0.1 false alarms',
    ]  # fmt: skip


def test_several_recordings_are_searched_by_processes(run, taught):
    ended = run(
        'contacts', 'hit.csv', 'free', '--urdf', 'arm.urdf', '--parameters', taught, '--json', '-',
        '--jobs', 1,
    )  # fmt: skip
    assert ended.returncode == 1
    counts = [len(one['contacts']) for one in json.loads(ended.stdout)['recordings']]
    assert counts == [1, 0]


def test_friction_of_a_parameter_file_is_taken_off(run, folder):
    (folder / 'friction.yaml').write_text(
        'robot_dynamics:\n  ros__parameters:\n    joints: [wrist, turn]\n'
        '    friction_viscous: [0.4, 0.0]\n    friction_coulomb: [0.7, 0.0]\n'
        '    torque_offset: [0.5]\n'
    )

    def residuals(*arguments):
        ended = run('thresholds', 'free', *arguments, '--json', '-')
        assert ended.stderr == ''
        joints = json.loads(ended.stdout)['joints']
        return {name: (one['residual_rms'], one['residual_bias']) for name, one in joints.items()}

    without = residuals('--urdf', 'frictionless.urdf')
    known = residuals('--urdf', 'frictionless.urdf', '--parameters', 'friction.yaml')
    described = residuals('--urdf', 'arm.urdf')
    assert without['wrist'][0] > 5.0 * described['wrist'][0]
    # The offset is not there: each joint in the file is pushed by as much.
    for joint, offset in {'wrist': 0.5, 'turn': 0.5, 'slide': 0.0}.items():
        assert known[joint][1] == pytest.approx(described[joint][1] + offset, abs=0.01)


def test_a_margin_raises_what_is_learned_for_other_motion(run):
    def constants(*options):
        ended = run('thresholds', 'free', '--urdf', 'frictionless.urdf', *options, '--json', '-')
        result = json.loads(ended.stdout)
        return result['margin'], result['joints']['turn']['push']['constant']

    (one, plain), (more, wide) = constants(), constants('--margin', 1.5)
    assert (one, more) == (1.0, 1.5)
    assert wide == pytest.approx(1.5 * plain)
    ended = run('thresholds', 'free', '--urdf', 'arm.urdf', '--margin', 0.5)
    assert ended.returncode == 2
    assert '--margin' in ended.stderr


def test_bandwidth_and_rate_of_false_alarms_are_options(run):
    ended = run(
        'thresholds', 'free', '--urdf', 'arm.urdf', '--bandwidth', 5, '--false-alarms', 2,
        '--split', 3, '--json', '-',
    )  # fmt: skip
    result = json.loads(ended.stdout)
    assert result['bandwidth'] == [5.0] * 3
    assert (result['cutoff'], result['false_alarms_per_hour']) == (3.0, 2.0)


@pytest.mark.parametrize(
    ('content', 'words'),
    [
        ('/**: [', 'cannot be read as YAML'),
        ('/**: 3', 'has no block /** or robot_dynamics'),
        ('other:\n  ros__parameters: {joints: [turn]}', '(blocks: /other)'),
        ('/**:\n  ros__parameters: {friction_viscous: [1.0, 2.0]}', 'the 3 joints is needed'),
        ('/**:\n  ros__parameters: {friction_viscous: [.nan]}', 'must be finite'),
        ('/**:\n  ros__parameters: {friction_viscous: [much]}', "has 'much', a number is needed"),
        ('/**:\n  ros__parameters: {joints: 4}', 'joints is 4, a list of names is needed'),
        ('/**:\n  ros__parameters: {push_threshold: [1.0]}', 'collision_threshold of turn is mis'),
        ('/**:\n  ros__parameters: {gravity: 9.8}', 'gravity is 9.8'),
    ],
)
def test_parameter_files_that_cannot_be_used_are_refused_in_one_line(run, folder, content, words):
    (folder / 'bad.yaml').write_text(content)
    ended = run('contacts', 'hit.csv', '--urdf', 'arm.urdf', '--parameters', 'bad.yaml')
    assert (ended.returncode, ended.stdout) == (2, '')
    assert words in ended.stderr
    assert ended.stderr.count('\n') == 1


def test_files_that_are_read_are_not_replaced(run, taught):
    ended = run('thresholds', 'free', '--urdf', 'arm.urdf', '--output', 'arm.urdf')
    assert ended.returncode == 2
    assert 'arm.urdf is read, and --output would replace it' in ended.stderr
    ended = run('contacts', 'hit.csv', 'free', '--urdf', 'arm.urdf', '--plot', 'plot.png')
    assert 'is the plot of one recording, 2 are named' in ended.stderr
    ended = run('contacts', 'hit.csv', '--urdf', 'arm.urdf', '--plot', 'plot.txt')
    assert 'ends in .png, .svg, .pdf' in ended.stderr


def test_a_short_recording_is_refused_with_the_time_that_is_needed(run, folder):
    csv_file(folder / 'short.csv', pushed_states(seconds=6.0, seed=5))
    ended = run('thresholds', 'short.csv', '--urdf', 'arm.urdf')
    assert ended.returncode == 2
    assert 'thresholds need 10 s without a contact' in ended.stderr


def test_the_documented_json_has_the_keys_of_the_commands(run, taught):
    found = json.loads(run('thresholds', 'free', '--urdf', 'arm.urdf', '--json', '-').stdout)
    shown = documented('thresholds')
    joint = next(iter(shown['joints'].values()))
    assert keys(found) == keys(shown) | {'joints': dict.fromkeys(found['joints'], keys(joint))}
    arguments = ('contacts', 'hit.csv', '--urdf', 'arm.urdf', '--parameters', taught)
    found = json.loads(run(*arguments, '--json', '-').stdout)['recordings'][0]
    shown = documented('contacts')['recordings'][0]
    for part in ('contacts', 'joints'):
        assert keys(found).keys() == keys(shown).keys()
        assert np.ndim(found[part]) == np.ndim(shown[part])
    assert found['contacts'][0].keys() == shown['contacts'][0].keys()
    assert found['joints']['wrist'].keys() == shown['joints']['wrist'].keys()
