"""Findings that need torques, and the agreement with Pinocchio."""

import sys

import pytest
from mechanics.robots import HAND_WRITTEN, POINT_ON_AXIS, hand_written

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.inspection import CODES, inspection, validate_robot

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
    assert 'indefinite_mass_matrix' not in codes_of(found.findings)
    assert {c.quantity for c in found.report.comparisons} >= {'mass_matrix', 'coriolis_matrix'}
    for finding in found.findings:
        assert finding.code in CODES
        assert all((finding.problem, finding.value, finding.advice))
        assert set(finding.joints) <= {joint.name for joint in robot.model.joints}


@pytest.mark.parametrize(
    ('written', 'other', 'code', 'strict'),
    [
        ('<mass value="1.7"/>', '<mass value="1.70001"/>', 'disagreement', False),
        ('name="swing"', 'name="other"', 'not_compared', True),
    ],
)
def test_another_robot_disagrees(written, other, code, strict):
    pytest.importorskip('pinocchio')
    found = validate_robot(PENDULUM.model, changed(written, other))
    assert (code in codes_of(found.failures(strict=False))) == (not strict)
    assert code in codes_of(found.failures(strict=True))


def test_what_urdfdom_drops_without_a_word_is_quoted():
    pytest.importorskip('pinocchio')
    text = changed('iyz="0"', 'iyz="0&#10;"')
    found = validate_robot(parse_urdf(text), text)
    (finding,) = [one for one in found.findings if one.code == 'other_reading']
    assert all(word in finding.value for word in ('iyz', 'rod'))
    assert found.report.agrees


def test_without_pinocchio_nothing_is_compared(monkeypatch):
    monkeypatch.setitem(sys.modules, 'pinocchio', None)
    monkeypatch.setattr(inspection, 'pinocchio_is_installed', lambda: False)
    found = validate_robot(PENDULUM.model, PENDULUM.text)
    assert (found.report, codes_of(found.findings)) == (None, HARMLESS)
    assert not validate_robot(PENDULUM.model, PENDULUM.text, HARMLESS).findings


# Only the moment about its axis counts for a body on one joint; of a point mass on the axis of its
# joint, what rounding leaves may be negative.
@pytest.mark.parametrize(
    ('text', 'indefinite'),
    [
        (changed('iyy="0.2"', 'iyy="-0.4"'), True),
        (changed('ixx="0.21"', 'ixx="-0.21"'), False),
        (POINT_ON_AXIS, False),
    ],
)
def test_negative_kinetic_energy_is_an_error(text, indefinite):
    failures = codes_of(validate_robot(parse_urdf(text), text).failures(strict=False))
    assert ('indefinite_mass_matrix' in failures) == indefinite


def test_a_robot_that_does_not_move():
    found = validate_robot(parse_urdf(STILL), STILL)
    assert codes_of(found.findings) == {'no_moving_joint'}
    assert found.report is None
    assert not found.failures(strict=False)
