"""Contacts in recordings: planted ones are found, with their time, link, kind and torque."""

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
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import RecordingError

MODEL, JOINTS = parse_urdf(URDF), ('turn', 'slide', 'wrist')
# Of the observer and of the low pass behind it [s].
LAG, SLOW = 1.0 / (2.0 * np.pi * 20.0), 1.0 / (2.0 * np.pi * 5.0)
# Above the noise.
GIVEN = dict.fromkeys(JOINTS, np.array([[3.0, 0.0, 0.0]] * 2))
HELD = Pushed(1, 15.0, 19.0, -4.0, rise=1.5)
STATES, SHORT = pushed_states(seed=5), pushed_states(seconds=8.0, seed=5)


def marked(states, **settings):
    robot = WatchedRobot(MODEL, WatchSettings(**settings))
    return mark_recording(recording_of(states), robot, 'bag')


def survey(states):
    robot = WatchedRobot(MODEL, WatchSettings())
    return survey_recording(recording_of(states), robot, 'bag')


def with_efforts(change):
    efforts = SHORT.efforts.copy()
    change(efforts)
    return replace(SHORT, efforts=efforts)


def large(found):
    """The remark that external torques are large throughout."""
    return next((each for each in found.remarks if 'is large throughout' in each), '')


@pytest.fixture(scope='module')
def taught():
    """Settings with thresholds of another recording, which has no contact."""
    thresholds = surveyed([survey(STATES)], 0.05, margin=3.0).thresholds.coefficients
    return {'thresholds': dict(zip(JOINTS, np.moveaxis(thresholds, 2, 0), strict=True))}


@pytest.mark.parametrize('own', [False, True])
def test_planted_contacts_are_found_and_nothing_else(taught, own):
    free = marked(pushed_states(seed=8), **({} if own else taught))
    assert free.contacts == free.remarks == ()
    found = marked(pushed_states((HIT, HELD), seed=6), **({} if own else taught))
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
    assert ('wrist' in large(found)) == ((end, error) != (5.0, 0.0))


def test_a_gap_and_the_end_of_a_recording_cut_contacts(taught):
    """Of one that is there after a gap, it is not known when it began."""
    pushes = Pushed(2, 8.0, 12.0, 15.0), Pushed(2, 28.0, 40.0, 15.0)
    states = pushed_states(pushes, seed=6)
    times = (states.stamps - states.stamps[0]) / 1e9
    found = marked(states.part((times < 9.0) | (times > 10.0)), **taught)
    before, after, _ = found.contacts
    assert [one.from_start for one in found.contacts] == [False, True, False]
    assert [one.until_end for one in found.contacts] == [True, False, True]
    assert before.end == pytest.approx(9.0, abs=2.0 / RATE)
    assert 10.0 < after.begin < 10.3
    assert found.drawn.begins.sum() == 2


def test_a_joint_without_efforts_is_not_watched():
    states = pushed_states((HIT,), seed=6)
    efforts = states.efforts.copy()
    efforts[:, 0], efforts[:, 1] = np.nan, 3.0
    found = marked(replace(states, efforts=efforts))
    assert (found.joints, found.unwatched) == (('wrist',), ('turn', 'slide'))
    assert [one.links for one in found.contacts] == [('hand',)]
    with pytest.raises(RecordingError, match='varies'):
        marked(replace(states, efforts=None))


@pytest.mark.parametrize('judged', [marked, survey])
def test_without_measured_velocities_nothing_is_found_as_in_the_node(judged):
    with pytest.raises(RecordingError, match='measured velocities'):
        judged(replace(SHORT, velocities=None))


@pytest.mark.parametrize('judged', [marked, survey])
def test_efforts_of_which_the_node_estimates_nothing_are_refused(judged):
    other = replace(SHORT, efforts=-SHORT.efforts)
    with pytest.raises(RecordingError, match='measured efforts'):
        judged(other)
    # As in the node, it is said what they are.
    assert marked(other, thresholds=GIVEN, driver_effort='reversed_torque')


def test_recordings_of_which_little_is_known_are_refused_with_what_is_wrong():
    with pytest.raises(RecordingError, match=r'efforts of slide above 2e\+03'):
        survey(replace(SHORT, efforts=1e4 * SHORT.efforts))
    # The observer needs 40 ms to settle, and 0.5 s to know that the efforts are torques.
    rare = np.arange(len(SHORT.efforts)) % 40 > 9
    with pytest.raises(RecordingError, match=r'known for 0 .*without an effort'):
        survey(with_efforts(lambda efforts: efforts.__setitem__((rare, 1), np.nan)))
    with pytest.raises(RecordingError, match=r'at 8\.33 Hz, at least 10 Hz'):
        survey(SHORT.part(slice(None, None, 12)))
