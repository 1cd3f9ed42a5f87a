"""Thresholds, the bands of the residual, what is found in them, and which link is touched."""

import math

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.control.external.contact import Contact, ContactLinks
from robot_dynamics_ros.control.external.contact_detector import (
    ACCELERATION_CUTOFF,
    COLLISION,
    CUTOFF,
    FREE,
    PUSH,
    ContactDetector,
    ResidualBands,
)
from robot_dynamics_ros.control.external.thresholds import NEVER, ContactThresholds
from robot_dynamics_ros.core import RobotDynamics

PERIOD = 1e-3
REST, STILL = np.zeros(2), np.zeros(1)
# The fast band exceeds it at 4 N m, the slow one at 2 N m, both at rest.
THRESHOLDS = ContactThresholds(
    np.array([[[4.0, 4.0], [3.0, 3.0], [0.5, 0.5]], [[2.0, 2.0], [1.0, 1.0], [0.2, 0.2]]])
)


def test_constants_alone_detect_in_their_band_only():
    collisions = ContactThresholds.of(3, collision=[2.0, 30.0, 2.0])
    assert collisions.detects == (True, False)
    assert ContactThresholds.of(3, push=[1.0, 2.0, 3.0]).detects == (False, True)
    limits = collisions.limits(np.ones((2, 2, 3)))
    np.testing.assert_array_equal(limits, [[2.0, 30.0, 2.0], [NEVER] * 3])


def test_a_limit_grows_with_speed_and_acceleration():
    limits = THRESHOLDS.limits(np.array([[[2.0, 0.0], [10.0, 0.0]], [[1.0, 0.0], [5.0, 0.0]]]))
    np.testing.assert_allclose(limits, [[15.0, 4.0], [4.0, 2.0]])


# The bands of the residual


def irregular_times(random, end, interval):
    times = np.cumsum(random.uniform(0.2 * interval, 2.0 * interval, int(2.0 * end / interval)))
    return times[times < end]


def fed(bands, times, r, v):
    """Values (N, 2, n) and motion (N, 2, 2, n) after each step."""
    kept = []
    for time, residual, velocity in zip(times, r, v, strict=True):
        bands.step(residual, velocity, time)
        kept.append((bands.values.copy(), bands.motion.copy()))
    return tuple(np.array(each) for each in zip(*kept, strict=True))


@pytest.mark.parametrize('interval', [1e-3, 3e-2])
def test_a_step_is_answered_exactly_at_any_times(interval):
    times = irregular_times(np.random.default_rng(1), 2.0, interval)
    bands = ResidualBands(1)
    bands.step(STILL, STILL, 0.0)
    values, _ = fed(bands, times, np.full((len(times), 1), 3.0), np.zeros((len(times), 1)))
    exact = 3.0 * (1.0 - np.exp(-2.0 * np.pi * CUTOFF * times))
    np.testing.assert_allclose(values[:, PUSH, 0], exact, rtol=1e-12)


def test_the_bands_add_up_to_the_residual_once_the_observer_has_settled():
    """Before, nothing is a collision; so it is after each reset."""
    random = np.random.default_rng(2)
    times = irregular_times(random, 1.0, 2e-3)
    r, v = random.normal(size=(2, len(times), 3))
    bands, settled = ResidualBands(3), times - times[0] >= 0.2
    assert 0.1 < settled.mean() < 1.0
    for _ in range(2):
        values, _ = fed(bands, times, r, v)
        np.testing.assert_allclose(values[settled].sum(axis=1), r[settled], rtol=1e-12)
        assert not values[~settled, COLLISION].any()
        bands.reset()


def test_the_slow_band_is_bounded_by_the_bound_of_its_error():
    random = np.random.default_rng(3)
    times = irregular_times(random, 5.0, 2e-3)
    phase = np.outer(times, [2.0, 5.0])
    v = np.sin(phase) + 0.05 * random.normal(size=phase.shape)
    constant, slope = np.array([0.3, 0.7]), np.array([1.0, 0.2])
    # The largest error that is allowed at each time, with any sign.
    error = random.choice([-1.0, 1.0], v.shape) * (constant + slope * abs(v))
    values, motion = fed(ResidualBands(2), times, error, v)
    bound = constant + slope * motion[:, PUSH, 0]
    assert (abs(values[:, PUSH]) <= bound + 1e-12).all()
    one_sided, _ = fed(ResidualBands(2), times, abs(error), v)
    late = times - times[0] > 1.0
    np.testing.assert_allclose(one_sided[late, PUSH], bound[late], rtol=1e-12)


def test_the_motion_is_that_of_a_ramp_rises_at_once_for_a_collision_and_decays_slowly():
    times = np.arange(0.0, 1.0, 1e-3)
    v = 0.7 + np.outer(times, [3.0, -0.5])
    _, motion = fed(ResidualBands(2), times, np.zeros_like(v), v)
    rising = 1.0 - np.exp(-2.0 * np.pi * ACCELERATION_CUTOFF * times)
    np.testing.assert_allclose(motion[:, COLLISION, 1], np.outer(rising, [3.0, 0.5]), atol=1e-12)
    v = np.where((times > 0.1) & (times < 0.2), 2.0, 0.0)[:, None]
    _, motion = fed(ResidualBands(1), times, np.zeros_like(v), v)
    speed, moving = motion[:, COLLISION, 0, 0], v[:, 0] > 0.0
    np.testing.assert_array_equal(speed[moving], 2.0)
    decay = speed[200:300] / speed[200]
    np.testing.assert_allclose(decay, np.exp(-2.0 * np.pi * CUTOFF * 1e-3 * np.arange(100)))


# What the detector finds in them


def settled():
    """A detector that has seen a free robot at rest for a second, to t = 0."""
    detector = ContactDetector(THRESHOLDS)
    for step in range(-1000, 1):
        assert detector.step(REST, REST, step * PERIOD) is FREE
    return detector


def states(detector, residual, end, velocity=lambda time: REST):
    """Times and states of the detector for r(t) and v(t)."""
    times = PERIOD * np.arange(1, round(end / PERIOD) + 1)
    return times, [detector.step(residual(time), velocity(time), time) for time in times]


def step_of(height, bandwidth=30.0):
    """r of an observer that feels a constant torque on joint 1 from t = 0 on."""
    return lambda time: np.array([0.0, height * -math.expm1(-2.0 * math.pi * bandwidth * time)])


def test_an_impact_is_found_at_the_first_sample_beyond_the_threshold():
    times, found = states(settled(), step_of(20.0), 0.2)
    # What has passed the low pass until then is less than a sample of it.
    exceeded = times[20.0 * -np.expm1(-2.0 * math.pi * 30.0 * times) > 4.0][0]
    onset = next(state for state in found if state)
    assert (onset.kind, onset.joints) == ('collision', (1,))
    assert onset.since == pytest.approx(exceeded, abs=1.01 * PERIOD)


def test_a_slow_push_is_found_by_its_size_and_keeps_its_beginning_as_it_becomes_a_collision():
    detector = settled()
    _times, found = states(detector, lambda time: np.array([-3.0 * time, 0.0]), 1.0)
    onset = next(state for state in found if state)
    # The low pass follows a ramp with a delay of 1 / (2 pi f).
    delay = 1.0 / (2.0 * math.pi * CUTOFF)
    assert onset.since == pytest.approx(2.0 / 3.0 + delay, abs=2e-3)
    assert {state.kind for state in found} == {'', 'push'}
    assert {state.joints for state in found} == {(), (0,)}
    hit = detector.step(np.array([-3.0, 30.0]), REST, 1.001)
    assert (hit.kind, hit.joints, hit.since) == ('collision', (0, 1), onset.since)


@pytest.mark.parametrize(('share', 'kind'), [(0.95, 'push'), (1.05, 'collision')])
def test_a_push_is_a_collision_where_its_torque_rises_faster_than_2_pi_f_c(share, kind):
    """The fast band of a ramp k t is k / (2 pi f) (1 - exp(-2 pi f t))."""
    detector = settled()
    detector.use(ContactThresholds.of(2, 1.0, 50.0))
    slope = share * 2.0 * math.pi * CUTOFF
    _, found = states(detector, lambda time: np.array([slope * time, 0.0]), 60.0 / slope)
    assert next(state for state in found if state).kind == kind


def test_a_contact_ends_some_time_after_the_last_touch_and_not_between_two():
    def touches(time):
        return step_of(20.0)(time % 0.15) if time < 0.45 and time % 0.15 < 0.09 else REST

    times, found = states(settled(), touches, 1.0)
    touched = np.array([bool(state) for state in found])
    assert np.count_nonzero(np.diff(touched.astype(int)) > 0) == 1
    assert len({state.since for state in found if state}) == 1
    assert found[-1] is FREE
    last = max(time for time, state in zip(times, found, strict=True) if state.joints)
    assert times[touched][-1] - last == pytest.approx(0.1, abs=1.01 * PERIOD)


def test_what_lets_go_does_not_hit():
    """8 N m that begin slowly, and end in 20 ms."""
    _, found = states(
        settled(),
        lambda time: np.array([np.interp(time, [0.0, 2.0, 2.02], [0.0, 8.0, 0.0]), 0.0]),
        3.0,
    )
    assert {state.kind for state in found} == {'', 'push'}
    assert found[-1] is FREE


@pytest.mark.parametrize(('before', 'kind'), [(0.0, 'collision'), (20.0, 'push')])
def test_after_a_pause_what_began_in_it_is_fast_and_what_lasted_is_not(before, kind):
    detector = settled()
    states(detector, lambda time: np.array([0.0, before * min(time, 1.0)]), 3.0)
    detector.pause()
    found = detector.step(np.array([0.0, 20.0]), REST, 3.3)
    assert (found.kind, found.joints, found.since) == (kind, (1,), 3.3)


def test_a_pause_before_the_observer_has_risen_makes_no_collision():
    detector = ContactDetector(THRESHOLDS)
    detector.step(REST, REST, 10.0)
    detector.pause()
    assert not detector.step(np.array([0.0, 20.0]), REST, 10.3)


# Where it is touched

TREE = hand_written('tree').model
Q, EVERYWHERE = np.linspace(0.1, 0.9, TREE.size), np.full(TREE.size, 50.0)


def touched():
    """A contact of a robot with branches that all joints feel, once."""
    thresholds = ContactThresholds.of(TREE.size, 1.0, 1.0)
    contact = Contact(TREE, TREE.joint_names, np.arange(TREE.size), thresholds)
    rest = np.zeros(TREE.size)
    for step in range(1000):
        contact.step(rest, rest, step * PERIOD)
    for step, collides in ((1000, True), (1001, False)):
        contact.step(EVERYWHERE, rest, step * PERIOD)
        assert contact.collides is collides
    return contact


def test_two_touched_branches_are_both_named_and_the_first_joint_decides():
    contact, links = touched(), ContactLinks(TREE).touched(np.ones(TREE.size, bool))
    assert len(links) > 1
    assert (contact.links, contact.link) == (links, links[0])
    sentence = contact.sentence(EVERYWHERE)
    assert all(name in sentence for name in (*links, *TREE.joint_names))
    # The force on that link, whatever the other branches feel; hardly felt, it stays there.
    found = contact.direction(Q, EVERYWHERE)
    assert np.linalg.norm(found) == pytest.approx(1.0)
    below = RobotDynamics(TREE, backend='python').jacobian(Q, contact.link).any(axis=0)
    np.testing.assert_allclose(
        touched().direction(Q, np.where(below, EVERYWHERE, 0.0)), found, atol=1e-12
    )
    contact.step(0.0 * Q, 0.0 * Q, 1002 * PERIOD)
    assert contact.state
    assert not contact.touched_joints()
    assert contact.link == links[0]
    np.testing.assert_array_equal(contact.direction(Q, 0.0 * Q), found)


@pytest.mark.parametrize('name', ['oblique', 'tree', 'fixed_links'])
def test_a_force_on_a_link_is_found_there(name):
    """Of random direction at each link: the joints that feel it are those below."""
    robot = hand_written(name)
    dynamics, links = RobotDynamics(robot.model, backend='python'), ContactLinks(robot.model)
    random = np.random.default_rng(1)
    q = random.uniform(-1.0, 1.0, robot.model.size)
    for frame in robot.model.frames:
        torque = dynamics.jacobian(q, frame.name).T @ random.uniform(-10.0, 10.0, 6)
        found = links.touched(np.abs(torque) > 1e-6)
        expected = () if frame.body < 0 else (frame.body,)
        assert tuple(robot.model.frame(link).body for link in found) == expected
