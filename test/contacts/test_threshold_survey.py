"""Thresholds of recordings: what they are, how they are tested, and why they may be doubtful."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')
from pushed_recording import NOISE, URDF, Pushed, pushed_states, recording_of

from robot_dynamics_ros.contacts import WatchedRobot, WatchSettings, survey_recording, surveyed
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.joint_model import JointModel

MODEL = parse_urdf(URDF)
STATES = pushed_states(seed=5)


def survey(states, name='bag', **settings):
    robot = WatchedRobot(MODEL, WatchSettings(**settings))
    return survey_recording(recording_of(states), robot, name, lambda done: None)


def doubts(found):
    """Texts by their words."""
    return dict(each.split(': ', 1) for each in found.doubts)


@pytest.fixture(scope='module')
def free():
    return survey(STATES)


def test_the_residual_of_an_exact_model_is_the_noise_that_the_observer_passes(free):
    # A first-order low pass of f passes white noise of a rate with the variance pi f / rate.
    expected = NOISE * np.sqrt(np.pi * 20.0 / 200.0)
    np.testing.assert_allclose(free.residuals.rms, expected, rtol=0.15)
    assert (abs(free.residuals.bias) < 0.1 * NOISE).all()


def test_friction_offset_and_rotors_of_the_settings_are_taken_off():
    states = pushed_states(seed=5, error=4.0)
    plain = survey(states).residuals.rms
    more = JointModel(coulomb=(('turn', 4.0), ('slide', 4.0), ('wrist', 4.7)))
    assert (survey(states, joint_model=more).residuals.rms < 0.2 * plain).all()
    shifted = replace(STATES, efforts=STATES.efforts + np.array([2.0, -3.0, 1.0]))
    offset = JointModel(torque_offset=(('turn', 2.0), ('slide', -3.0), ('wrist', 1.0)))
    found = survey(shifted, joint_model=offset).residuals
    assert (abs(found.bias) < 0.1 * NOISE).all()
    rotor = JointModel(armature=(('wrist', 1.0),))
    assert (survey(STATES, joint_model=rotor).residuals.rms[2] > 5.0 * found.rms[2]).all()


def test_thresholds_of_two_recordings_are_above_what_was_recorded_without_a_doubt(free):
    other = survey(pushed_states(seed=6), 'other')
    both = surveyed([free, other], 1.0)
    assert both.thresholds.seconds == pytest.approx(59.0, abs=0.5)
    for part in ('samples', 'sums', 'squares'):
        parts = sum(getattr(one.residuals, part) for one in (free, other))
        np.testing.assert_allclose(getattr(both.residuals, part), parts)
    assert (both.exceeded, both.doubts) == ((), [])
    assert (both.thresholds.coefficients >= free.least).all()
    for one in (free, other):
        assert (one.peaks.sizes <= both.thresholds.limits(one.peaks.motions)).all()


@pytest.mark.parametrize('begin', [8.0, 20.0])
def test_a_touch_in_one_half_is_exceeded_by_the_thresholds_of_the_other(begin):
    touched = survey(pushed_states((Pushed(2, begin, begin + 0.5, 10.0),), seed=5))
    found = surveyed([touched], 1.0)
    ((name, time),) = found.exceeded
    assert (name, time) == ('bag', pytest.approx(begin, abs=0.03))
    assert set(doubts(found)) == {'large', 'exceeded'}


def test_a_joint_that_stands_still_and_a_short_recording_are_doubts():
    states = pushed_states(seconds=15.0, seed=5)
    q, v = states.positions.copy(), states.velocities.copy()
    q[:, 1], v[:, 1] = 0.1, 0.0
    found = surveyed([survey(replace(states, positions=q, velocities=v))], 1.0)
    assert found.still == ('slide',)
    assert found.exceeded is None
    assert {'still', 'short'} <= set(doubts(found))
    assert found.thresholds.coefficients[1, 1, 1] == 0.0


def test_recordings_of_other_joints_or_rates_are_refused(free):
    less = survey(replace(STATES, efforts=STATES.efforts * [1.0, 1.0, 0.0]), 'less')
    slow = survey(STATES.part(slice(None, None, 8)), 'slow')
    assert slow.bandwidth == pytest.approx([5.0] * 3)
    for other in (less, slow):
        with pytest.raises(RecordingError, match=rf'{other.name}.*bag'):
            surveyed([free, other])
