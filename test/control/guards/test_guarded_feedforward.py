"""What a robot is given where its guards and its feedforward meet."""

from dataclasses import replace

import numpy as np
import pytest
from guard_answer import answer
from shown_states import (
    DYNAMICS,
    GRAVITY,
    LOADED,
    MODEL,
    PERIOD,
    REST,
    Driver,
    Q,
    assert_smooth,
)
from three_joints import JOINTS

from robot_dynamics_ros.control.feedforward import Feedforward
from robot_dynamics_ros.control.guards.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.guards.settings import GuardSettings
from robot_dynamics_ros.control.guards.supervisor import Mode
from robot_dynamics_ros.core import RobotDynamics, StateError


def test_activation_begins_at_zero_torque_and_fades_in():
    driver = Driver()
    commands = [driver.show() for _ in range(60)]
    assert not commands[0].any()
    assert_smooth(commands, GRAVITY)
    np.testing.assert_allclose(commands[-1], GRAVITY, rtol=1e-12)


def test_a_simulation_that_begins_anew_elsewhere_is_faded_to():
    driver, elsewhere = Driver(), Q + np.array([1.0, 0.3, -1.0])
    last = driver.settle()
    driver.guard.reset_times()
    commands = [last] + [driver.show(elsewhere) for _ in range(60)]
    needed = DYNAMICS.gravity_torque(elsewhere)
    assert_smooth(commands, needed - last)
    np.testing.assert_allclose(commands[-1], needed, rtol=1e-12)


def test_before_it_is_active_it_is_silent():
    driver = Driver()
    driver.guard.active = False
    assert driver.show() is None
    assert driver.tick() is None


def test_gravity_is_found_although_each_second_state_is_late():
    """Two publishers on one topic: half of the states is refused, and no fade begins anew."""
    driver = Driver()
    for _ in range(100):
        driver.show()
        with pytest.raises(StateError, match='before'):
            driver.show(late=0.1)
    np.testing.assert_allclose(driver.guard.effort, GRAVITY, rtol=1e-12)


def test_a_robot_that_is_elsewhere_is_faded_to_what_it_needs_there():
    driver, elsewhere = Driver(), Q + np.array([1.0, 0.3, -1.0])
    before = driver.settle()
    with pytest.raises(StateError, match='jumps'):
        driver.show(elsewhere)
    commands = [before] + [driver.show(elsewhere) for _ in range(60)]
    needed = DYNAMICS.gravity_torque(elsewhere)
    assert_smooth(commands, needed - before)
    np.testing.assert_allclose(commands[-1], needed, rtol=1e-12)


def test_a_state_that_does_not_suffice_is_not_held():
    """Its position is as untrusted as the rest of it, however many of them come."""
    driver = Driver(GuardSettings(fade_time=0.0), terms=('gravity', 'coriolis'))
    driver.settle()
    while driver.guard.mode is Mode.FOLLOW:
        assert driver.now < 20.0
        with pytest.raises(StateError, match=r'NaN.*coriolis'):
            driver.show(Q + 0.05, None)
        driver.tick()
    for _ in range(200):
        driver.tick()
    assert driver.guard.mode is Mode.HOLD
    np.testing.assert_allclose(driver.guard.effort, GRAVITY, rtol=1e-12)


def test_a_successor_goes_on_from_the_command_and_goes_by_its_own_settings():
    before, after = Driver(), Driver(None, ['gravity'], LOADED)
    last = before.settle()
    before.guard.followed.dropped = 3
    after.guard.continue_from(before.guard)
    assert after.guard.followed.dropped == 3
    # The torque of the new robot at the last state.
    np.testing.assert_array_equal(after.guard.feedforward.q, Q)
    np.testing.assert_allclose(after.guard.feedforward.terms[0], LOADED.gravity_torque(Q))
    after.now = before.now
    commands = [last] + [after.show() for _ in range(60)]
    needed = LOADED.gravity_torque(Q)
    assert_smooth(commands, needed - last)
    np.testing.assert_allclose(commands[-1], needed, rtol=1e-12)


def test_what_changes_all_the_time_is_followed():
    """Each robot begins a fade of a second from the one before, five times a second."""
    driver = Driver(GuardSettings(fade_time=1.0))
    last = driver.settle(seconds=2.0)
    for mass in np.linspace(0.0, 5.0, 26):
        payload = MODEL.with_payload('hand', mass, (0.1, 0.0, 0.2))
        dynamics = RobotDynamics(payload, backend='python')
        successor = Driver(GuardSettings(fade_time=1.0), dynamics=dynamics)
        successor.guard.continue_from(driver.guard)
        successor.now, driver = driver.now, successor
        commands = [last] + [driver.show() for _ in range(40)]
        last = commands[-1]
    target = driver.guard.feedforward.effort
    lag = np.abs(target - last) / np.abs(target - GRAVITY)
    # A second of the five.
    assert (lag[1:] < 0.2).all()


def test_joints_in_another_order_and_not_all():
    guard = GuardedFeedforward(
        Feedforward(DYNAMICS, ['wrist', 'slide']), GuardSettings(fade_time=0.0)
    )
    guard.active = True
    for step in range(100):
        command = answer(guard, step * PERIOD, Q, REST, None, now=step * PERIOD, time=0.0)
    np.testing.assert_allclose(command, GRAVITY[[2, 1]], rtol=1e-12)
    assert guard.limiter.limits.tolist() == [20.0, 200.0]


@pytest.mark.parametrize('share', [0.0, 1.0])
def test_a_driver_that_adds_gravity_is_suspected_and_no_other(share):
    driver = Driver()
    command = driver.settle()
    driver.settle(effort=command + share * GRAVITY)
    assert driver.guard.double_compensation.share == pytest.approx(share, abs=1e-12)
    assert driver.guard.double_compensation.suspected == bool(share)
    driver.guard.request_fade()
    assert not driver.guard.double_compensation.suspected


def test_nobody_is_suspected_where_gravity_is_not_ours():
    driver = Driver(terms=('coriolis',))
    driver.settle(effort=GRAVITY)
    assert not driver.guard.double_compensation.suspected


def test_the_joints_are_in_this_order():
    assert MODEL.joint_names == JOINTS


def test_a_smaller_share_of_the_limits_is_reached_as_fast():
    """The rates are those of the joints, whatever share of their limits may be used."""
    driver = Driver()
    rates = driver.guard.limiter.rates.copy()
    driver.guard.apply(replace(driver.guard.settings, effort_scale=0.01))
    np.testing.assert_allclose(driver.guard.limiter.rates, rates)


def test_a_stamp_that_stands_still_renews_nothing():
    """A driver that repeats itself is as good as none."""
    driver = Driver()
    driver.settle()
    stamp = driver.now
    for _ in range(round(2 * driver.guard.settings.state_timeout / PERIOD)):
        driver.now += PERIOD
        answer(driver.guard, stamp, Q, REST, None, now=driver.now, time=driver.now)
    assert not driver.guard.fresh(driver.now)
    assert driver.guard.mode is Mode.HOLD


def test_a_new_payload_takes_nothing_from_the_estimated_velocity():
    """At once, without a fade: what is estimated from the states belongs to them alone."""
    settings = GuardSettings(fade_time=0.0, velocity_cutoff=20.0)
    terms, v = ('coriolis', 'inertial'), np.array([0.5, -0.1, 0.3])
    driver = Driver(settings, terms)
    commands = [driver.show(Q + step * PERIOD * v, v=None) for step in range(100)]
    light = RobotDynamics(MODEL.with_payload('hand', 1e-9, (0.0, 0.0, 0.0)), backend='python')
    successor = Driver(settings, terms, light)
    successor.guard.continue_from(driver.guard)
    successor.now = driver.now
    commands += [successor.show(Q + step * PERIOD * v, v=None) for step in range(100, 110)]
    steps = np.abs(np.diff(commands[90:], axis=0)).max(axis=1)
    assert steps.max() < 2.0 * np.median(steps)


def test_bursts_that_cannot_be_answered_become_stale():
    """A term needs the velocity, which has ceased: no state of a burst counts as good."""
    driver = Driver(terms=('gravity', 'coriolis'))
    driver.settle()
    for _ in range(20):
        for _ in range(2):
            driver.now += PERIOD
            driver.guard.take(driver.now, Q, None, None, now=driver.now, time=driver.now)
        with pytest.raises(StateError):
            driver.guard.command(driver.now, driver.now)
        driver.tick()
    assert driver.guard.mode is Mode.HOLD
