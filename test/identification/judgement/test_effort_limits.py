"""Efforts beyond the limit of a joint are no torques of its drive, or the limit is wrong."""

from dataclasses import replace

import numpy as np
import pytest
from simulated_recordings import JOINTS, urdf

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification import ParameterLayout
from robot_dynamics_ros.identification.judgement.bad_data import saturation_levels
from robot_dynamics_ros.identification.judgement.effort_limits import large_efforts, limit_findings
from robot_dynamics_ros.identification.judgement.survey import Survey
from robot_dynamics_ros.identification.judgement.survey import survey as survey_of
from robot_dynamics_ros.identification.regression.equation_options import EquationOptions
from robot_dynamics_ros.identification.regression.unusable_samples import UnusableSamples
from robot_dynamics_ros.recordings import JointSamples, Motion

MOVED = np.ones(6, bool)
BANDS = np.full(6, 0.02)
# Of the last joint, whose limit is 60 N m.
LAST = np.arange(6) == 5


@pytest.fixture(scope='module')
def model():
    return parse_urdf(urdf())


def seen(largest):
    """A survey of efforts up to this one at the last joint, and up to 20 N m at the others."""
    efforts = np.where(LAST, largest, 20.0)
    span = np.stack([np.full(6, -0.7), np.full(6, 0.7)])
    counts = np.full((2, 6), 3.0)
    return Survey(10.0, 3000, span, np.stack([-efforts, efforts]), counts, counts, np.ones(6))


def codes(model, measured, missed, judged=MOVED):
    rms = np.where(LAST, [[measured], [missed]], 10.0)
    return [(one.code, one.joints) for one in large_efforts(model, rms, 1.5 * rms[0], judged)]


def test_efforts_beyond_the_limit_that_the_description_does_not_explain_are_found(model):
    assert codes(model, 61.0, 61.0) == [('beyond_limit', JOINTS[5:])]
    assert codes(model, 59.0, 61.0) == []
    assert codes(model, np.nan, np.nan) == []
    assert codes(model, 61.0, 61.0, ~LAST) == []


def test_efforts_that_the_description_explains_are_torques_whatever_the_limit(model):
    assert codes(model, 61.0, 59.0) == []


def test_the_finding_names_the_effort_and_the_limit(model):
    rms = np.where(LAST, [[600.0], [590.0]], 10.0)
    (finding,) = large_efforts(model, rms, 1.5 * rms[0], MOVED)
    assert finding.value == pytest.approx(10.0)
    assert f'{JOINTS[5]} up to 900, RMS 600, limit 60 N m' in finding.message
    assert '--gain' in finding.message


@pytest.mark.parametrize(('largest', 'beyond'), [(62.0, False), (137.0, True)])
def test_a_limit_that_efforts_exceed_is_said_and_saturates_nothing(model, largest, beyond):
    survey = seen(largest)
    said = list(limit_findings(model, survey))
    assert [(one.code, one.joints) for one in said] == [('effort_limit', JOINTS[5:])] * beyond
    if beyond:
        assert '137 N m, beyond' in said[0].message
    levels = saturation_levels(model, survey, 0.005)
    options = EquationOptions(effort_levels=dict(levels))
    ones = np.ones((1, 6))
    efforts = np.where(LAST, 60.0, 1.0)[None]
    at_limit = Motion(JOINTS, np.zeros(1), ones, ones, ones, efforts, cutoff=20.0, rate=200.0)
    flags = UnusableSamples(ParameterLayout(model), options).flags(at_limit, np.zeros((1, 0)))
    assert flags[0, 6:12].tolist() == (LAST & (not beyond)).tolist()


def test_efforts_at_their_limit_with_a_glitch_are_saturated_as_without(model):
    """One sample beyond the limit shows no other limit."""
    times = np.arange(0.0, 20.0, 0.005)
    positions = np.repeat(np.sin(times)[:, None], 6, axis=1)
    torques = np.where(LAST, 90.0, 20.0) * np.sin(1.3 * times)[:, None]
    efforts = np.where(LAST, np.clip(torques, -60.0, 60.0), torques)
    efforts[1234, 5] = 72.0
    survey = survey_of([JointSamples(JOINTS, times, positions, positions, efforts)], BANDS)
    assert saturation_levels(model, survey, 0.005) == {JOINTS[5]: (-60.0, 60.0)}
    assert not list(limit_findings(model, survey))


def test_a_recording_without_efforts_has_none_beyond_a_limit(model):
    empty = replace(seen(1.0), range=np.stack([np.full(6, np.inf), np.full(6, -np.inf)]))
    assert not list(limit_findings(model, empty))
