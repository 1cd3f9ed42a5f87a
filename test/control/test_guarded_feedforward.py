"""What a robot is given where its guards and its feedforward meet."""

import numpy as np
import pytest
from guard_answer import answer
from shown_states import (
    DYNAMICS,
    GRAVITY,
    MODEL,
    PERIOD,
    REST,
    Driver,
    Q,
    assert_smooth,
)

from robot_dynamics_ros.control.feedforward import Feedforward
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.supervisor import Mode
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


def test_joints_in_another_order_and_not_all():
    guard = GuardedFeedforward(Feedforward(DYNAMICS, ['wrist', 'slide']), Settings(fade_time=0.0))
    guard.supervisor.active = True
    for step in range(100):
        command = answer(guard, step * PERIOD, Q, REST, None, now=step * PERIOD, time=0.0)
    np.testing.assert_allclose(command, GRAVITY[[2, 1]], rtol=1e-12)
    assert guard.limiter.limits.tolist() == [20.0, 200.0]


def test_the_age_is_that_of_the_oldest_joint():
    driver = Driver()
    assert driver.guard.age(driver.now) == np.inf
    driver.show()
    shown = driver.now
    driver.now += 0.3
    driver.show(np.where([True, True, False], Q, np.nan))
    assert driver.guard.age(driver.now) == pytest.approx(driver.now - shown, rel=1e-12)


@pytest.mark.parametrize('share', [0.0, 1.0])
def test_a_driver_that_adds_gravity_is_suspected_and_no_other(share):
    driver = Driver()
    command = driver.settle()
    driver.settle(effort=command + share * GRAVITY)
    assert driver.guard.double_compensation.share == pytest.approx(share, abs=1e-12)
    assert driver.guard.double_compensation.is_gravity == bool(share)
    driver.guard.request_fade()
    assert not driver.guard.double_compensation.is_gravity


def test_nobody_is_suspected_where_gravity_is_not_ours():
    driver = Driver(terms=('coriolis',))
    driver.settle(effort=GRAVITY)
    assert not driver.guard.double_compensation.is_gravity


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
    driver, v = (
        Driver(Settings(fade_time=0.0), ('coriolis', 'inertial')),
        np.array([0.5, -0.1, 0.3]),
    )
    commands = [driver.show(Q + step * PERIOD * v, v=None) for step in range(100)]
    light = RobotDynamics(MODEL.with_payload('hand', 1e-9, (0.0, 0.0, 0.0)), backend='python')
    driver.guard.feedforward.use(light)
    commands += [driver.show(Q + step * PERIOD * v, v=None) for step in range(100, 110)]
    steps = np.abs(np.diff(commands[90:], axis=0)).max(axis=1)
    assert steps.max() < 2.0 * np.median(steps)


def test_a_velocity_beyond_all_bounds_is_refused_for_a_joint_without_a_limit_too():
    """Its torque would not be finite: what is held is the last good state, and not for ever."""
    driver = Driver(Settings(fade_time=0.0), ('gravity', 'coriolis'))
    driver.settle()
    for _ in range(1200):
        with pytest.raises(StateError, match='velocity'):
            driver.show(Q + 0.05, v=np.array([1e200, 0.0, 0.0]))
        command = driver.tick()
        if driver.guard.mode is Mode.HOLD:
            np.testing.assert_allclose(command, GRAVITY, rtol=1e-12)
    assert driver.guard.supervisor.fault
    assert command is None


def test_a_robot_that_moved_while_states_were_refused_is_faded_to_in_two_messages_too():
    """One of another joint between does not hide the move of the arm."""
    driver, elsewhere = Driver(), Q + np.array([1.0, 0.3, 0.0])
    before = driver.settle()
    arm, wrist = np.array([True, True, False]), np.array([False, False, True])
    with pytest.raises(StateError, match='jumps'):
        driver.show(np.where(arm, elsewhere, np.nan))
    commands = [before]
    for _ in range(60):
        commands += [driver.show(np.where(part, elsewhere, np.nan)) for part in (wrist, arm)]
    needed = DYNAMICS.gravity_torque(elsewhere)
    assert_smooth(commands, needed - before)
    np.testing.assert_allclose(commands[-1], needed, rtol=1e-12)
