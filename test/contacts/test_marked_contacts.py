"""Contacts in recordings: planted ones are found, with their time, link, kind and torque."""

import warnings
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
from robot_dynamics_ros.control.external.drive_torques import LARGEST, DriveTorques, GivenState
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.errors import RecordingError, StateError

MODEL, JOINTS = parse_urdf(URDF), ('turn', 'slide', 'wrist')
# Of the observer and of the low pass behind it [s].
LAG, SLOW = 1.0 / (2.0 * np.pi * 20.0), 1.0 / (2.0 * np.pi * 5.0)
# Above the noise.
GIVEN = dict.fromkeys(JOINTS, np.array([[3.0, 0.0, 0.0]] * 2))
HELD = Pushed(1, 15.0, 19.0, -4.0, rise=1.5)
LINKS = ('shoulder', 'slider', 'hand')
STATES = pushed_states(seed=5)


def nothing(done):
    """Progress that nobody looks at."""


def marked(states, **settings):
    robot = WatchedRobot(MODEL, WatchSettings(**settings))
    return mark_recording(recording_of(states), robot, 'bag', nothing)


def survey(states):
    robot = WatchedRobot(MODEL, WatchSettings())
    return survey_recording(recording_of(states), robot, 'bag', nothing)


def with_efforts(efforts):
    return replace(STATES, efforts=efforts)


def large(found):
    """The remark that external torques are large throughout."""
    return next((each for each in found.remarks if 'is large throughout' in each), '')


@pytest.fixture(scope='module')
def taught():
    """Settings with thresholds of another recording, which has no contact."""
    thresholds = surveyed([survey(STATES)]).thresholds.coefficients
    return {'thresholds': dict(zip(JOINTS, np.moveaxis(thresholds, 2, 0), strict=True))}


@pytest.mark.parametrize('own', [False, True])
def test_planted_contacts_are_found_and_nothing_else(taught, own):
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
    drawn, wrist = found.drawn, JOINTS.index('wrist')
    inside = (drawn.times > HIT.begin) & (drawn.times < HIT.end)
    assert (drawn.largest[inside, :, wrist] > drawn.limits[inside, :, wrist]).any()
    assert (drawn.largest[~inside, 0, wrist] < drawn.limits[~inside, 0, wrist]).mean() > 0.97
    assert (drawn.least <= drawn.largest).all()
    assert drawn.largest[:, 1].max() == pytest.approx(HIT.torque, abs=5.0 * NOISE)


@pytest.mark.parametrize('joint', range(3))
@pytest.mark.parametrize('sign', [-1.0, 1.0])
def test_a_push_on_any_joint_is_given_to_its_link(taught, joint, sign):
    push = Pushed(joint, 5.0, 7.0, 5.0 * sign, rise=0.2)
    (contact,) = marked(pushed_states((push,), seconds=10.0, seed=7), **taught).contacts
    assert contact.links == (LINKS[joint],)
    assert np.sign(contact.torques[JOINTS[joint]]) == sign


def test_a_free_arm_has_no_contact(taught):
    for found in (marked(pushed_states(seed=8)), marked(pushed_states(seed=8), **taught)):
        assert found.contacts == found.remarks == ()


def test_friction_that_the_model_lacks_is_no_contact_but_remarked():
    found = marked(pushed_states(seed=10, error=4.0))
    assert found.contacts == ()
    assert f'wrist {found.residuals.rms[2]:.3g} N m' in large(found)


@pytest.mark.parametrize('error', [0.0, 6.0])
def test_large_torques_are_judged_without_the_contacts(error):
    """The limit of the wrist is 20 N m: RMS of 6 N m with the contact, of 0.05 N m without."""
    states = pushed_states((Pushed(2, 8.0, 11.0, 20.0),), seed=6, error=error)
    found = marked(states, thresholds={name: GIVEN[name] * 8.0 / 3.0 for name in JOINTS})
    assert len(found.contacts) == 1
    assert ('contacts left out' in large(found)) is bool(error)
    # A contact through most of the recording is not left out.
    lasting = pushed_states((Pushed(2, 3.0, 12.0, 15.0),), seconds=15.0, seed=6)
    said = large(marked(lasting, thresholds=GIVEN))
    assert said
    assert 'left out' not in said


def test_a_gap_and_both_ends_of_a_recording_cut_contacts(taught):
    """When a contact began that was there from the start is not known; that of another one is."""
    pushes = Pushed(2, -1.0, 3.0, 15.0), Pushed(2, 8.0, 12.0, 15.0), Pushed(2, 28.0, 40.0, 15.0)
    states = pushed_states(pushes, seed=6)
    times = (states.stamps - states.stamps[0]) / 1e9
    found = marked(states.part((times < 9.0) | (times > 10.0)), **taught)
    _, before, after, _ = found.contacts
    assert [one.from_start for one in found.contacts] == [True, False, True, False]
    assert [one.until_end for one in found.contacts] == [False, True, False, True]
    assert before.end == pytest.approx(9.0, abs=2.0 / RATE)
    assert 10.0 < after.begin < 10.3
    assert found.drawn.begins.sum() == 2


def test_a_joint_without_efforts_is_not_watched():
    states = pushed_states((HIT,), seed=6)
    efforts = states.efforts.copy()
    efforts[:, 0], efforts[:, 1] = np.nan, 3.0
    found = marked(replace(states, efforts=efforts))
    assert (found.joints, found.unwatched) == (('wrist',), ('turn', 'slide'))
    (contact,) = found.contacts
    assert contact.links == ('hand',)
    assert any('not watched' in remark and 'turn, slide' in remark for remark in found.remarks)
    with pytest.raises(RecordingError, match='varies'):
        marked(replace(states, efforts=None))


def test_velocities_may_be_missing():
    found = marked(replace(pushed_states((HIT,), seed=6), velocities=None))
    assert (found.residuals.rms[:2] < 0.5).all()
    (contact,) = found.contacts
    assert contact.links == ('hand',)
    assert any('derived from positions' in remark for remark in found.remarks)


@pytest.mark.parametrize('given', [{}, {'thresholds': GIVEN}])
def test_efforts_of_which_the_node_estimates_nothing_show_no_contact(given):
    gravity = RobotDynamics(MODEL).gravity_torque(STATES.positions)
    for efforts in (STATES.efforts - gravity, -STATES.efforts):
        found = marked(with_efforts(efforts), **given)
        assert 'dynamics_node estimates no external' in found.unusable
        assert found.contacts == ()
    if given:
        # As in the node, the check can be switched off.
        found = marked(with_efforts(efforts), **given, driver_gravity_check=False)
        assert found.contacts
        assert found.unusable == ''


@pytest.mark.parametrize('absurd', [1e300, -1e18, np.inf])
def test_an_absurd_effort_counts_as_not_measured(absurd):
    efforts = STATES.efforts.copy()
    efforts[1000, 0] = absurd
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        found = marked(with_efforts(efforts), thresholds=GIVEN)
    assert found.contacts == ()
    assert found.residuals.largest.max() < 1.0
    assert any(each.startswith('1 effort of turn above') for each in found.remarks)


@pytest.mark.parametrize(('factor', 'taken'), [(0.99, True), (1.01, False)])
@pytest.mark.parametrize('joint', ['slide', 'wrist'])
def test_an_effort_counts_where_it_counts_for_the_node(joint, factor, taken):
    """Else one of a joint is a contact that the node does not see."""
    column = JOINTS.index(joint)
    efforts = STATES.efforts.copy()
    efforts[1000, column] = factor * LARGEST * MODEL.effort_limits[column]
    drives = DriveTorques(MODEL, JOINTS, np.arange(3))
    q, v = STATES.positions[1000], STATES.velocities[1000]
    assert drives.take(10.0, q, v, GivenState(q, v, efforts[1000])) == taken
    assert bool(marked(with_efforts(efforts), thresholds=GIVEN).contacts) == taken


@pytest.mark.parametrize('judged', [marked, survey])
def test_recordings_of_which_little_is_known_are_refused_with_what_is_wrong(judged):
    with pytest.raises(RecordingError, match=r'efforts of slide above 2e\+03'):
        judged(with_efforts(1e4 * STATES.efforts))
    often = STATES.efforts.copy()
    often[::7, 1] = np.nan
    with pytest.raises(RecordingError, match=rf'known for 0 .*slide.* {len(often[::7])} sample'):
        judged(with_efforts(often))
    with pytest.raises(RecordingError, match='at 8 Hz, at least 10 Hz'):
        judged(STATES.part(slice(None, None, 25)))


def test_too_little_time_to_learn_from_is_said_with_the_missing_efforts():
    efforts = STATES.efforts.copy()
    efforts[::12, 1] = np.nan
    words = 'thresholds need 10 s.*bag: .*slide.* 500 sample'
    with pytest.raises(StateError, match=words):
        marked(with_efforts(efforts))
    with pytest.raises(StateError, match=words):
        surveyed([survey(with_efforts(efforts))])
    # With given thresholds, what is known is searched.
    found = marked(with_efforts(efforts), thresholds=GIVEN)
    assert any(each.startswith('external torques') for each in found.remarks)
