"""Thresholds of recordings: what they are, how they are tested, and why they may be doubtful."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')
from pushed_recording import NOISE, URDF, Pushed, pushed_states, recording_of

from robot_dynamics_ros.contacts import (
    WatchedRobot,
    WatchSettings,
    mark_recording,
    survey_recording,
    surveyed,
)
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.joint_model import JointModel

MODEL = parse_urdf(URDF)
STATES = pushed_states(seed=5)


def nothing(done):
    """Progress that nobody looks at."""


def survey(states, name='bag', **settings):
    robot = WatchedRobot(MODEL, WatchSettings(**settings))
    return survey_recording(recording_of(states), robot, name, nothing)


def doubts(states):
    """Texts by their words."""
    return dict(each.split(': ', 1) for each in surveyed([survey(states)], 1.0).doubts)


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
    assert both.thresholds.seconds == pytest.approx(60.0, abs=0.5)
    assert both.residuals.samples == free.residuals.samples + other.residuals.samples
    assert (both.exceeded, both.doubts) == ((), [])
    assert (both.thresholds.coefficients >= free.least).all()
    for one in (free, other):
        assert (one.peaks.sizes <= both.thresholds.limits(one.peaks.motions)).all()


@pytest.mark.parametrize('begin', [8.0, 20.0])
def test_a_touch_in_one_half_is_exceeded_by_the_thresholds_of_the_other(begin):
    touched = survey(pushed_states((Pushed(2, begin, begin + 0.5, 10.0),), seed=5))
    found = surveyed([touched], 1.0)
    ((name, time),) = found.exceeded
    assert name == 'bag'
    assert time == pytest.approx(begin, abs=0.1)
    large, doubt = found.doubts
    assert large.startswith('large: bag: ')
    assert doubt.startswith('exceeded: ')
    assert f'bag at {begin:.1f} s' in doubt


def test_thresholds_above_the_effort_limit_are_a_doubt():
    """Learned from firm pushes on the wrist, whose limit is 20 N m."""
    pushes = tuple(Pushed(2, begin, begin + 2.0, 15.0) for begin in (3.0, 9.0, 17.0, 24.0))
    states = pushed_states(pushes, seed=5)
    found = surveyed([survey(states)], 1.0)
    assert found.mean_limits[1, 2] > MODEL.effort_limits[2] == 20.0
    (doubt,) = (each for each in found.doubts if each.startswith('high: '))
    assert f'push wrist {found.mean_limits[1, 2]:.3g} N m' in doubt
    assert 'turn' not in doubt
    # Without other thresholds, a recording with contacts hides them, and says so.
    robot = WatchedRobot(MODEL, WatchSettings())
    marked = mark_recording(recording_of(states), robot, 'bag', nothing)
    assert any('above the effort limits' in remark for remark in marked.remarks)


def test_a_joint_that_stands_still_is_a_doubt():
    q, v = STATES.positions.copy(), STATES.velocities.copy()
    q[:, 1], v[:, 1] = 0.1, 0.0
    found = surveyed([survey(replace(STATES, positions=q, velocities=v))], 1.0)
    assert found.still == ('slide',)
    assert any(doubt.startswith('still: slide') for doubt in found.doubts)
    assert found.thresholds.coefficients[1, 1, 1] == 0.0


def test_a_short_recording_is_not_tested_by_its_halves():
    found = surveyed([survey(pushed_states(seconds=15.0, seed=5))], 1.0)
    assert found.exceeded is None
    assert [doubt.split(':')[0] for doubt in found.doubts] == ['short']


def test_efforts_that_are_no_torques_of_these_joints_are_a_doubt():
    gravity = RobotDynamics(MODEL).gravity_torque(STATES.positions)
    for efforts in (STATES.efforts - gravity, 3.0 * STATES.efforts):
        assert doubts(replace(STATES, efforts=efforts))['efforts'].startswith('bag: ')
    # Most of the gravity, in the lift, fits.
    exchanged = doubts(replace(STATES, efforts=STATES.efforts[:, [2, 1, 0]]))
    assert 'efforts' not in exchanged
    assert 'large' in exchanged
    degrees = {name: np.degrees(getattr(STATES, name)) for name in ('positions', 'velocities')}
    assert 'efforts' in doubts(replace(STATES, **degrees))


def test_recordings_of_other_joints_or_rates_are_refused(free):
    less = survey(replace(STATES, efforts=STATES.efforts * [1.0, 1.0, 0.0]), 'less')
    with pytest.raises(RecordingError, match=r'turn, slide, bag.*turn'):
        surveyed([free, less])
    slow = survey(STATES.part(slice(None, None, 8)), 'slow')
    assert slow.bandwidth == pytest.approx([5.0] * 3)
    with pytest.raises(RecordingError, match=r'slow.*bag'):
        surveyed([free, slow])
