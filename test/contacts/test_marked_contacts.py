"""Contacts in recordings: planted ones are found, with their time, link, kind and torque."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')
from pushed_recording import HIT, NOISE, RATE, URDF, Pushed, pushed_states, recording_of

from robot_dynamics_ros.contacts import (
    Learning,
    WatchedRobot,
    WatchSettings,
    mark_recording,
    survey_recording,
    surveyed,
)
from robot_dynamics_ros.contacts.friction_thresholds import friction_thresholds
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import RecordingError

JOINTS = ('turn', 'slide', 'wrist')
LEARNING = Learning(false_alarms_per_hour=0.1)
BANDWIDTH = 20.0
# Of the observer and of the low pass behind it [s].
LAG, SLOW = 1.0 / (2.0 * np.pi * BANDWIDTH), 1.0 / (2.0 * np.pi * 5.0)


def nothing(done):
    """Progress that nobody looks at."""


def of_joints(thresholds):
    """By joint, as a file has them."""
    return dict(zip(JOINTS, np.moveaxis(thresholds.coefficients, 2, 0), strict=True))


@pytest.fixture(scope='module')
def robot():
    return WatchedRobot(parse_urdf(URDF), WatchSettings())


@pytest.fixture(scope='module')
def taught(robot):
    """The robot with thresholds of another recording, which has no contact."""
    free = survey_recording(recording_of(pushed_states(seed=5)), robot, 'free', nothing)
    thresholds = surveyed([free], LEARNING).thresholds
    return WatchedRobot(robot.model, WatchSettings(thresholds=of_joints(thresholds)))


def marked(states, robot):
    return mark_recording(recording_of(states), robot, 'bag', LEARNING, nothing)


HELD = Pushed(1, 15.0, 19.0, -4.0, rise=1.5)
LINKS = {0: 'shoulder', 1: 'slider', 2: 'hand'}


@pytest.mark.parametrize('own', [False, True])
def test_planted_contacts_are_found_and_nothing_else(robot, taught, own):
    found = marked(pushed_states((HIT, HELD), seed=6), robot if own else taught)
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


@pytest.mark.parametrize('joint', range(3))
@pytest.mark.parametrize('sign', [-1.0, 1.0])
def test_a_push_on_any_joint_is_given_to_its_link(taught, joint, sign):
    push = Pushed(joint, 5.0, 7.0, 5.0 * sign, rise=0.2)
    (contact,) = marked(pushed_states((push,), seconds=10.0, seed=7), taught).contacts
    assert contact.links == (LINKS[joint],)
    assert np.sign(contact.torques[JOINTS[joint]]) == sign


@pytest.mark.parametrize('seed', [8, 9])
def test_a_free_arm_has_no_contact(robot, taught, seed):
    own, given = (marked(pushed_states(seed=seed), one) for one in (robot, taught))
    assert own.contacts == given.contacts == ()
    assert own.remarks == given.remarks == ()
    assert given.found == 'no contact'
    # What friction may do in other motion is in its thresholds too.
    friction = friction_thresholds(robot.friction.bounds)
    assert friction[:, 0, JOINTS.index('wrist')].min() > 0.8
    assert (own.thresholds.coefficients >= friction).all()


def test_friction_that_the_description_lacks_is_no_contact(robot):
    states = pushed_states(seed=10, error=4.0)
    found = marked(states, robot)
    assert found.contacts == ()
    assert found.residuals.rms.min() > 2.0
    # Nor is it known to be free of contact.
    assert 'no contact' in found.found
    (remark,) = found.remarks
    rms = f'wrist {found.residuals.rms[2]:.3g} N m'
    assert remark.startswith('the external torque')
    assert rms in remark


@pytest.mark.parametrize(('own', 'error'), [(True, 0.0), (False, 0.0), (False, 6.0)])
def test_large_torques_are_judged_without_the_contacts(robot, taught, own, error):
    """The limit of the wrist is 20 N m: RMS of 6 N m with the contact, of 0.05 N m without."""
    strong = Pushed(2, 8.0, 11.0, 20.0)
    watched = robot
    if not own:
        values = of_joints(ContactThresholds.of(len(JOINTS), 8.0, 8.0))
        watched = WatchedRobot(robot.model, WatchSettings(thresholds=values))
    found = marked(pushed_states((strong,), seed=6, error=error), watched)
    assert found.residuals.rms[2] > 0.25 * 20.0
    assert len(found.contacts) == 1
    remarks = [each for each in found.remarks if 'is large throughout' in each]
    assert len(remarks) == bool(error)
    assert all('throughout, contacts left out: RMS' in each for each in remarks)


def test_a_contact_through_most_of_the_recording_is_not_left_out(taught):
    found = marked(pushed_states((Pushed(2, 3.0, 12.0, 15.0),), seconds=15.0, seed=6), taught)
    (remark,) = found.remarks
    assert remark.startswith('the external torque')


def test_a_contact_that_is_there_from_the_start_is_said_to_be(taught):
    """When it began is not known; that of another one is."""
    there = Pushed(1, -1.0, 5.0, 4.0)
    first, second = marked(pushed_states((there, HIT), seconds=12.0, seed=6), taught).contacts
    assert (first.from_start, first.links) == (True, ('slider',))
    assert (second.from_start, second.links) == (False, ('hand',))
    assert first.as_json()['from_start'] is True


def test_a_gap_ends_a_contact_and_begins_the_observer_anew(taught):
    states = pushed_states((Pushed(2, 8.0, 12.0, 15.0, rise=0.1),), seed=6)
    times = (states.stamps - states.stamps[0]) / 1e9
    found = marked(states.part((times < 9.0) | (times > 10.0)), taught)
    before, after = found.contacts
    assert (before.from_start, after.from_start) == (False, True)
    assert before.end == pytest.approx(9.0, abs=2.0 / RATE)
    assert 10.0 < after.begin < 10.3
    assert found.drawn.begins.sum() == 2


def test_a_joint_without_efforts_is_not_watched(robot):
    states = pushed_states((HIT,), seed=6)
    efforts = states.efforts.copy()
    efforts[:, 0], efforts[:, 1] = np.nan, 3.0
    found = marked(replace(states, efforts=efforts), robot)
    assert (found.joints, found.unwatched) == (('wrist',), ('turn', 'slide'))
    (contact,) = found.contacts
    assert contact.links == ('hand',)
    assert any('not watched' in remark and 'turn, slide' in remark for remark in found.remarks)
    with pytest.raises(RecordingError, match='varies'):
        marked(replace(states, efforts=None), robot)


def test_velocities_may_be_missing(robot):
    found = marked(replace(pushed_states((HIT,), seed=6), velocities=None), robot)
    (contact,) = found.contacts
    assert contact.links == ('hand',)
    assert any('derived from positions' in remark for remark in found.remarks)


def test_what_is_drawn_holds_the_peaks_and_the_thresholds(taught):
    found = marked(pushed_states((HIT, HELD), seed=6), taught)
    drawn, wrist = found.drawn, JOINTS.index('wrist')
    inside = (drawn.times > HIT.begin) & (drawn.times < HIT.end)
    assert (drawn.largest[inside, :, wrist] > drawn.limits[inside, :, wrist]).any()
    assert (drawn.largest[~inside, 0, wrist] < drawn.limits[~inside, 0, wrist]).mean() > 0.97
    assert (drawn.least <= drawn.largest).all()
    assert drawn.largest[:, 1].max() == pytest.approx(HIT.torque, abs=5.0 * NOISE)


def test_json_has_all_of_it(taught):
    result = marked(pushed_states((HIT, HELD), seed=6), taught).as_json()
    assert [contact['kind'] for contact in result['contacts']] == ['collision', 'push']
    assert result['joints']['slide']['unit'] == 'N'
    assert result['thresholds'] == 'given'
