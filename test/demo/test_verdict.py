"""The table of bounds, and what is printed of it."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy')
pytest.importorskip('robot_dynamics_interfaces')

from robot_dynamics_ros.demo.measures import Measured
from robot_dynamics_ros.demo.verdict import FIGURES, Verdict

MODEL = SimpleNamespace(
    name='ur5', joint_names=('elbow', 'rail'), effort_units=('N m', 'N'), sliding=(False, True)
)
GOOD = {figure.key: 0.0 for figure in FIGURES} | {
    'fall': 1.0,
    'ratio': 0.11,
    'smallest_eigenvalue': 0.1,
}


def verdict(**changes):
    errors = np.array([[0.02, 0.0], [0.01, 0.0], [0.001, 0.0]])
    data = {'rms': errors, 'ratios': np.array([0.05, math.nan])}
    return Verdict(MODEL, {'tracking': Measured(GOOD | changes, data)})


def missed(**changes):
    judged = verdict(**changes)
    keys = {one.key for one in judged.figures if not one.passed}
    assert judged.passed is (not keys)
    return keys


def test_what_exceeds_its_bound_fails_and_rates_and_latencies_have_none():
    assert missed() == missed(latency_p99=1e3, lost=50.0, command_rate=1.0) == set()
    assert missed(drift=0.0011) == missed(drift=math.nan) == {'drift'}
    assert missed(fall=0.01) == {'fall'}
    assert missed(ratio=0.3, worst_ratio=0.5) == {'ratio', 'worst_ratio'}
    assert missed(push_error=3.0) == {'push_error'}
    # A collision that was not found.
    assert missed(collision_delay=math.nan) == {'collision_delay'}


def test_a_row_has_one_unit_and_a_ratio_looks_like_one():
    lines = [line.split() for line in verdict(drift=0.002).text().splitlines()]
    assert ['elbow', '20.000', '10.000', '1.000', 'mrad', 'x', '0.050'] in lines
    assert ['rail', '0.000', '0.000', '0.000', 'mm', 'x', 'nan'] in lines
    ends = [line[-7:] for line in lines]
    assert ['0.002', '<=', '0.001', 'rad', 'or', 'm', 'FAIL'] in ends
    assert ['x', '0.11', '<=', 'x', '0.2', 'pass'] in [line[-6:] for line in lines]
    assert ['0', 'ms'] in [line[-2:] for line in lines]


def test_json_has_the_same_figures_and_null_for_what_is_no_number():
    data = json.loads(verdict(drift=math.nan).json())
    assert (data['arm'], data['passed']) == ('ur5', False)
    drift = {'value': None, 'unit': 'rad or m', 'passed': False, 'at_most': 0.001}
    lost = {'value': 0.0, 'unit': '%', 'passed': True}
    assert (data['figures']['drift'], data['figures']['lost']) == (drift, lost)
    assert data['rms_error']['elbow']['ratio'] == pytest.approx(0.05)
    none = {'servo_only': 0.0, 'with_gravity': 0.0, 'with_feedforward': 0.0, 'ratio': None}
    assert data['rms_error']['rail'] == {'unit': 'm'} | none
