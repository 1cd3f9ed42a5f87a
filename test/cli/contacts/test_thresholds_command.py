"""`robot_dynamics thresholds`: a file of recordings without contact."""

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


def written_values(file):
    return YAML(typ='safe').load(file.read_text())['joints']


def test_thresholds_are_a_file_by_joint_name(taught):
    values = written_values(taught)
    assert list(values) == ['turn', 'slide', 'wrist']
    for joint in values.values():
        assert joint['bandwidth'] == 20.0
        for band in ('collision', 'push'):
            parts = joint[band]
            assert parts['constant'] > 0.0
            assert parts['velocity'] >= 0.0
            assert parts['acceleration'] >= 0.0
    head = taught.read_text()
    assert re.search('.* in an hour', head)
    assert re.search(r'[\d.]+, [\d.]+, [\d.]+ \[rad/s or m/s\]', head)
    # At least what the friction of the wrist may do: 0.7 N m at rest, and a quarter of variation.
    assert values['wrist']['push']['constant'] >= 1.25 * 0.7


def test_a_joint_without_threshold_is_a_doubt(run, files):
    states = pushed_states(seed=5)
    csv_file(files / 'less.csv', replace(states, efforts=states.efforts * [1.0, 1.0, 0.0]))
    ended = run('thresholds', 'less.csv', '--urdf', 'arm.urdf', '--output', 'less.yaml')
    assert ended.returncode == 1
    assert 'unwatched: wrist' in ended.stdout
    assert list(written_values(files / 'less.yaml')) == ['turn', 'slide']


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
    for option, value in (('--margin', 0.5), ('--margin', 1e308)):
        ended = run('thresholds', 'free', '--urdf', 'arm.urdf', option, value)
        assert ended.returncode == 2
        assert option in ended.stderr


def test_parameters_give_the_bandwidth_and_an_option_the_rate_of_false_alarms(run, files):
    (files / 'slow.yaml').write_text('/**:\n  ros__parameters: {external_bandwidth: [5.0]}\n')
    ended = run(
        'thresholds', 'free', '--urdf', 'arm.urdf', '--parameters', 'slow.yaml',
        '--false-alarms', 2, '--json', '-',
    )  # fmt: skip
    result = json.loads(ended.stdout)
    assert result['bandwidth'] == [5.0] * 3
    assert result['false_alarms_per_hour'] == 2.0


def test_a_short_recording_is_refused_with_the_time_that_is_needed(run, files):
    csv_file(files / 'short.csv', pushed_states(seconds=6.0, seed=5))
    ended = run('thresholds', 'short.csv', '--urdf', 'arm.urdf')
    assert ended.returncode == 2
    assert 'thresholds need 10 s without' in ended.stderr
