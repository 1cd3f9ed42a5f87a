"""Findings that need torques, and the agreement with Pinocchio."""

import json
import sys

import numpy as np
import pytest
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.quantity import EvaluatedDynamics
from robot_dynamics_ros.inspection import CODES, inspect_robot, inspection, validate_robot
from robot_dynamics_ros.inspection.picture import draw

STILL = '<robot name="still"><link name="base"/></robot>'
PENDULUM = hand_written('pendulum')
HARMLESS = {'friction_left_out'}


def changed(written, other):
    assert written in PENDULUM.text
    return PENDULUM.text.replace(written, other)


def codes_of(findings):
    return {finding.code for finding in findings}


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_good_robots_agree_and_findings_are_complete(robot):
    pytest.importorskip('pinocchio')
    found = validate_robot(robot.model, robot.text)
    assert found.report.agrees
    assert {c.quantity for c in found.report.comparisons} >= {'mass_matrix', 'coriolis_matrix'}
    for finding in found.findings:
        assert finding.code in CODES
        assert all((finding.problem, finding.value, finding.advice))
        assert set(finding.joints) <= {joint.name for joint in robot.model.joints}


@pytest.mark.parametrize(
    ('written', 'other', 'code', 'strict'),
    [
        ('<mass value="1.7"/>', '<mass value="1.70001"/>', 'disagreement', False),
        ('<origin xyz="0 0 -0.4"/>', '<origin xyz="0 0 0.4"/>', 'disagreement', False),
        ('iyy="0.2"', 'iyy="0.21"', 'disagreement', False),
        ('<axis xyz="0 1 0"/>', '<axis xyz="1 0 0"/>', 'disagreement', False),
        ('name="swing"', 'name="other"', 'not_compared', True),
    ],
)
def test_another_robot_disagrees(written, other, code, strict):
    pytest.importorskip('pinocchio')
    found = validate_robot(PENDULUM.model, changed(written, other))
    assert (code in codes_of(found.failures(strict=False))) == (not strict)
    assert code in codes_of(found.failures(strict=True))


def test_without_pinocchio_nothing_is_compared(monkeypatch):
    monkeypatch.setitem(sys.modules, 'pinocchio', None)
    monkeypatch.setattr(inspection, 'pinocchio_is_installed', lambda: False)
    found = validate_robot(PENDULUM.model, PENDULUM.text)
    assert (found.report, codes_of(found.findings)) == (None, HARMLESS)
    assert not validate_robot(PENDULUM.model, PENDULUM.text, HARMLESS).findings


def test_negative_kinetic_energy_is_an_error():
    text = changed('iyy="0.2"', 'iyy="-0.4"')
    model = parse_urdf(text)
    assert EvaluatedDynamics(model).mass_matrix([0.0])[0, 0] < 0.0
    failures = codes_of(validate_robot(model, text).failures(strict=False))
    assert {'indefinite_mass_matrix', 'inertia_not_positive'} <= failures


def test_a_robot_that_does_not_move():
    found = validate_robot(parse_urdf(STILL), STILL)
    assert codes_of(found.findings) == {'no_moving_joint'}
    assert found.report is None
    assert not found.failures(strict=False)


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize(
    ('written', 'other'),
    [
        ('<mass value="1.7"/>', '<mass value="1e100"/>'),
        ('<mass value="1.7"/>', '<mass value="1e-300"/>'),
        ('<origin xyz="0 0 -0.4"/>', '<origin xyz="0 1e100 -1e100"/>'),
        ('iyy="0.2"', 'iyy="-1e100"'),
        ('effort="20"', 'effort="1e308"'),
        ('<origin xyz="0.1 0.2 1.0"/>', '<origin xyz="1e100 -1e100 1e100"/>'),
    ],
)
def test_extreme_numbers(written, other, tmp_path):
    """The largest that a URDF may have: findings or not, but no error and no warning."""
    text = changed(written, other)
    model = parse_urdf(text)
    assert codes_of(validate_robot(model, text).findings) <= set(CODES)
    found = inspect_robot(model, 'rod')
    json.dumps(found.as_json(), default=list)
    pytest.importorskip('matplotlib')
    draw(found, text, None, tmp_path / 'picture.png')


def test_masses():
    model = hand_written('fixed_links').model
    found = inspect_robot(model)
    masses = np.array([link.inertia.mass for link in model.links])
    moving = [frame.body >= 0 for frame in model.frames]
    assert found.mass == pytest.approx(masses.sum())
    assert found.moving_mass == pytest.approx(masses[moving].sum())
