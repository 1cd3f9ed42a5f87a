"""Findings about the data of an identification: each by its code, and good data by none."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from simulated_recordings import JOINTS, urdf

from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.identification import data_findings
from robot_dynamics_ros.identification.held_out import Residuals
from robot_dynamics_ros.identification.survey import Survey

MOVED = np.ones(6, bool)
# Of the last joint, whose limit is 60 N m.
LAST = np.arange(6) == 5


@pytest.fixture(scope='module')
def model():
    return parse_urdf(urdf())


def seen(**changes):
    """All joints move, and efforts meet their extremes in some samples."""
    few = np.full((2, 6), 3.0)
    span, efforts = (np.stack([np.full(6, -one), np.full(6, one)]) for one in (0.7, 20.0))
    return replace(Survey(10.0, 3000, 0.005, span, efforts, few, few, np.ones(6)), **changes)


def found(measured, nominal=np.nan):
    """Residuals with these RMS (n,)."""
    ones, no_blocks = np.ones(len(measured)), np.empty((2, 0, len(measured)))
    return Residuals(ones, ones, measured, nominal, nominal, measured, no_blocks, ones)


def codes(findings):
    return [(one.code, one.joints) for one in findings]


def test_good_data_have_no_findings(model):
    data_findings.check_motion(model, seen())
    assert not list(data_findings.still_findings(JOINTS, MOVED, MOVED))
    assert not list(data_findings.saturation_findings(model, seen()))


def test_what_shows_nothing_is_refused(model):
    with pytest.raises(ParameterError, match=r'no joint.* 0\.0014 rad.* 0\.01 '):
        data_findings.check_motion(model, seen(span=1e-3 * seen().span))
    for value in (0.0, np.nan, 4.0):
        with pytest.raises(ParameterError, match='zero or constant'):
            data_findings.check_motion(model, seen(range=np.full((2, 6), value)))


@pytest.mark.parametrize('count', [1, 4])
def test_joints_that_stand_still_or_rest_on_the_held_out_part_are_named(count):
    some = np.arange(6) < count
    assert codes(data_findings.still_findings(JOINTS, some, some)) == [('still', JOINTS[count:])]
    assert codes(data_findings.still_findings(JOINTS, MOVED, some)) == [('still', JOINTS[count:])]


@pytest.mark.parametrize('limit', [20.5, 100.0])
def test_a_saturated_effort_is_found_with_its_level(model, limit):
    joints = tuple(replace(j, limits=replace(j.limits, effort=limit)) for j in model.joints)
    longest, at_limit = seen().longest.copy(), seen().at_limit.copy()
    longest[1, 2], at_limit[1, 2] = 60, 200
    (finding,) = data_findings.saturation_findings(
        replace(model, joints=joints), seen(longest=longest, at_limit=at_limit)
    )
    assert (finding.code, finding.joints, finding.value) == ('saturated', (JOINTS[2],), 20.0)
    assert '0.3 s' in finding.message
    assert f'{limit:g}' in finding.message


def test_another_robot_leaves_most_of_the_effort():
    """The last joint carries hardly anything: it is not judged."""
    measured = found(np.array([10.0, 30.0, 20.0, 3.0, 2.0, 0.1]))
    for share, expected in ((0.05, []), (0.7, [('unexplained', JOINTS[:5])])):
        left = share * measured.measured
        assert codes(data_findings.robot_findings(JOINTS, measured, left, MOVED)) == expected


def test_a_limit_that_efforts_exceed_is_said(model):
    efforts = np.where(LAST, 137.0, 20.0)
    (one,) = data_findings.saturation_findings(model, seen(range=np.stack([-efforts, efforts])))
    assert (one.code, one.joints, one.value) == ('saturated', JOINTS[5:], 137.0)


@pytest.mark.parametrize(('share', 'count'), [(1.0, 1), (0.49, 0), (np.nan, 0)])
def test_a_repetition_of_half_of_the_motion_is_said(share, count):
    some = list(data_findings.repetition_findings(share))
    assert [(one.code, one.value) for one in some] == [('repeated_motion', share)] * count
