"""`robot_dynamics thresholds`: a parameter file of recordings without contact."""

import json
import re

import pytest

pytest.importorskip('rosbags')
pytest.importorskip('scipy')

from pushed_recording import pushed_states
from recorded_states import csv_file
from ruamel.yaml import YAML

from robot_dynamics_ros.cli.contacts.contact_tables import false_alarms


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


def test_a_short_recording_is_refused_with_the_time_that_is_needed(run, folder):
    csv_file(folder / 'short.csv', pushed_states(seconds=6.0, seed=5))
    ended = run('thresholds', 'short.csv', '--urdf', 'arm.urdf')
    assert ended.returncode == 2
    assert 'thresholds need 10 s without a contact' in ended.stderr


def test_one_false_alarm_is_one():
    assert [false_alarms(count) for count in (0, 1, 0.1)] == [
        '0 false alarms', '1 false alarm', '0.1 false alarms',
    ]  # fmt: skip
