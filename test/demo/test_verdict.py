"""The table of bounds, and what is printed of it."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('robot_dynamics_interfaces')

from robot_dynamics_ros.demo.verdict import FIGURES, Verdict

MODEL = SimpleNamespace(
    name='ur5', joint_names=('elbow', 'rail'), effort_units=('N m', 'N'), sliding=(False, True)
)
GOOD = {figure.key: 0.0 for figure in FIGURES} | {
    'fall': 1.0,
    'ratio': 0.11,
    'smallest_eigenvalue': 0.1,
    'asked_rate': 1000.0,
    'state_rate': 1000.0,
    'command_rate': 1000.0,
    'transport_p50': 0.1,
    'transport_p99': 1.0,
    'late': 0.0,
}


def verdict(**changes):
    errors = np.array([[0.02, 0.0], [0.01, 0.0], [0.001, 0.0]])
    return Verdict.of(MODEL, GOOD | changes, errors, np.array([0.05, math.nan]))


def missed(**changes):
    return {one.key: one.row()[-1] for one in verdict(**changes).figures if not one.passed}


def test_what_exceeds_its_bound_fails_unless_the_machine_is_slow():
    assert missed() == {}
    assert missed(drift=0.0011) == missed(drift=math.nan) == {'drift': 'FAIL'}
    assert missed(fall=0.01) == {'fall': 'FAIL'}
    assert missed(ratio=0.3, worst_ratio=0.5) == {'ratio': 'FAIL', 'worst_ratio': 'FAIL'}
    assert missed(push_error=3.0) == {'push_error': 'FAIL'}
    assert missed(command_step=21.0, command_lead=51.0).keys() == {'command_step', 'command_lead'}
    # What was not measured is no matter of load.
    assert missed(collision_delay=20.0) == {'collision_delay': 'slow'}
    assert missed(collision_delay=math.nan) == {'collision_delay': 'FAIL'}
    assert missed(state_rate=400.0, command_rate=300.0) == dict.fromkeys(
        ('state_rate', 'command_rate'), 'slow'
    )


def test_an_answer_may_be_late_where_the_machine_is():
    late = {'latency_p50': 10.0, 'latency_p99': 25.0, 'lost': 15.0}
    assert missed(**late) == dict.fromkeys(late, 'slow')
    assert missed(**late, transport_p50=1.0, transport_p99=7.0, late=5.0) == {}


@pytest.mark.parametrize(
    ('changes', 'sentence'),
    [
        ({}, 'PASSED: every bound holds'),
        ({'latency_p50': 2.2}, 'this machine'),
        ({'latency_p50': 2.2, 'drift': math.inf}, 'FAILED'),
    ],
)
def test_passes_only_if_every_bound_on_the_torques_holds(changes, sentence):
    judged = verdict(**changes)
    assert sentence in judged.sentence()
    assert judged.passed is ('FAILED' not in judged.sentence())
    assert [one.key for one in judged.slow] == (['latency_p50'] if changes else [])


def test_a_row_has_one_unit_and_a_ratio_looks_like_one():
    lines = [line.split() for line in verdict(drift=0.002).text().splitlines()]
    assert ['elbow', '20.000', '10.000', '1.000', 'mrad', 'x', '0.050'] in lines
    assert ['rail', '0.000', '0.000', '0.000', 'mm', 'x', 'nan'] in lines
    ends = [line[-7:] for line in lines]
    assert ['0.002', '<=', '0.001', 'rad', 'or', 'm', 'FAIL'] in ends
    assert ['x', '0.11', '<=', 'x', '0.2', 'pass'] in [line[-6:] for line in lines]
    assert ['0.1', 'ms'] in [line[-2:] for line in lines]
    assert lines[-1][:2] == ['demo:', 'FAIL:']


@pytest.mark.parametrize('drift', [0.0, math.nan, math.inf])
def test_json_is_one_line_that_every_parser_reads(drift):
    text = verdict(drift=drift).json()
    assert '\n' not in text

    def refuse(name):
        raise AssertionError(f'{name} is no JSON')

    data = json.loads(text, parse_constant=refuse)
    assert data['arm'] == 'ur5'
    assert data['passed'] is (drift == 0.0)
    assert data['figures']['command_rate']['at_least'] == 800.0
    assert data['figures']['drift']['at_most'] == 0.001
    assert data['rms_error']['elbow']['ratio'] == pytest.approx(0.05)
    assert data['rms_error']['rail'] == {
        'unit': 'm',
        'servo_only': 0.0,
        'with_gravity': 0.0,
        'with_feedforward': 0.0,
        'ratio': None,
    }
