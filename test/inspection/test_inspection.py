"""Findings that need torques, and the agreement with Pinocchio."""

import sys

import pytest
from mechanics.robots import HAND_WRITTEN, POINT_ON_AXIS, hand_written

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.inspection import CODES, inspection, validate_robot

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
    ('written', 'other', 'code', 'fatal'),
    [
        ('<mass value="1.7"/>', '<mass value="1.70001"/>', 'disagreement', True),
        ('name="swing"', 'name="other"', 'not_compared', False),
        # What urdfdom drops without a word.
        ('iyz="0"', 'iyz="0&#10;"', 'other_reading', False),
    ],
)
def test_another_robot_disagrees(written, other, code, fatal):
    pytest.importorskip('pinocchio')
    found = validate_robot(PENDULUM.model, changed(written, other))
    assert (code in codes_of(found.failures(strict=False))) == fatal
    assert code in codes_of(found.failures(strict=True))


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
