"""Recordings in which no contact can be found, or of which little can be used: what is said."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')
from pushed_recording import RATE, URDF, Pushed, pushed_states, recording_of

from robot_dynamics_ros.contacts import (
    Learning,
    WatchedRobot,
    WatchSettings,
    mark_recording,
    survey_recording,
    surveyed,
    threshold_doubts,
)
from robot_dynamics_ros.control.external.drive_torques import LARGEST, DriveTorques, GivenState
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.errors import RecordingError, StateError

JOINTS = ('turn', 'slide', 'wrist')
LEARNING = Learning()
# Above the noise.
GIVEN = dict.fromkeys(JOINTS, np.array([[3.0, 0.0, 0.0]] * 2))
STATES = pushed_states(seed=5)
DEGREES = replace(
    STATES,
    positions=np.degrees(STATES.positions),
    velocities=np.degrees(STATES.velocities),
)


def nothing(done):
    """Progress that nobody looks at."""


def marked(states, **settings):
    robot = WatchedRobot(parse_urdf(URDF), WatchSettings(**settings))
    return mark_recording(recording_of(states), robot, 'bag', LEARNING, nothing)


def survey(states):
    robot = WatchedRobot(parse_urdf(URDF), WatchSettings())
    return survey_recording(recording_of(states), robot, 'bag', nothing)


def with_efforts(efforts, states=STATES):
    return replace(states, efforts=efforts)


def without_gravity():
    gravity = RobotDynamics(parse_urdf(URDF)).gravity_torque(STATES.positions)
    return with_efforts(STATES.efforts - gravity)


@pytest.mark.parametrize('given', [{}, {'thresholds': GIVEN}])
@pytest.mark.parametrize(
    ('states', 'words'),
    [
        (without_gravity(), 'dynamics_node estimates no external'),
        (with_efforts(-STATES.efforts), 'times gravity'),
        (DEGREES, '3 times the largest'),
    ],
)
def test_efforts_of_which_the_node_estimates_nothing_show_no_contact(states, words, given):
    found = marked(states, **given)
    assert words in found.unusable
    assert found.contacts == ()
    assert 'cannot' in found.found
    assert found.as_json()['unusable'] == found.unusable


def test_the_check_of_gravity_can_be_switched_off_as_in_the_node():
    found = marked(without_gravity(), thresholds=GIVEN, driver_gravity_check=False)
    assert found.unusable == ''
    assert found.contacts


def test_thresholds_of_positions_in_degrees_are_doubtful():
    (doubt,) = (
        each
        for each in threshold_doubts(surveyed([survey(DEGREES)], LEARNING))
        if each.startswith('unexplained: ')
    )
    assert 'positions in rad' in doubt


def test_efforts_of_another_joint_are_remarked():
    """Of turn and wrist: most of the gravity, in the lift, fits."""
    exchanged = with_efforts(STATES.efforts[:, [2, 1, 0]])
    for found in (marked(exchanged), marked(exchanged, thresholds=GIVEN)):
        remarks = [each for each in found.remarks if 'is large throughout' in each]
        assert len(remarks) == 1
        assert 'other joints' in remarks[0]
    doubts = threshold_doubts(surveyed([survey(exchanged)], LEARNING))
    (large,) = (each for each in doubts if 'is large throughout' in each)
    assert large.startswith('large: bag: the external')
    assert 'other joints' in large
    assert survey(STATES).remarks == marked(STATES).remarks == ()
    assert threshold_doubts(surveyed([survey(STATES)], LEARNING)) == []


@pytest.mark.parametrize('absurd', [1e300, -1e18, np.inf])
def test_an_absurd_effort_counts_as_not_measured(absurd):
    efforts = STATES.efforts.copy()
    efforts[1000, 0] = absurd
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        found = marked(with_efforts(efforts), thresholds=GIVEN)
    assert found.contacts == ()
    assert found.residuals.largest.max() < 1.0
    (remark,) = (each for each in found.remarks if 'not measured' in each)
    assert remark.startswith('1 effort of turn above')
    assert any(each.startswith('1 state left') for each in found.remarks)


@pytest.mark.parametrize(('factor', 'taken'), [(0.99, True), (1.01, False)])
@pytest.mark.parametrize('joint', ['slide', 'wrist'])
def test_an_effort_counts_where_it_counts_for_the_node(joint, factor, taken):
    """Else one of a joint is a contact that the node does not see."""
    model, column = parse_urdf(URDF), JOINTS.index(joint)
    limit = model.effort_limits[column]
    efforts = STATES.efforts.copy()
    efforts[1000, column] = factor * LARGEST * limit
    drives = DriveTorques(model, JOINTS, np.arange(3))
    q, v = STATES.positions[1000], STATES.velocities[1000]
    assert drives.take(10.0, q, v, GivenState(q, v, efforts[1000])) == taken
    found = marked(with_efforts(efforts), thresholds=GIVEN)
    assert bool(found.contacts) == taken
    said = f'1 effort of {joint} above {LARGEST * limit:.3g} N'
    assert [each.startswith(said) for each in found.remarks if 'dynamics_node' in each] == (
        [] if taken else [True]
    )


@pytest.mark.parametrize('judged', [marked, survey])
def test_efforts_in_a_small_unit_are_refused_as_what_they_are(judged):
    """In mN m: nearly none counts as measured."""
    words = r'.* efforts of slide above 2e\+03'
    for factor in (1e3, 1e4):
        with pytest.raises(RecordingError, match=words):
            judged(with_efforts(factor * STATES.efforts))


def test_efforts_that_miss_again_and_again_are_named_with_their_count():
    efforts = STATES.efforts.copy()
    efforts[::7, 1] = np.nan
    count, states = len(efforts[::7]), len(efforts)
    for judged in (marked, survey):
        with pytest.raises(RecordingError, match='known for 0') as error:
            judged(with_efforts(efforts))
        assert f'slide in {count} of {states}' in str(error.value)
        assert '0.0398 s' in str(error.value)


def test_too_little_time_to_learn_from_is_said_with_the_missing_efforts():
    efforts = STATES.efforts.copy()
    efforts[::12, 1] = np.nan
    words = 'slide in 500 of 6000 states'
    with pytest.raises(StateError, match=f'thresholds need 10 s.*{words}'):
        marked(with_efforts(efforts))
    with pytest.raises(StateError, match=f'thresholds need 10 s.*bag: .*{words}'):
        surveyed([survey(with_efforts(efforts))], LEARNING)
    # With given thresholds, what is known is searched.
    found = marked(with_efforts(efforts), thresholds=GIVEN)
    assert any(each.startswith('external torques') for each in found.remarks)


def test_efforts_that_never_come_together_are_asked_for_in_one_message():
    efforts = STATES.efforts.copy()
    efforts[::2, 0] = efforts[1::2, 1] = np.nan
    words = 'turn in 3000 of 6000'
    with pytest.raises(RecordingError, match=words):
        marked(with_efforts(efforts))


def test_a_contact_that_a_gap_cuts_is_said_to_end_later():
    push = Pushed(2, 8.0, 12.0, 15.0, rise=0.1)
    states = pushed_states((push, Pushed(2, 28.0, 40.0, 15.0)), seed=6)
    times = (states.stamps - states.stamps[0]) / 1e9
    found = marked(states.part((times < 9.0) | (times > 10.0)), thresholds=GIVEN)
    before, after, last = found.contacts
    assert before.end == pytest.approx(9.0, abs=2.0 / RATE)
    assert [found.until_end(each) for each in (before, after, last)] == [True, False, True]
    assert [each['until_end'] for each in found.as_json()['contacts']] == [True, False, True]


def test_a_long_pause_between_two_stretches_is_no_missing_time():
    stamps = STATES.stamps.copy()
    stamps[3000:] += 3600 * 10**9
    found = marked(replace(STATES, stamps=stamps), thresholds=GIVEN)
    assert not any('settles anew' in each for each in found.remarks)


@pytest.mark.parametrize('judged', [marked, survey])
def test_states_too_slow_for_the_bands_are_refused_with_their_rate(judged):
    rows = slice(None, None, 25)
    fields = {name: getattr(STATES, name)[rows] for name in vars(STATES) if name != 'joints'}
    with pytest.raises(RecordingError, match='at 8 Hz, at least 10 Hz'):
        judged(replace(STATES, **fields))
