import json
import math

import pytest

from robot_dynamics_ros.demo.verdict import Figure, JointRow, Verdict

JOINT = JointRow('elbow', 'rad', 0.02, 0.01, 0.001)


def verdict(drift=0.0, latency=1.0):
    figures = [
        Figure('drift', 'held: drift', drift, 'rad', at_most=0.001),
        Figure('rate', 'commands: rate', 1000.0, 'Hz', at_least=800.0),
        Figure('latency', 'median', latency, 'ms', at_most=2.0, load=True),
        Figure('ratio', 'with / without', 0.31, 'x', at_most=0.4),
        Figure('cpu', 'processor time', 30.0, '%'),
    ]
    return Verdict('ur5', figures, [JOINT])


@pytest.mark.parametrize(
    ('drift', 'latency', 'marks', 'passed'),
    [
        (0.001, 1.0, ['pass', 'pass'], True),
        (0.0011, 1.0, ['FAIL', 'pass'], False),
        (math.nan, 1.0, ['FAIL', 'pass'], False),
        (math.inf, 2.2, ['FAIL', 'slow'], False),
        # The load of the machine does not fail the torques; a latency that was not measured does.
        (0.0, 2.2, ['pass', 'slow'], True),
        (0.0, math.nan, ['pass', 'FAIL'], False),
    ],
)
def test_passes_only_if_every_bound_on_the_torques_holds(drift, latency, marks, passed):
    judged = verdict(drift, latency)
    assert [judged.figures[i].mark for i in (0, 2)] == marks
    assert judged.passed is passed
    assert judged.sentence().startswith('PASSED' if passed else 'FAILED')
    assert [one.key for one in judged.slow] == (['latency'] if 'slow' in marks else [])
    assert ('this machine' in judged.sentence()) is (passed and 'slow' in marks)


def test_a_row_has_one_unit_and_a_ratio_looks_like_one():
    lines = [line.split() for line in verdict(0.002).text().splitlines()]
    assert ['elbow', '20.000', '10.000', '1.000', 'mrad', 'x', '0.050'] in lines
    assert ['held:', 'drift', '0.002', '<=', '0.001', 'rad', 'FAIL'] in lines
    assert ['with', '/', 'without', 'x', '0.31', '<=', 'x', '0.4', 'pass'] in lines
    assert ['processor', 'time', '30', '%'] in lines
    assert lines[-1][:2] == ['demo:', 'FAIL:']


@pytest.mark.parametrize('drift', [0.0, math.nan, math.inf])
def test_json_is_one_line_that_every_parser_reads(drift):
    text = verdict(drift).json()
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
