"""Contacts in recordings, and their thresholds: what is planted is found, shares are kept."""

import math
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')
from pushed_recording import HIT, NOISE, RATE, URDF, Pushed, pushed_states, recording_of

from robot_dynamics_ros.contacts import (
    WatchedRobot,
    WatchSettings,
    mark_recording,
    survey_recording,
    surveyed,
)
from robot_dynamics_ros.contacts.observation import ObservedStates
from robot_dynamics_ros.contacts.thresholds import (
    band_states,
    learned_thresholds,
    least_thresholds,
    quantile_coefficients,
)
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import RecordingError, StateError
from robot_dynamics_ros.joint_model import JointModel

MODEL, JOINTS = parse_urdf(URDF), ('turn', 'slide', 'wrist')
# Of the observer and of the low pass behind it [s].
LAG, SLOW = 1.0 / (2.0 * np.pi * 20.0), 1.0 / (2.0 * np.pi * 5.0)
# Above the noise.
GIVEN = dict.fromkeys(JOINTS, np.array([[3.0, 0.0, 0.0]] * 2))
HELD = Pushed(1, 15.0, 19.0, -4.0, rise=1.5)
SHORT, SHARE = pushed_states(seconds=8.0, seed=5), 0.04
# Standard deviation of the residual of two joints: constant, of the speed, of the acceleration.
ERRORS = np.array([[0.5, 0.1], [0.0, 0.8], [0.1, 0.0]])
NOTHING = np.full((2, 3, 2), 1e-6) * [[[1.0], [0.0], [0.0]]]


def marked(states, **settings):
    robot = WatchedRobot(MODEL, WatchSettings(**settings))
    return mark_recording(recording_of(states), robot, 'bag')


def survey(states, name='bag', **settings):
    robot = WatchedRobot(MODEL, WatchSettings(**settings))
    return survey_recording(recording_of(states), robot, name)


@pytest.fixture(scope='module')
def free():
    """A recording of 30 s without a contact."""
    return survey(pushed_states(seed=5))


@pytest.fixture(scope='module')
def taught(free):
    """Settings with thresholds of another recording, which has no contact."""
    thresholds = surveyed([free], 0.05, margin=3.0).thresholds.coefficients
    return {'thresholds': dict(zip(JOINTS, np.moveaxis(thresholds, 2, 0), strict=True))}


@pytest.mark.parametrize('own', [False, True])
def test_planted_contacts_are_found_and_nothing_else(taught, own):
    settings = {} if own else taught
    nothing = marked(pushed_states(seconds=20.0, seed=8), **settings)
    assert nothing.contacts == nothing.remarks == ()
    found = marked(pushed_states((HIT, HELD), seed=6), **settings)
    assert found.own is own
    hit, held = found.contacts
    assert (hit.kind, hit.links, list(hit.torques)) == ('collision', ('hand',), ['wrist'])
    assert HIT.begin < hit.begin < HIT.begin + LAG + 2.0 / RATE
    assert HIT.end < hit.end < HIT.end + 10.0 * SLOW
    assert hit.torques['wrist'] == pytest.approx(HIT.torque, abs=5.0 * NOISE)
    assert (held.kind, held.links, list(held.torques)) == ('push', ('slider',), ['slide'])
    assert HELD.begin < held.begin < HELD.begin + HELD.rise
    assert HELD.end - HELD.rise < held.end < HELD.end + 10.0 * SLOW
    assert held.torques['slide'] == pytest.approx(HELD.torque, abs=5.0 * NOISE)
    assert (found.drawn.least <= found.drawn.largest).all()
    assert found.drawn.largest[:, 1].max() == pytest.approx(HIT.torque, abs=5.0 * NOISE)


@pytest.mark.parametrize(('end', 'error'), [(5.0, 6.0), (10.0, 0.0), (5.0, 0.0)])
def test_torques_that_are_large_in_half_of_the_time_are_remarked(end, error):
    """The limit of the wrist is 20 N m; a contact of 3 s is no error of the model."""
    states = pushed_states((Pushed(2, 2.0, end, 18.0),), seconds=12.0, seed=6, error=error)
    found = marked(states, thresholds={name: GIVEN[name] * 8.0 / 3.0 for name in JOINTS})
    assert len(found.contacts) == 1
    large = [one for one in found.remarks if 'is large throughout' in one and 'wrist' in one]
    assert len(large) == ((end, error) != (5.0, 0.0))


def test_a_gap_and_the_end_of_a_recording_cut_contacts(taught):
    """Of one that is there after a gap, it is not known when it began."""
    pushes = Pushed(2, 4.0, 8.0, 15.0), Pushed(2, 13.0, 40.0, 15.0)
    states = pushed_states(pushes, seconds=15.0, seed=6)
    times = (states.stamps - states.stamps[0]) / 1e9
    found = marked(states.part((times < 5.0) | (times > 6.0)), **taught)
    before, after, _ = found.contacts
    assert [one.from_start for one in found.contacts] == [False, True, False]
    assert [one.until_end for one in found.contacts] == [True, False, True]
    assert before.end == pytest.approx(5.0, abs=2.0 / RATE)
    assert 6.0 < after.begin < 6.3
    assert found.drawn.begins.sum() == 2


def test_a_joint_without_efforts_is_not_watched():
    states = pushed_states((HIT,), seconds=15.0, seed=6)
    efforts = states.efforts.copy()
    efforts[:, 0], efforts[:, 1] = np.nan, 3.0
    found = marked(replace(states, efforts=efforts))
    assert (found.joints, found.unwatched) == (('wrist',), ('turn', 'slide'))
    assert [one.links for one in found.contacts] == [('hand',)]


# The observer needs 40 ms to settle, and 0.5 s to know that the efforts are torques.
RARE = np.where((np.arange(len(SHORT)) % 40 > 9)[:, None] & [False, True, False], np.nan, 1.0)
REFUSED = {
    'varies': {'efforts': None},
    'measured velocities': {'velocities': None},
    'measured efforts': {'efforts': -SHORT.efforts},
    r'efforts of slide above 2e\+03': {'efforts': 1e4 * SHORT.efforts},
    'known for 0 .*without an effort': {'efforts': RARE * SHORT.efforts},
}


@pytest.mark.parametrize('match', REFUSED)
def test_recordings_of_which_the_node_knows_little_are_refused_with_what_is_wrong(match):
    for judged in (marked, survey):
        with pytest.raises(RecordingError, match=match):
            judged(replace(SHORT, **REFUSED[match]))


def test_slow_states_are_refused_and_efforts_are_what_the_node_is_told():
    with pytest.raises(RecordingError, match=r'at 8\.33 Hz, at least 10 Hz'):
        survey(SHORT.part(slice(None, None, 12)))
    reversed_torques = replace(SHORT, efforts=-SHORT.efforts)
    assert marked(reversed_torques, thresholds=GIVEN, driver_effort='reversed_torque')


def bands(seconds, seed, rate=50.0):
    """States of two joints whose model errors grow with the motion."""
    random = np.random.default_rng(seed)
    times = np.arange(round(seconds * rate)) / rate
    rates = random.uniform(0.5, 4.0, (4, 2))
    phases = times[:, None, None] * rates + random.uniform(0.0, 6.0, (4, 2))
    v, a = 0.4 * np.cos(phases).sum(axis=1), -0.4 * (rates * np.sin(phases)).sum(axis=1)
    residuals = (ERRORS[0] + ERRORS[1] * abs(v) + ERRORS[2] * abs(a)) * random.normal(size=v.shape)
    return band_states(ObservedStates(times, times == 0.0, residuals, v), 1.0 / rate)


def above(states, thresholds):
    """(N,) in which states a threshold is exceeded."""
    return (states['size'] > thresholds.limits(states['motion'])).any(axis=(1, 2))


def doubts(found):
    return dict(each.split(': ', 1) for each in found.doubts)


def test_a_quantile_has_the_coefficients_of_errors_that_grow_with_the_motion():
    """|r| = (x c) u, u uniform from 0 to 1: its quantile q is q x c; a share q is below it."""
    random = np.random.default_rng(3)
    states, c = bands(400.0, 0), np.array([0.5, 2.0, 0.3])
    motion = random.uniform(0.0, [2.0, 5.0], (len(states), 2))
    limits = c[0] + motion @ c[1:]
    states['motion'] = motion[:, None, :, None]
    # One joint of which errors grow, one of which they fall with the speed; one band at rest.
    states['size'][:, :, 0] = (limits * random.uniform(size=len(states)))[:, None]
    states['size'][:, :, 1] = 3.0 - motion[:, :1]
    states['motion'][:, 1, :, 1] *= 1e-3
    for level in (0.5, 0.9):
        every = quantile_coefficients(states, level)
        found = every[:, :, 0]
        np.testing.assert_array_equal(found[0], found[1])
        assert found[0] @ [1.0, 1.0, 2.0] == pytest.approx(level * 3.1, rel=0.05)
        assert found[0, 1] == pytest.approx(level * 2.0, rel=0.15)
        inside = states['size'][:, 0, 0] <= found[0, 0] + motion @ found[0, 1:]
        assert inside.mean() == pytest.approx(level, abs=0.02)
    falling, rests = every[:, :, 1]
    assert falling[1] == 0.0 <= falling[2] < 0.05
    assert falling[0] == pytest.approx(2.8, abs=0.05)
    assert rests == pytest.approx([2.8, 0.0, 0.0], abs=0.05)
    # The unit does not matter. Without a residual, the threshold is positive.
    states['size'] *= 1e3
    np.testing.assert_allclose(quantile_coefficients(states, 0.9), 1e3 * every, rtol=1e-6)
    states['size'] = 0.0
    assert (quantile_coefficients(states, 0.9)[:, 0] > 0.0).all()


def test_the_share_of_the_time_above_the_thresholds_is_the_promised_one_on_data_unseen():
    """On average of ten recordings; the quantiles themselves do not keep it."""
    plain, kept = [], []
    for seed in range(10):
        learned, other = np.array_split(bands(52.0, seed), 2)
        quantiles = ContactThresholds(quantile_coefficients(learned, 1.0 - SHARE / 4.0))
        plain.append(above(other, quantiles).mean())
        thresholds = learned_thresholds(learned, NOTHING, SHARE, 1.0).thresholds
        kept.append(above(other, thresholds).mean())
    assert 0.05 * SHARE < np.mean(kept) < SHARE < np.mean(plain) < 3.0 * SHARE
    with pytest.raises(StateError, match=r'26 s.* 0\.01 .* 99 s.* 73 s'):
        learned_thresholds(learned, NOTHING, 0.01)


def test_each_half_is_tested_with_the_thresholds_of_the_other():
    """Errors of three times the size are above what one in a hundred of the others exceeds."""
    states = bands(200.0, 0)
    states['size'][len(states) // 2 :] *= 3.0
    assert learned_thresholds(states, NOTHING, SHARE, 1.0).tested > 0.15


def test_no_threshold_is_below_coulomb_friction_or_one_percent_of_the_effort_limit():
    least = least_thresholds(WatchedRobot(MODEL, WatchSettings()), ('wrist', 'slide', 'turn'))
    np.testing.assert_allclose(least[:, 0], [[0.7, 2.0, 0.1]] * 2)
    assert not least[:, 1:].any()


def test_the_residual_of_an_exact_model_is_the_noise_that_the_observer_passes(free):
    # The mean of two efforts, in a low pass with the weight w: w / 2 of the variance of one.
    weight = -math.expm1(-2.0 * math.pi * 20.0 / RATE)
    rms, bias, _ = free.residuals
    np.testing.assert_allclose(rms, NOISE * math.sqrt(weight / 2.0), rtol=0.1)
    assert (abs(bias) < 0.1 * NOISE).all()


def test_friction_offset_rotors_and_gravity_of_the_settings_are_taken_off(free):
    rubbed = pushed_states(seconds=8.0, seed=5, error=4.0)
    more = JointModel(coulomb=(('turn', 4.0), ('slide', 4.0), ('wrist', 4.7)))
    taken, plain = survey(rubbed, joint_model=more).residuals[0], 4.0 * free.residuals[0]
    assert (taken < plain).all()
    shifted = replace(SHORT, efforts=SHORT.efforts + np.array([2.0, -3.0, 1.0]))
    offset = JointModel(torque_offset=(('turn', 2.0), ('slide', -3.0), ('wrist', 1.0)))
    assert (abs(survey(shifted, joint_model=offset).residuals[1]) < 0.1 * NOISE).all()
    rotor = JointModel(armature=(('wrist', 1.0),))
    for wrong in ({'joint_model': rotor}, {'gravity': (0.0, 2.0, -9.6)}):
        assert survey(SHORT, **wrong).residuals[0, 2] > 5.0 * free.residuals[0, 2]


def test_two_recordings_are_learned_from_together(free):
    other = survey(pushed_states(seed=6), 'other')
    both = surveyed([free, other], 0.05, margin=3.0)
    assert both.seconds == pytest.approx(59.0, abs=0.5)
    assert (both.tested <= 0.05, both.exceeded, both.doubts) == (True, (), [])
    rms, bias, largest = np.stack([free.residuals, other.residuals], axis=1)
    expected = np.sqrt((rms**2).mean(axis=0)), bias.mean(axis=0), largest.max(axis=0)
    np.testing.assert_allclose(both.residuals, expected, rtol=1e-9)
    plain = surveyed([free, other], 0.05, margin=1.0).thresholds
    wide = np.maximum(3.0 * plain.coefficients, free.least)
    assert (both.thresholds.coefficients <= wide + 1e-12).all()
    assert above(both.states, plain).mean() <= 0.05
    less = survey(replace(SHORT, efforts=SHORT.efforts * [1.0, 1.0, 0.0]), 'less')
    slow = survey(SHORT.part(slice(None, None, 4)), 'slow')
    assert slow.bandwidth == pytest.approx([5.0] * 3)
    for wrong in (less, slow):
        with pytest.raises(RecordingError, match=rf'{wrong.name}.*bag'):
            surveyed([free, wrong])


@pytest.mark.parametrize('begin', [8.0, 20.0])
def test_a_touch_in_one_half_is_exceeded_by_the_thresholds_of_the_other(begin):
    touched = survey(pushed_states((Pushed(2, begin, begin + 0.5, 10.0),), seed=5))
    found = surveyed([touched], 0.1, margin=3.0)
    ((name, time),) = found.exceeded
    assert (name, time) == ('bag', pytest.approx(begin, abs=0.03))
    assert found.tested > 0.01
    assert set(doubts(found)) == {'exceeded'}


def test_a_joint_that_stands_still_and_a_short_recording_are_doubts():
    states = pushed_states(seconds=15.0, seed=5)
    q, v = states.positions.copy(), states.velocities.copy()
    q[:, 1], v[:, 1] = 0.1, 0.0
    found = surveyed([survey(replace(states, positions=q, velocities=v))], 0.1)
    assert found.tested is found.exceeded is None
    assert {'still', 'short'} <= set(doubts(found))
    assert 'slide' in doubts(found)['still']
    assert found.thresholds.coefficients[1, 1, 1] == 0.0
