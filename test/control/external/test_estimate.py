"""The estimate of a commanded robot: right where it gives numbers, and silent where it cannot."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_settings import examples
from three_joints import JOINTS, URDF

from robot_dynamics_ros.control import driver_effort
from robot_dynamics_ros.control.external.drive_torques import LARGEST, GivenState
from robot_dynamics_ros.control.external.estimate import (
    AVERAGED,
    SETTLING,
    SLOWEST,
    STEADY,
    ExternalForceEstimate,
    ExternalSettings,
    Tare,
)
from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core import JointFriction, RobotDynamics, StateError, parse_urdf

MODEL = parse_urdf(URDF)
DYNAMICS = RobotDynamics(MODEL)
FRICTION = JointFriction(
    MODEL, viscous={'turn': 1.0, 'wrist': 0.2}, coulomb={'slide': 3.0}, smoothing=0.1
)
OFFSET = np.array([0.1, 0.2, 0.3])
MEANINGS = list(driver_effort.MEANINGS)
NONE, PUSH = np.zeros(3), np.array([3.0, -10.0, 1.0])
PERIOD = 0.002
# After a longer time without a state the estimate begins anew [s].
LONGEST = 0.1
# Between two samples of the driver the trapezoid takes every term for even. With 2 ms and these
# motions the worst that was seen is 3e-5 N m.
SAMPLING = 3e-4
# Gravity does not act along the first axis alone, so that every joint is loaded.
CENTER, AMPLITUDES, RATES = [0.3, 0.1, -0.7], np.array([0.3, 0.05, 0.4]), np.array([3.0, 5.0, 4.0])
WHOLE, PARTS = np.array([[1, 1, 1]], bool), np.array([[1, 1, 0], [0, 0, 1]], bool)


def settings(**changes):
    values = {'external_observer': True, 'external_bandwidth': (20.0, 20.0, 20.0)}
    return ExternalSettings(**(values | changes))


def from_torque(*torque):
    """Thresholds of both bands, as settings."""
    return {'thresholds': ContactThresholds.of(3, torque, torque)}


LOW, HIGH = from_torque(0.5, 0.5, 0.5), from_torque(1.5, 1.5, 0.5)


@cache
def exact(dynamics, moves, time):
    """Of `FeltArm.motion`: each arm begins at the same time."""
    angle, sizes = RATES * (time - 1.7e9), moves * AMPLITUDES
    q, v = CENTER + sizes * np.sin(angle), sizes * RATES * np.cos(angle)
    a = -sizes * RATES**2 * np.sin(angle)
    return q, v, dynamics.inverse_dynamics(q, v, a) + FRICTION.torque(v) + OFFSET


class FeltArm:
    """An exactly known motion and push, shown to an estimate once in each period.

    Attributes:
        push: (3,) external torque [N m or N].
        change: is given each effort (3,), and returns what the driver says of it.
        parts: (m, 3) the joints in each message of a state.
        delay: of the stamp of each message after the one before [s].
        collisions: how many have begun.
        reasons: of the estimate, after each message.
    """

    def __init__(self, *, moves=True, dynamics=DYNAMICS, parts=WHOLE, delay=0.0, **changes):
        self.dynamics, self.parts, self.delay = dynamics, parts, delay
        self.estimate = ExternalForceEstimate(
            dynamics, JOINTS, settings(**changes), friction=FRICTION, offset=OFFSET
        )
        self.push, self.change = NONE, lambda effort: effort
        # As of a driver that stamps with the time since 1970.
        self.time = 1.7e9
        self._moves = moves
        self.collisions, self.reasons = 0, []
        self._q, self._v = self.motion()[:2]

    def motion(self):
        """Rows q and v at the present time, and the effort without a push."""
        return exact(self.dynamics, self._moves, self.time)

    def effort(self):
        return self.motion()[2] - self.push

    def state(self, part=WHOLE[0]):
        """What a message of these joints holds."""
        q, v, _ = self.motion()
        return GivenState(*(np.where(part, x, np.nan) for x in (q, v, self.change(self.effort()))))

    def show(self):
        self.time += PERIOD
        for index, part in enumerate(self.parts):
            self.send(self.time + index * self.delay, self.state(part))

    def send(self, stamp, given):
        q, v, _ = self.motion()
        held = ~np.isnan(given.q)
        self._q, self._v = np.where(held, q, self._q), np.where(held, v, self._v)
        self.estimate.update(stamp, self._q, self._v, given, longest_interval=LONGEST)
        self.collisions += self.estimate.contact.collides
        self.reasons.append(self.estimate.reason)

    def run(self, seconds):
        """The largest torque that is felt meanwhile [N m or N]."""
        worst = 0.0
        for _ in range(round(seconds / PERIOD)):
            self.show()
            worst = max(worst, np.abs(self.estimate.torque).max())
        return worst


def settled(**changes):
    """An arm whose efforts have been found to fit, and whose collisions are detected."""
    arm = FeltArm(**changes)
    arm.run(1.0)
    assert not arm.estimate.reason
    return arm


def replaced(joint, value):
    return lambda effort: np.where(np.arange(3) == joint, value, effort)


@pytest.mark.parametrize('parts', [WHOLE, PARTS, PARTS[::-1]], ids=['whole', 'first', 'last'])
@pytest.mark.parametrize('delay', [0.0, 0.3 * PERIOD, -3600.0])
def test_a_push_is_felt_exactly_and_once_and_nothing_without_it(parts, delay):
    """In a fast motion with friction and offset, by one driver or by two with their own clocks."""
    arm = settled(parts=parts, delay=delay, **LOW)
    assert arm.run(1.0) < SAMPLING
    assert not arm.collisions
    arm.push = PUSH
    # 20 time constants of 8 ms.
    arm.run(0.16)
    np.testing.assert_allclose(arm.estimate.torque, PUSH, atol=SAMPLING)
    assert arm.collisions == 1


@pytest.mark.parametrize('lost', [0, 1])
def test_after_a_lost_part_the_parts_of_one_state_are_put_together_again(lost):
    arm = settled(parts=PARTS)
    arm.parts = PARTS[[1 - lost]]
    arm.show()
    arm.parts = PARTS
    # Then the error of that state has decayed by ten time constants.
    arm.run(0.08)
    assert arm.run(1.0) < SAMPLING


@pytest.mark.parametrize(
    ('missing', 'words'),
    [(['effort', 'effort', 'v'], 'velocity and effort'), (['v'], 'velocity')],
)
def test_velocities_without_efforts_in_the_same_message_are_one_reason(missing, words):
    arm = FeltArm(moves=False)
    for count in range(50):
        arm.time += PERIOD
        arm.send(arm.time, arm.state()._replace(**{missing[count % len(missing)]: None}))
    (reason,) = set(arm.reasons[3:])
    assert reason.startswith(f'{words} of {", ".join(JOINTS)} ')
    arm.run(1.0)
    assert not arm.estimate.reason


@pytest.mark.parametrize('flaw', ['repeated', np.nan, LARGEST * 200.0 * 1.1])
def test_a_state_that_tells_nothing_is_the_same_as_none(flaw):
    """It repeats its stamp, has no effort, or one that no drive has."""
    arm, twin = FeltArm(**HIGH), FeltArm(**HIGH)
    for count in range(1, 2000):
        arm.push = twin.push = PUSH if count >= 1000 else NONE
        flawed = flaw != 'repeated' and count % 7 == 0
        arm.change = replaced(1, flaw) if flawed else twin.change
        twin.parts = WHOLE[:0] if flawed else WHOLE
        arm.show()
        twin.show()
        if flaw == 'repeated':
            # The driver may stamp more rarely than it reads.
            arm.send(arm.time, GivenState(*(x + 0.01 for x in arm.state())))
        assert arm.estimate.reason == twin.estimate.reason
        np.testing.assert_array_equal(arm.estimate.torque, twin.estimate.torque)
    np.testing.assert_allclose(arm.estimate.torque, PUSH, atol=4.0 * SAMPLING)
    assert arm.collisions == twin.collisions == 1


@pytest.mark.parametrize(('joint', 'share'), [(1, np.nan), (2, -1.01), (1, 1e302)])
def test_from_the_longest_interval_on_a_missing_effort_is_one_reason_and_returns(joint, share):
    """Also one beyond ten times its limit, which is another number in each state."""
    arm, limit = settled(**HIGH), MODEL.effort_bounds[joint]
    arm.run(LONGEST - PERIOD)
    first, arm.reasons = share * LARGEST * limit, []
    with np.errstate(all='raise'):
        for count in range(100):
            arm.change = replaced(joint, first * (1.0 + count))
            arm.show()
    waited = arm.reasons.count('')
    assert waited * PERIOD == pytest.approx(LONGEST, abs=1.01 * PERIOD)
    (reason,) = set(arm.reasons[waited:])
    assert reason.startswith(f'effort of {JOINTS[joint]} is ')
    assert np.isnan(share) or f'{first:.3g}' in reason
    arm.change = lambda effort: effort
    arm.run(0.1)
    assert not arm.estimate.reason
    assert np.abs(arm.estimate.torque).max() < SAMPLING
    assert not arm.collisions


def published(arm, meaning):
    """What a driver of this kind says of an effort."""
    return {
        'torque': lambda effort: effort,
        'reversed_torque': lambda effort: -effort,
        'torque_without_gravity': lambda effort: effort - DYNAMICS.gravity_torque(arm.motion()[0]),
    }[meaning]


@pytest.mark.parametrize('truth', MEANINGS)
@pytest.mark.parametrize('meaning', MEANINGS)
def test_efforts_that_are_something_else_than_said_are_refused_until_they_fit(meaning, truth):
    """In motion; what fits is named, and felt exactly as soon as it is set."""
    arm = FeltArm(driver_effort=meaning)
    arm.change = published(arm, truth)
    arm.run(0.4)
    assert arm.estimate.reason == SETTLING
    arm.run(1.6)
    if meaning != truth:
        assert f'driver_effort is {meaning}, {truth} ' in arm.estimate.reason
        arm.estimate.apply(settings(driver_effort=truth))
        arm.run(1.0)
    assert arm.run(1.0) < SAMPLING
    assert not arm.estimate.reason
    # Once they have fitted they are not compared any more.
    arm.change = published(arm, MEANINGS[MEANINGS.index(truth) - 1])
    arm.run(1.0)
    assert not arm.estimate.reason


@pytest.mark.parametrize('meaning', ['current', 'none'])
def test_of_what_is_no_torque_nothing_is_estimated_with_that_reason(meaning):
    arm = settled()
    arm.estimate.apply(settings(driver_effort=meaning))
    arm.run(1.0)
    assert meaning in arm.estimate.reason
    arm.estimate.apply(settings())
    arm.run(1.0)
    assert not arm.estimate.reason


@pytest.mark.parametrize(('joint', 'link'), [(0, 'shoulder'), (1, 'slider'), (2, 'hand')])
def test_a_collision_is_assigned_to_the_last_link_that_feels_it(joint, link):
    arm = settled(**from_torque(1.0, 1.0, 1.0))
    arm.push = 5.0 * np.eye(3)[joint]
    arm.run(0.3)
    contact = arm.estimate.contact
    assert (contact.state.kind, contact.link) == ('collision', link)
    arm.push = NONE
    arm.run(0.5)
    assert not contact.state
    assert not contact.link


def test_the_wrench_explains_the_torques_and_a_force_has_its_direction():
    arm = settled(moves=False, **from_torque(1.0, 1.0, 1.0))
    jacobian = DYNAMICS.jacobian(arm.motion()[0], 'hand', 'LOCAL')
    arm.push = jacobian.T @ np.array([2.0, -1.0, 3.0, 0.0, 0.0, 0.0])
    arm.run(0.3)
    assert arm.estimate.frame == 'hand'
    np.testing.assert_allclose(jacobian.T @ arm.estimate.wrench(), arm.push, atol=1e-3)
    # Along the axis of the sliding joint: the smallest force with that torque has a part of it.
    arm.push = np.array([0.0, 20.0, 0.0])
    arm.run(1.0)
    direction = arm.estimate.contact_direction()
    assert arm.estimate.contact.link == 'slider'
    assert np.linalg.norm(direction) == pytest.approx(1.0)
    assert direction[2] > 0.5


@pytest.mark.parametrize('elapsed', [0.15, -1e6])
@pytest.mark.parametrize(('before', 'kind'), [(NONE, 'collision'), (PUSH, 'push')])
def test_after_a_pause_it_begins_anew_and_what_hit_in_it_is_a_collision(before, kind, elapsed):
    """Nothing is a contact again, where the stamps are set back."""
    arm = settled(**HIGH)
    arm.push = before
    arm.run(2.0)
    arm.collisions, arm.push = 0, PUSH
    arm.time += elapsed
    arm.show()
    assert arm.estimate.reason == SETTLING
    arm.run(0.2)
    assert arm.estimate.contact.state.kind == (kind if elapsed > 0.0 else 'push')
    assert arm.collisions == (kind == 'collision' and elapsed > 0.0)


# What is taken off


def take_off(arm):
    arm.estimate.tare.begin(np.full(3, 1000.0))
    arm.run(0.51)
    arm.estimate.take_off()
    arm.show()


def test_what_is_taken_off_is_no_contact_and_of_one_gravity():
    arm = settled(moves=False, dynamics=RobotDynamics(MODEL), **from_torque(5.0, 5.0, 5.0))
    arm.push = np.array([0.4, 1.0, 0.3])
    arm.run(1.0)
    take_off(arm)
    arm.run(1.0)
    assert not arm.collisions
    np.testing.assert_allclose(arm.estimate.torque, NONE, atol=1e-9)
    arm.push = NONE
    arm.run(1.0)
    np.testing.assert_allclose(arm.estimate.torque, [-0.4, -1.0, -0.3], atol=1e-9)
    arm.estimate.apply(settings())
    assert arm.estimate.tare.torque.any()
    arm.dynamics.gravity = (0.0, 0.0, -9.7)
    arm.estimate.apply(settings())
    assert not arm.estimate.tare.torque.any()
    assert arm.estimate.tare.dropped == 'gravity'


def test_another_payload_makes_no_step_and_drops_the_tare():
    """The efforts are those of the loaded arm from the moment on at which the model knows it."""
    arm = settled(moves=False, **from_torque(0.1, 0.1, 0.1))
    arm.push = 0.01 * PUSH
    arm.run(0.3)
    take_off(arm)
    arm.dynamics = RobotDynamics(MODEL.with_payload('hand', 2.0, (0.1, 0.0, 0.2)))
    arm.estimate.use(arm.dynamics)
    assert arm.estimate.tare.dropped == 'the payload'
    for _ in range(100):
        arm.show()
        np.testing.assert_allclose(arm.estimate.torque, arm.push, atol=SAMPLING)
    assert not arm.collisions


LIMITS, ERROR = np.array([50.0, 200.0]), np.array([1.0, -3.0])


def averaged(residual, v=(0.0, 0.0), *, seconds=1.01 * AVERAGED, limits=LIMITS, touched=''):
    """A tare after so many seconds of residuals: a value (2,), or a function of time."""
    tare = Tare(('turn', 'lift'), ('N m', 'N'))
    tare.begin(limits)
    for time in np.arange(0.0, seconds, 0.01):
        r = residual(time) if callable(residual) else residual
        tare.step(np.array(r), np.array(v), 100.0 + time, touched)
    return tare


def test_the_mean_is_taken_off():
    noise = np.random.default_rng(1).normal(0.0, 0.05, (100, 2))
    tare = averaged(lambda time: ERROR + noise[round(100 * time)])
    with pytest.raises(StateError, match='call again'):
        tare.begin(LIMITS)
    tare.take_off()
    np.testing.assert_allclose(tare.torque, ERROR, atol=0.02)


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ({'seconds': 0.8 * AVERAGED}, 'interrupted'),
        ({'v': (0.0, -1.5 * SLOWEST)}, 'lift at 0.03 m/s'),
        ({'touched': 'push at hand'}, 'push at hand'),
        ({'residual': lambda time: [2.2 * STEADY * 50.0 * (time < 0.25), 0.0]}, 'turn varies'),
        ({'residual': [0.0, -22.0]}, 'lift is 22 N'),
        ({'residual': [1.5, 0.0], 'limits': np.full(2, np.inf)}, 'turn is 1.5 N m'),
    ],
)
def test_what_must_not_be_taken_off_is_named(given, words):
    tare = averaged(**({'residual': ERROR} | given))
    with pytest.raises(StateError, match=words):
        tare.take_off()
    assert not tare.torque.any()


MISSING = st.lists(st.booleans(), min_size=3, max_size=3)
EVENTS = st.one_of(
    st.tuples(st.just('states'), st.integers(1, 40)),
    st.tuples(st.just('elapsed'), st.sampled_from([-5.0, 0.0, 1e-9, 0.05, 0.5, 100.0])),
    st.tuples(st.just('no effort'), MISSING),
    st.tuples(st.just('held'), MISSING),
    st.tuples(st.just('no velocity'), st.none()),
    st.tuples(st.just('huge effort'), st.sampled_from([1e6, -1e6, 1e3])),
    st.tuples(st.just('reset'), st.none()),
)


def play(arm, event, value):
    arm.parts = np.array([value if event == 'held' else WHOLE[0]])
    arm.time += value if event == 'elapsed' else 0.0
    arm.push = np.full(3, value) if event == 'huge effort' else NONE
    arm.change = lambda effort: np.where(value if event == 'no effort' else False, np.nan, effort)
    if event == 'reset':
        arm.estimate.reset()
    elif event == 'no velocity':
        arm.send(arm.time, arm.state()._replace(v=None))
    else:
        arm.run(PERIOD * (value if event == 'states' else 1))


@examples(25, deadline=None)
@given(st.lists(EVENTS, max_size=8))
def test_the_estimate_is_finite_or_has_a_reason(events):
    arm = settled(**from_torque(1.0, 1.0, 1.0))
    for event, value in events:
        play(arm, event, value)
        estimate = arm.estimate
        if not estimate.reason:
            assert np.isfinite(estimate.torque).all()
            assert np.isfinite(estimate.wrench()).all()
        if estimate.contact.state:
            assert not estimate.reason
            assert np.isfinite(estimate.contact_direction()).all()
