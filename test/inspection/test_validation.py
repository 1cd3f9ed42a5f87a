"""Findings that need torques, and the agreement with Pinocchio."""

import json
import sys

import pytest
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.quantity import EvaluatedDynamics
from robot_dynamics_ros.inspection import CODES, inspect_robot, validate_robot, validation
from robot_dynamics_ros.inspection.picture import draw
from robot_dynamics_ros.inspection.validation import agreement

STILL = '<robot name="still"><link name="base"/></robot>'


def codes_of(validation):
    return {finding.code for finding in validation.findings}


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_good_robots_agree(robot):
    pytest.importorskip('pinocchio')
    report = validate_robot(robot.model, robot.text).report
    assert report.agrees
    assert {c.quantity for c in report.comparisons} >= {'mass_matrix', 'coriolis_matrix'}


@pytest.mark.parametrize(
    ('written', 'other'),
    [
        ('<mass value="1.7"/>', '<mass value="1.70001"/>'),
        ('<origin xyz="0 0 -0.4"/>', '<origin xyz="0 0 0.4"/>'),
        ('iyy="0.2"', 'iyy="0.21"'),
        ('<axis xyz="0 1 0"/>', '<axis xyz="1 0 0"/>'),
    ],
)
def test_another_robot_disagrees(written, other):
    pytest.importorskip('pinocchio')
    robot = hand_written('pendulum')
    assert written in robot.text
    found = validate_robot(robot.model, robot.text.replace(written, other))
    assert not found.report.agrees
    assert 'disagreement' in {f.code for f in found.failures(strict=False)}


def test_what_pinocchio_refuses_is_a_warning():
    pytest.importorskip('pinocchio')
    robot = hand_written('pendulum')
    text = robot.text.replace('name="swing"', 'name="other"')
    found = validate_robot(robot.model, text)
    assert 'not_compared' not in {f.code for f in found.failures(strict=False)}
    assert 'not_compared' in {f.code for f in found.failures(strict=True)}
    (finding,) = [f for f in found.findings if f.code == 'not_compared']
    assert 'other' in finding.value


def test_without_pinocchio_nothing_is_compared(monkeypatch):
    monkeypatch.setitem(sys.modules, 'pinocchio', None)
    monkeypatch.setattr(validation, 'pinocchio_is_installed', lambda: False)
    robot = hand_written('pendulum')
    assert agreement(robot.model, robot.text) == (None, ())


def test_negative_kinetic_energy_is_an_error():
    """The second joint, about z, sees Izz alone."""
    text = hand_written('pendulum').text.replace('iyy="0.2"', 'iyy="-0.4"')
    model = parse_urdf(text)
    assert EvaluatedDynamics(model).mass_matrix([0.0])[0, 0] < 0.0
    found = validate_robot(model, text)
    failures = found.failures(strict=False)
    assert {'indefinite_mass_matrix', 'inertia_not_positive'} <= {f.code for f in failures}


def test_a_robot_that_does_not_move():
    found = validate_robot(parse_urdf(STILL), STILL)
    assert codes_of(found) == {'no_moving_joint'}
    assert found.report is None
    assert not found.failures(strict=False)


def test_ignored_codes_are_left_out():
    robot = hand_written('pendulum')
    assert codes_of(validate_robot(robot.model, robot.text)) == {'friction_left_out'}
    assert not codes_of(validate_robot(robot.model, robot.text, ['friction_left_out']))


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_findings_are_complete(robot):
    for finding in validate_robot(robot.model, robot.text).findings:
        assert finding.code in CODES
        assert all((finding.problem, finding.value, finding.advice))
        assert set(finding.joints) <= {joint.name for joint in robot.model.joints}


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize(
    ('written', 'other'),
    [
        ('<mass value="1.7"/>', '<mass value="1e100"/>'),
        ('<mass value="1.7"/>', '<mass value="1e-300"/>'),
        ('<origin xyz="0 0 -0.4"/>', '<origin xyz="0 1e100 -1e100"/>'),
        ('iyy="0.2"', 'iyy="1e100"'),
        ('iyy="0.2"', 'iyy="-1e100"'),
        ('effort="20"', 'effort="1e308"'),
        ('<origin xyz="0.1 0.2 1.0"/>', '<origin xyz="1e100 -1e100 1e100"/>'),
    ],
)
def test_extreme_numbers(written, other, tmp_path):
    """The largest that a description may have: findings or not, but no error and no warning."""
    text = hand_written('pendulum').text
    assert written in text
    text = text.replace(written, other)
    model = parse_urdf(text)
    for finding in validate_robot(model, text).findings:
        assert finding.code in CODES
    inspection = inspect_robot(model, 'rod')
    json.dumps(inspection.as_json(), default=list)
    pytest.importorskip('matplotlib')
    draw(inspection, text, None, tmp_path / 'picture.png')
