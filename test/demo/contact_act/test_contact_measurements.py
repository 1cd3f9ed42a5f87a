"""What was felt beside what acted, from recordings whose answer is known."""

import numpy as np
import pytest

from robot_dynamics_ros.demo.contact_act.contact_figures import judge_contacts
from robot_dynamics_ros.demo.contact_act.contact_measurements import (
    ContactResults,
    felt_push,
    found_collision,
)
from robot_dynamics_ros.demo.received_messages import Samples, TouchRecording

MS = 1_000_000
START = 5 * 10**18 // 10**9 * 10**9
JOINTS = ('a', 'b')
TIMES = np.arange(1000) * MS
FORCE = np.array([3.0, 0.0, -4.0, 0.1, 0.0, 0.0])


def samples(stamps, joints=(), **rows):
    stamps = np.asarray(stamps, dtype=np.int64) + START
    return Samples(joints, stamps, stamps, stamps, {k: np.array(v) for k, v in rows.items()})


def wrenches(stamps, values):
    return samples(stamps, wrench=values) if len(stamps) else samples([])


def touched(applied, felt, contacts=(), since=0, kind=2):
    """A recording of a second; positions move until 0.6 s, the command is gravity from 0.5 s."""
    ones = np.ones((len(TIMES), 2))
    moving = np.minimum(TIMES, 600 * MS)[:, None] * 1e-9 * ones
    effort = np.where(TIMES[:, None] < 500 * MS, 5.0, 2.0) * ones
    seconds, nanoseconds = divmod(START + since, 10**9)
    return TouchRecording(
        START,
        samples(TIMES, JOINTS, position=moving),
        samples(TIMES, JOINTS, effort=effort, gravity=2.0 * ones, external=0.0 * ones),
        applied,
        felt,
        samples(
            contacts,
            kind=[[kind]] * len(contacts),
            since=[[seconds, nanoseconds]] * len(contacts),
        )
        if len(contacts)
        else samples([]),
    )


ON = TIMES[200:700]
PUSH = wrenches(ON, np.tile(FORCE, (500, 1)))


@pytest.mark.parametrize(('share', 'error'), [(1.0, 0.0), (0.97, 0.03), (0.0, 1.0)])
def test_the_error_is_that_of_the_force_at_the_end(share, error):
    grown = np.clip((ON - ON[0]) / (100.0 * MS), 0.0, 1.0)[:, None]
    push = felt_push(touched(PUSH, wrenches(ON, share * grown * FORCE)))
    assert push.error == pytest.approx(error, abs=1e-12)


@pytest.mark.parametrize(('applied', 'felt'), [(wrenches([], []), PUSH), (PUSH, wrenches([], []))])
def test_without_a_push_or_an_estimate_the_error_is_unknown(applied, felt):
    assert np.isnan(felt_push(touched(applied, felt)).error)


def test_the_delay_runs_from_the_first_touch_in_stamps_of_states():
    collision = found_collision(touched(PUSH, PUSH, [210 * MS], since=203 * MS), JOINTS)
    assert collision.delay == pytest.approx(0.003)
    assert collision.wall_times[0] == 0.0
    np.testing.assert_allclose(collision.wall, 5.0)
    assert collision.times[0] == pytest.approx(-0.2)
    assert collision.held == 0.0
    assert collision.moved == 0.0


@pytest.mark.parametrize(
    ('contacts', 'since', 'kind'),
    [([], 0, 2), ([150 * MS], 150 * MS, 2), ([210 * MS], 203 * MS, 0)],
)
def test_a_collision_that_was_not_found_or_too_early_has_no_delay(contacts, since, kind):
    recording = touched(PUSH, PUSH, contacts, since, kind)
    assert np.isnan(found_collision(recording, JOINTS).delay)


def results(share=1.0, since=203 * MS, felt=True):
    recording = touched(PUSH, wrenches(ON, np.tile(share * FORCE, (500, 1))), [210 * MS], since)
    return ContactResults(felt_push(recording), found_collision(recording, JOINTS), felt)


@pytest.mark.parametrize(
    ('found', 'failed'),
    [
        (results(), []),
        (results(share=0.97), ['push_error']),
        (results(share=0.97, felt=False), []),
        (results(since=190 * MS), ['collision_delay']),
    ],
)
def test_each_fault_fails_its_figure(found, failed):
    figures = judge_contacts(found)
    assert [figure.key for figure in figures if figure.fails] == failed


def test_a_collision_that_is_found_late_is_slow():
    (late,) = [figure for figure in judge_contacts(results(since=220 * MS)) if not figure.passed]
    assert (late.key, late.mark) == ('collision_delay', 'slow')
