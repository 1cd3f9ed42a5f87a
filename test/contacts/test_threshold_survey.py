"""Thresholds of recordings: what they are, how they are tested, and why they may be doubtful."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')
from pushed_recording import NOISE, URDF, Pushed, pushed_states, recording_of

from robot_dynamics_ros.contacts import (
    Learning,
    WatchedRobot,
    WatchSettings,
    mark_recording,
    survey_recording,
    surveyed,
    threshold_doubts,
)
from robot_dynamics_ros.contacts.threshold_floor import threshold_floor
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.errors import RecordingError, StateError
from robot_dynamics_ros.joint_model import JointModel

LEARNING = Learning(false_alarms_per_hour=1.0)


def nothing(done):
    """Progress that nobody looks at."""


def survey(states, name='bag', **settings):
    robot = WatchedRobot(parse_urdf(URDF), WatchSettings(**settings))
    return survey_recording(recording_of(states), robot, name, nothing)


@pytest.fixture(scope='module')
def free():
    return survey(pushed_states(seed=5))


def test_the_residual_of_an_exact_model_is_the_noise_that_the_observer_passes(free):
    # A first-order low pass of f passes white noise of a rate with the variance pi f / rate.
    expected = NOISE * np.sqrt(np.pi * 20.0 / 200.0)
    np.testing.assert_allclose(free.residuals.rms, expected, rtol=0.15)
    assert (abs(free.residuals.bias) < 0.1 * NOISE).all()


def test_friction_in_the_settings_is_taken_off():
    states = pushed_states(seed=5, error=4.0)
    plain = survey(states).residuals.rms
    more = JointModel(coulomb=(('turn', 4.0), ('slide', 4.0), ('wrist', 4.7)))
    known = survey(states, joint_model=more).residuals.rms
    assert (known < 0.2 * plain).all()


def test_offset_and_armature_of_the_settings_are_taken_off():
    states = pushed_states(seed=5)
    shifted = replace(states, efforts=states.efforts + np.array([2.0, -3.0, 1.0]))
    offset = JointModel(torque_offset=(('turn', 2.0), ('slide', -3.0), ('wrist', 1.0)))
    found = survey(shifted, joint_model=offset).residuals
    assert (abs(found.bias) < 0.1 * NOISE).all()
    rotor = JointModel(armature=(('wrist', 1.0),))
    assert (survey(states, joint_model=rotor).residuals.rms[2] > 5.0 * found.rms[2]).all()


def test_two_recordings_are_joined(free):
    other = survey(pushed_states(seed=6), 'other')
    both = surveyed([free, other], LEARNING)
    assert both.thresholds.seconds == pytest.approx(60.0, abs=0.5)
    assert both.residuals.samples == free.residuals.samples + other.residuals.samples
    assert both.exceeded == ()
    assert threshold_doubts(both) == []


def test_thresholds_are_above_what_was_recorded(free):
    found = surveyed([free], LEARNING)
    limits = found.thresholds.limits(free.peaks.motions)
    assert (free.peaks.sizes <= limits).all()
    assert (found.mean_limits > free.peaks.sizes.mean(axis=0)).all()


def test_they_are_at_least_the_floor_of_each_joint():
    """Without friction in the model, and of an arm that rests, that is the floor."""
    model = parse_urdf(URDF)
    states = pushed_states(seconds=15.0, seed=5)
    efforts = states.efforts.copy()
    efforts[:] = RobotDynamics(model).gravity_torque(states.positions[:1])
    rest = replace(
        states,
        positions=np.repeat(states.positions[:1], len(efforts), axis=0),
        velocities=np.zeros_like(efforts),
        efforts=efforts + 1e-6 * np.sin(np.arange(len(efforts)))[:, None],
    )
    found = surveyed([survey(rest)], LEARNING)
    floor = threshold_floor(model.effort_limits)
    assert (found.thresholds.coefficients[:, 0] >= floor).all()
    np.testing.assert_allclose(found.recordings[0].floor, floor)


def test_a_touch_in_one_half_is_exceeded_by_the_thresholds_of_the_other():
    touched = survey(pushed_states((Pushed(2, 20.0, 20.5, 10.0),), seed=5))
    found = surveyed([touched], LEARNING)
    ((name, time),) = found.exceeded
    assert name == 'bag'
    assert time == pytest.approx(20.0, abs=0.1)
    large, doubt = threshold_doubts(found)
    assert large.startswith('large: bag: ')
    assert doubt.startswith('exceeded: ')
    assert 'bag at 20.0 s' in doubt


def test_thresholds_above_the_effort_limit_are_a_doubt():
    """Learned from firm pushes on the wrist, whose limit is 20 N m."""
    pushes = tuple(Pushed(2, begin, begin + 2.0, 15.0) for begin in (3.0, 9.0, 17.0, 24.0))
    robot = WatchedRobot(parse_urdf(URDF), WatchSettings())
    states = pushed_states(pushes, seed=5)
    found = surveyed([survey(states)], LEARNING)
    limits = robot.model.effort_limits
    assert found.mean_limits[1, 2] > limits[2] == 20.0
    words = 'contacts hardly exceed'
    (doubt,) = (each for each in threshold_doubts(found) if each.startswith('high: '))
    assert f'push {found.mean_limits[1, 2]:.3g} N m of wrist (limit' in doubt
    assert 'turn' not in doubt
    assert 'record without contact' in doubt
    # Without other thresholds, a recording with contacts hides them, and says so.
    marked = mark_recording(recording_of(states), robot, 'bag', LEARNING, nothing)
    (remark,) = (each for each in marked.remarks if words in each)
    assert 'wrist (limit 20 N m)' in remark
    assert 'recording without contact' in remark


def test_a_joint_that_stands_still_is_a_doubt():
    states = pushed_states(seed=5)
    q, v = states.positions.copy(), states.velocities.copy()
    q[:, 1], v[:, 1] = 0.1, 0.0
    found = surveyed([survey(replace(states, positions=q, velocities=v))], LEARNING)
    assert found.still == ('slide',)
    assert any(doubt.startswith('still: slide') for doubt in threshold_doubts(found))
    assert found.thresholds.coefficients[1, 1, 1] == 0.0


def test_a_short_recording_is_not_tested_by_its_halves():
    found = surveyed([survey(pushed_states(seconds=15.0, seed=5))], LEARNING)
    assert found.exceeded is None
    assert [doubt.split(':')[0] for doubt in threshold_doubts(found)] == ['short']
    with pytest.raises(StateError, match='thresholds need 10 s'):
        surveyed([survey(pushed_states(seconds=8.0, seed=5))], LEARNING)


def test_efforts_that_are_no_torques_are_a_doubt():
    states = pushed_states(seed=5)
    gravity = RobotDynamics(parse_urdf(URDF)).gravity_torque(states.positions)
    lacking = survey(replace(states, efforts=states.efforts - gravity))
    assert 'contain no gravity' in lacking.doubt
    assert any('measured efforts contain' in each for each in lacking.remarks)
    doubts = threshold_doubts(surveyed([lacking], LEARNING))
    assert doubts[0].startswith('efforts: those of bag')
    amplified = survey(replace(states, efforts=3.0 * states.efforts))
    assert 'are they in N m' in amplified.doubt
    assert survey(states).doubt == ''


def test_recordings_of_other_joints_or_rates_are_refused(free):
    states = pushed_states(seed=5)
    efforts = states.efforts.copy()
    efforts[:, 2] = 0.0
    less = survey(replace(states, efforts=efforts), 'less')
    (doubt,) = threshold_doubts(surveyed([less], LEARNING))
    assert doubt.startswith('unwatched: wrist: no threshold')
    with pytest.raises(RecordingError, match=r'turn, slide, bag.*turn'):
        surveyed([free, less], LEARNING)
    slow = survey(states.part(slice(None, None, 8)), 'slow')
    with pytest.raises(RecordingError, match=r'slow.*bag'):
        surveyed([free, slow], LEARNING)
    assert any(remark.startswith('the observer has 5 Hz') for remark in slow.remarks)


def test_json_names_joints_and_parts(free):
    result = surveyed([free], LEARNING).as_json()
    turn = result['joints']['turn']
    assert turn['collision'].keys() == {'constant', 'velocity', 'acceleration', 'mean'}
    fastest = abs(pushed_states(seed=5).velocities[:, 0]).max()
    assert turn['largest_speed'] == pytest.approx(fastest, rel=0.05)
    assert turn['unit'] == 'N m'
    assert result['exceeded'] == []
