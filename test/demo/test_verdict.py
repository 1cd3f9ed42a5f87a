import json
import math

import pytest

from robot_dynamics_ros.demo.verdict import Figure, JointRow, Verdict

JOINT = JointRow('elbow', 'rad', 0.02, 0.01, 0.001)


def verdict(*values):
    figures = [
        Figure('drift', 'held: drift', values[0], 'rad', at_most=0.001),
        Figure('rate', 'commands: rate', values[1], 'Hz', at_least=800.0),
        Figure('cpu', 'processor time', 30.0, '%'),
    ]
    return Verdict('ur5', figures, [JOINT])


@pytest.mark.parametrize(
    ('drift', 'rate', 'passed'),
    [
        (0.0, 1000.0, True),
        (0.001, 800.0, True),
        (0.0011, 1000.0, False),
        (0.0, 799.0, False),
        (math.nan, 1000.0, False),
        (0.0, math.nan, False),
        (math.inf, 1000.0, False),
    ],
)
def test_passes_only_if_every_bound_holds(drift, rate, passed):
    assert verdict(drift, rate).passed is passed
    assert bool(list(verdict(drift, rate).failures())) is not passed


def test_table_shows_value_bound_and_verdict():
    lines = verdict(0.0001, 700.0).table().splitlines()
    assert lines[2].split() == ['held:', 'drift', '0.0001', 'rad', '<=', '0.001', 'pass']
    assert lines[3].split() == ['commands:', 'rate', '700', 'Hz', '>=', '800', 'FAIL']
    assert lines[4].split() == ['processor', 'time', '30', '%']


def test_joint_table_shows_errors_and_ratio():
    line = verdict(0.0, 1000.0).joint_table().splitlines()[1]
    assert line.split() == ['elbow', '0.020000', '0.010000', '0.001000', '0.050', 'rad']


@pytest.mark.parametrize('drift', [0.0, math.nan, math.inf])
def test_json_is_one_line_that_every_parser_reads(drift):
    text = verdict(drift, 1000.0).json()
    assert '\n' not in text

    def refuse(name):
        raise AssertionError(f'{name} is no JSON')

    data = json.loads(text, parse_constant=refuse)
    assert data['arm'] == 'ur5'
    assert data['passed'] is (drift == 0.0)
    assert data['figures']['rate']['at_least'] == 800.0
    assert data['rms_error']['elbow']['ratio'] == pytest.approx(0.05)


def test_a_joint_that_never_errs_has_no_ratio():
    assert math.isnan(JointRow('a', 'rad', 0.0, 0.0, 0.0).ratio)


@pytest.mark.parametrize(
    ('latency', 'mark', 'passed'),
    [(1.0, 'pass', True), (2.2, 'slow', True), (math.nan, 'FAIL', False)],
)
def test_the_load_of_the_machine_does_not_fail_the_torques(latency, mark, passed):
    """A latency that was not measured does: then no command came."""
    figures = [
        Figure('drift', 'held: drift', 0.0, 'rad', at_most=0.001),
        Figure('latency', 'median', latency, 'ms', at_most=2.0, load=True),
    ]
    judged = Verdict('ur5', figures, [JOINT])
    assert judged.passed is passed
    assert judged.table().splitlines()[-1].split()[-1] == mark
    assert [figure.key for figure in judged.slow()] == (['latency'] if mark == 'slow' else [])
    assert ('this machine' in judged.sentence()) is (mark == 'slow')


def test_a_broken_law_fails_on_a_slow_machine_too():
    figures = [
        Figure('drift', 'held: drift', 0.002, 'rad', at_most=0.001),
        Figure('latency', 'median', 2.2, 'ms', at_most=2.0, load=True),
    ]
    judged = Verdict('ur5', figures, [JOINT])
    assert not judged.passed
    assert judged.sentence() == 'FAILED'
    assert [figure.key for figure in judged.failures()] == ['drift']
