"""Thresholds, the bands of the residual, what is found in them, and which link is touched."""

import math
import re

import numpy as np
import pytest
from mechanics.examples import example, needs_examples
from mechanics.robots import HAND_WRITTEN, hand_written

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
from robot_dynamics_ros.core import ParameterError, RobotDynamics, StateError, parse_urdf

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
    assert collisions.above(np.array([10.0, 20.0, np.inf])) == [('collision', 1)]


def test_a_limit_grows_with_speed_and_acceleration():
    limits = THRESHOLDS.limits(np.array([[[2.0, 0.0], [10.0, 0.0]], [[1.0, 0.0], [5.0, 0.0]]]))
    np.testing.assert_allclose(limits, [[15.0, 4.0], [4.0, 2.0]])


@pytest.mark.parametrize('bad', [0.0, -1.0, np.nan, np.inf])
def test_a_constant_must_be_positive_and_finite(bad):
    with pytest.raises(ParameterError, match='push threshold: constant of joint 1'):
        ContactThresholds.of(2, push=[1.0, bad])


# The bands of the residual


def irregular_times(random, end, interval):
    steps = random.uniform(0.2 * interval, 2.0 * interval, int(2.0 * end / interval))
    times = np.cumsum(steps)
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
    random = np.random.default_rng(2)
    times = irregular_times(random, 1.0, 2e-3)
    r, v = random.normal(size=(2, len(times), 3))
    values, _ = fed(ResidualBands(3), times, r, v)
    settled = times - times[0] >= 0.2
    assert 0.1 < settled.mean() < 1.0
    np.testing.assert_allclose(values[settled].sum(axis=1), r[settled], rtol=1e-12)
    assert not values[~settled, COLLISION].any()


def test_the_beginning_of_an_observer_is_no_collision():
    bands, times = ResidualBands(1), np.arange(0.0, 1.0, 1e-3)
    r = 10.0 * (1.0 - np.exp(-2.0 * np.pi * 20.0 * times))[:, None]
    for _ in range(2):
        values, _ = fed(bands, times, r, np.zeros_like(r))
        assert abs(values[:, COLLISION]).max() < 0.05
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
    # From the first residual on, where nothing has been low-passed yet.
    assert (abs(values[:, PUSH]) <= bound + 1e-12).all()
    one_sided, _ = fed(ResidualBands(2), times, abs(error), v)
    late = times - times[0] > 1.0
    np.testing.assert_allclose(one_sided[late, PUSH], bound[late], rtol=1e-12)


def test_the_motion_rises_at_once_for_a_collision_and_decays_slowly():
    bands, times = ResidualBands(1), np.arange(0.0, 0.4, 1e-3)
    v = np.where((times > 0.1) & (times < 0.2), 2.0, 0.0)[:, None]
    _, motion = fed(bands, times, np.zeros_like(v), v)
    speed = motion[:, COLLISION, 0, 0]
    moving = v[:, 0] > 0.0
    np.testing.assert_array_equal(speed[moving], 2.0)
    after = np.flatnonzero(moving)[-1] + 1 + np.arange(100)
    decay = speed[after] / speed[after[0]]
    np.testing.assert_allclose(decay, np.exp(-2.0 * np.pi * CUTOFF * 1e-3 * np.arange(100)))


def test_the_acceleration_is_that_of_a_ramp():
    bands, times = ResidualBands(2), np.arange(0.0, 1.0, 1e-3)
    v = 0.7 + np.outer(times, [3.0, -0.5])
    _, motion = fed(bands, times, np.zeros_like(v), v)
    rising = 1.0 - np.exp(-2.0 * np.pi * ACCELERATION_CUTOFF * times)
    np.testing.assert_allclose(motion[:, COLLISION, 1], np.outer(rising, [3.0, 0.5]), atol=1e-12)


def test_what_is_not_newer_is_ignored():
    bands, same = ResidualBands(1), ResidualBands(1)
    r, v = np.random.default_rng(4).normal(size=(2, 500, 1))
    times = np.arange(500) * 1e-3
    expected, _ = fed(same, times, r, v)
    # Each state again, with nonsense, at the same time and before it.
    again = np.ravel([times, times, times - 0.01], order='F')
    nonsense = np.full_like(r, 1e3)
    r, v = (np.stack([x, nonsense, nonsense], axis=1).reshape(-1, 1) for x in (r, v))
    np.testing.assert_array_equal(fed(bands, again, r, v)[0][2::3], expected)


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
    fast, slow = 2.0 * math.pi * 30.0, 2.0 * math.pi * CUTOFF
    # Low pass of the rising exponential, solved exactly; the detector holds r over a sample.
    low = 1.0 - (fast * np.exp(-slow * times) - slow * np.exp(-fast * times)) / (fast - slow)
    exceeded = times[20.0 * (-np.expm1(-fast * times) - low) > 4.0][0]
    onset = next(state for state in found if state)
    assert (onset.kind, onset.joints) == ('collision', (1,))
    assert onset.since == pytest.approx(exceeded, abs=1.01 * PERIOD)
    assert onset.since < 3e-3


def test_a_slow_push_is_found_by_its_size():
    _times, found = states(settled(), lambda time: np.array([-3.0 * time, 0.0]), 1.0)
    onset = next(state for state in found if state)
    # The low pass follows a ramp with a delay of 1 / (2 pi f).
    delay = 1.0 / (2.0 * math.pi * CUTOFF)
    assert onset.since == pytest.approx(2.0 / 3.0 + delay, abs=2e-3)
    assert {state.kind for state in found} == {'', 'push'}
    assert {state.joints for state in found} == {(), (0,)}


@pytest.mark.parametrize(('share', 'kind'), [(0.95, 'push'), (1.05, 'collision')])
def test_a_push_is_a_collision_where_its_torque_rises_faster_than_2_pi_f_c(share, kind):
    """The fast band of a ramp k t is k / (2 pi f) (1 - exp(-2 pi f t))."""
    detector = settled()
    detector.use(ContactThresholds.of(2, 1.0, 50.0))
    slope = share * 2.0 * math.pi * CUTOFF
    _, found = states(detector, lambda time: np.array([slope * time, 0.0]), 60.0 / slope)
    assert next(state for state in found if state).kind == kind


def test_a_push_becomes_a_collision_and_keeps_its_beginning():
    detector = settled()
    pushed = states(detector, lambda time: np.array([3.0 * min(time, 0.8), 0.0]), 1.0)[1][-1]
    assert pushed.kind == 'push'
    hit = detector.step(np.array([2.4, 30.0]), REST, 1.001)
    assert (hit.kind, hit.joints, hit.since) == ('collision', (0, 1), pushed.since)


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
    def pushed(time):
        """8 N m that begin slowly, and end in 20 ms."""
        return np.array([max(0.0, min(4.0 * time, 8.0, 8.0 * (2.02 - time) / 0.02)), 0.0])

    _, found = states(settled(), pushed, 3.0)
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


@pytest.mark.parametrize('bad', [math.nan, math.inf])
@pytest.mark.parametrize('which', [0, 1])
def test_what_is_not_finite_is_refused_and_forgotten(bad, which):
    detector = settled()
    values = [np.zeros(2), np.zeros(2)]
    values[which][1] = bad
    with pytest.raises(StateError, match='not finite'):
        detector.step(*values, PERIOD)
    for step in range(2, 1000):
        assert detector.step(REST, REST, step * PERIOD) is FREE


# Where it is touched

TREE = hand_written('tree').model
Q = np.linspace(0.1, 0.9, TREE.size)


def touched(*joints):
    """A contact of a robot with branches that these joints feel, and the torques (n,)."""
    thresholds = ContactThresholds.of(TREE.size, 1.0, 1.0)
    contact = Contact(TREE, TREE.joint_names, np.arange(TREE.size), thresholds)
    times = iter(np.arange(0.0, 100.0, PERIOD).tolist())
    rest, torque = np.zeros((2, TREE.size))
    for _ in range(1000):
        contact.step(rest, rest, next(times))
    torque[list(joints)] = 50.0
    contact.step(torque, rest, next(times))
    assert contact.collides
    contact.step(torque, rest, next(times))
    assert not contact.collides
    return contact, torque


def test_two_touched_branches_are_both_named_and_the_first_joint_decides():
    links = ContactLinks(TREE).touched(np.ones(TREE.size, bool))
    assert len(links) > 1
    contact, everywhere = touched(*range(TREE.size))
    assert (contact.links, contact.link) == (links, links[0])
    sentence = contact.sentence(everywhere)
    assert all(link in sentence for link in links)
    for joint in TREE.independent_joints:
        unit = 'N' if joint.kind == 'prismatic' else 'N m'
        assert f'{joint.name} 50 {unit}' in re.split(': external torque of |, ', sentence)
    # The force on that link, whatever the other branches feel.
    found = contact.direction(Q, everywhere)
    assert np.linalg.norm(found) == pytest.approx(1.0)
    below = RobotDynamics(TREE, backend='python').jacobian(Q, contact.link).any(axis=0)
    np.testing.assert_allclose(
        touched(*range(TREE.size))[0].direction(Q, np.where(below, 50.0, 0.0)), found, atol=1e-12
    )


def test_a_contact_that_is_hardly_felt_any_more_stays_where_it_was():
    contact, torque = touched(0, 1)
    before, found = contact.link, contact.direction(Q, torque)
    contact.step(0.0 * torque, 0.0 * torque, 1.01)
    assert contact.state
    assert not contact.touched_joints()
    assert contact.link == before
    np.testing.assert_array_equal(contact.direction(Q, 0.0 * torque), found)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_a_push_on_one_joint_is_on_the_link_that_it_carries(robot):
    model, links = robot.model, ContactLinks(robot.model)
    for name, felt in zip(model.joint_names, np.eye(model.size, dtype=bool), strict=True):
        (link,) = links.touched(felt)
        assert model.joints[model.frame(link).body].name == name
    assert links.touched(np.zeros(model.size, bool)) == ()


@pytest.mark.parametrize(
    'name', ['oblique', 'tree', 'fixed_links', pytest.param('ur5', marks=needs_examples)]
)
def test_a_force_on_a_link_is_found_there(name):
    """Of random direction at each link: the joints that feel it are those below."""
    robot = example('ur_description/urdf/ur5_robot.urdf') if name == 'ur5' else hand_written(name)
    dynamics, links = RobotDynamics(robot.model, backend='python'), ContactLinks(robot.model)
    random = np.random.default_rng(1)
    q = random.uniform(-1.0, 1.0, robot.model.size)
    for frame in robot.model.frames:
        torque = dynamics.jacobian(q, frame.name).T @ random.uniform(-10.0, 10.0, 6)
        found = links.touched(np.abs(torque) > 1e-6)
        expected = () if frame.body < 0 else (frame.body,)
        assert tuple(robot.model.frame(link).body for link in found) == expected


def test_a_joint_before_it_may_mimic_it():
    """j1 mimics j3, and j2 j4: what is touched together is behind the last independent joint."""
    names = {1: '<mimic joint="j3"/>', 2: '<mimic joint="j4"/>'}
    text = '<robot name="r"><link name="l0"/>' + ''.join(
        f'<link name="l{i}"/><joint name="j{i}" type="revolute"><parent link="l{i - 1}"/>'
        f'<child link="l{i}"/><axis xyz="0 0 1"/>{names.get(i, "")}'
        '<limit lower="-1" upper="1" effort="9" velocity="2"/></joint>'
        for i in range(1, 5)
    )
    model = parse_urdf(f'{text}</robot>')
    links = ContactLinks(model)
    assert model.joint_names == ('j3', 'j4')
    assert links.touched(np.array([True, False])) == ('l3',)
    assert links.touched(np.array([False, True])) == links.touched(np.ones(2, bool)) == ('l4',)
