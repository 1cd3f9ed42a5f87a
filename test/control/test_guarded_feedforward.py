"""What a robot is given where its guards and its feedforward meet, and its final command."""

import numpy as np
import pytest
from shown_states import (
    DYNAMICS,
    GRAVITY,
    OTHER,
    PERIOD,
    REST,
    Driver,
    Q,
    answer,
    assert_smooth,
)

from robot_dynamics_ros.control.feedforward import Feedforward
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.supervisor import REPEATS, Mode
from robot_dynamics_ros.core import StateError

PARTS = np.array([True, True, False]), np.array([False, False, True])


def simulation_begins_anew(driver, elsewhere):
    driver.guard.reset_times()
    return [np.ones(3, bool)]


def a_state_was_refused(driver, elsewhere):
    with pytest.raises(StateError, match='jumps'):
        driver.show(elsewhere)
    return [np.ones(3, bool)]


def a_part_was_refused(driver, elsewhere):
    """A state of another joint between does not hide the move of the arm."""
    with pytest.raises(StateError, match='jumps'):
        driver.show(np.where(PARTS[0], elsewhere, np.nan))
    return PARTS[::-1]


@pytest.mark.parametrize(
    'moved', [simulation_begins_anew, a_state_was_refused, a_part_was_refused]
)
def test_a_robot_that_is_elsewhere_is_faded_to_what_it_needs_there(moved):
    driver, elsewhere = Driver(), Q + np.array([1.0, 0.3, 0.0])
    commands = [driver.settle()]
    parts = moved(driver, elsewhere)
    for _ in range(60):
        commands += [driver.show(np.where(part, elsewhere, np.nan)) for part in parts]
    needed = DYNAMICS.gravity_torque(elsewhere)
    assert_smooth(commands, needed - commands[0])
    np.testing.assert_allclose(commands[-1], needed, rtol=1e-12)


def test_gravity_is_found_although_each_second_state_is_late():
    """Two publishers on one topic: half of the states is refused, and no fade begins anew."""
    driver = Driver()
    for _ in range(100):
        driver.show()
        with pytest.raises(StateError, match='before'):
            driver.show(late=0.1)
    np.testing.assert_allclose(driver.guard.effort, GRAVITY, rtol=1e-12)


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
    driver.show(np.where(PARTS[0], Q, np.nan))
    assert driver.guard.age(driver.now) == pytest.approx(driver.now - shown, rel=1e-12)


@pytest.mark.parametrize(
    ('terms', 'share'), [(('gravity',), 0.0), (('gravity',), 1.0), (('coriolis',), np.nan)]
)
def test_a_driver_that_adds_gravity_is_suspected_and_no_other(terms, share):
    """Nobody is where gravity is not ours."""
    driver = Driver(terms=terms)
    command = driver.settle()
    driver.settle(effort=command + np.nan_to_num(share, nan=1.0) * GRAVITY)
    assert driver.guard.double_compensation.share == pytest.approx(share, abs=1e-12, nan_ok=True)
    assert driver.guard.double_compensation.is_gravity == (share == 1.0)
    driver.guard.request_fade()
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


@pytest.mark.parametrize('on_stop', ['zero', 'hold'])
def test_no_final_command_after_another_publisher_has_commanded(on_stop):
    """It stops while another node publishes, which leaves later and has taken over the robot."""
    driver = Driver(Settings(fade_time=0.2, on_stop=on_stop))
    driver.settle()
    driver.guard.supervisor.enabled = False
    driver.guard.supervisor.inhibitions.put('publishers', OTHER)
    driver.settle()
    assert driver.guard.mode is Mode.SILENT
    driver.guard.supervisor.inhibitions.clear()
    assert [driver.show() for _ in range(100)] == [None] * 100
    assert driver.tick() is None


def test_a_stale_robot_gets_no_final_command_after_another_publisher():
    driver = Driver(Settings(fade_time=0.2, on_stale='stop'))
    driver.settle()
    driver.now += 1.0
    assert driver.tick() is None
    driver.guard.supervisor.inhibitions.put('publishers', OTHER)
    assert driver.tick() is None
    driver.guard.supervisor.inhibitions.clear()
    driver.guard.supervisor.enabled = False
    assert driver.tick() is None


@pytest.mark.parametrize(
    ('settings', 'offset'),
    [
        # Without effort limits the offset, which is held too, takes the most time.
        ({'on_stop': 'hold', 'effort_limits': (np.inf,)}, [8000.0, -3.0, 0.0]),
        # Longer than the fade of a change before.
        ({'fade_time': 5.0}, [0.0, 0.0, 0.0]),
    ],
)
def test_the_final_command_comes_within_the_longest_fade(settings, offset):
    driver = Driver(Settings(**({'fade_time': 0.2} | settings)), terms=['friction'])
    driver.guard.feedforward.offset = np.array(offset)
    driver.guard.request_fade(0.1)
    driver.settle()
    driver.guard.supervisor.active = False
    end = driver.now + driver.guard.longest_fade()
    while (command := driver.show()) is not None:
        last = command
        assert driver.now <= end
    np.testing.assert_allclose(last, offset, rtol=1e-12)


def test_after_stale_states_a_stop_gives_the_final_command():
    driver = Driver(Settings(fade_time=0.2, on_stale='stop', state_timeout=0.05))
    driver.settle()
    assert [driver.tick() for _ in range(40)][-1] is None
    driver.guard.supervisor.active = False
    assert not driver.guard.stopped
    commands = []
    while not driver.guard.stopped:
        commands.append(driver.tick())
        assert len(commands) < 100
    spoken = [command for command in commands if command is not None]
    assert_smooth([GRAVITY, *spoken], GRAVITY)
    assert not spoken[-1].any()
    assert driver.tick() is None


@pytest.mark.parametrize('fade_time', [0.0, 0.2])
def test_the_final_command_is_repeated(fade_time):
    """Controllers receive with best effort."""
    driver = Driver(Settings(fade_time=fade_time))
    driver.settle()
    driver.guard.supervisor.active = False
    commands = [driver.show() for _ in range(100)]
    spoken = [command for command in commands if command is not None]
    assert sum(not command.any() for command in spoken) == 1 + REPEATS
