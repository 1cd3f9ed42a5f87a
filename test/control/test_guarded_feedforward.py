"""What a robot is given where its guards and its feedforward meet, and its final command."""

import numpy as np
import pytest
from shown_states import (
    DYNAMICS,
    GRAVITY,
    PARTS,
    PERIOD,
    Driver,
    Q,
    answer,
    assert_smooth,
)
from three_joints import UNLIMITED, URDF

from robot_dynamics_ros.control.feedforward import Feedforward
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.supervisor import REPEATS, Target
from robot_dynamics_ros.core import RobotDynamics, StateError, parse_urdf


def simulation_begins_anew(driver, elsewhere):
    driver.guard.set_clock(driver.now)
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


@pytest.mark.parametrize('text', [URDF, UNLIMITED])
def test_states_of_zeros_between_good_ones_move_no_command(text):
    """As some drivers send them, with and without velocity limits in the description."""
    driver, commands, refused = Driver(dynamics=RobotDynamics(parse_urdf(text))), [], 0
    driver.settle()
    for count in range(100):
        zero = count % 10 == 5
        try:
            commands.append(driver.show(0.0 * Q if zero else Q, None if zero else 0.0 * Q))
        except StateError:
            refused += 1
    # The zero, and the good state that is compared with it.
    assert refused == 2 * 10
    np.testing.assert_allclose(commands, [GRAVITY] * len(commands), rtol=1e-12)


@pytest.mark.parametrize('refused', [False, True], ids=['simulation begins anew', 'jump'])
def test_what_friction_has_built_up_is_not_of_a_robot_that_is_elsewhere(refused):
    feedforward = Feedforward(DYNAMICS, terms=['friction'])
    guard, v = GuardedFeedforward(feedforward, Settings(fade_time=0.0)), np.array([0.0, 0.2, 0.0])
    guard.supervisor.active = True

    def show(step, ahead=0.0):
        q = Q + PERIOD * step * v + np.array([0.0, ahead, 0.0])
        answer(guard, step * PERIOD, q, v, None, now=step * PERIOD)
        return feedforward.rows[4][1]

    assert [show(step) for step in range(100)][-1] > 0.8
    if refused:
        with pytest.raises(StateError, match='jumps'):
            show(100, ahead=1.0)
    else:
        guard.set_clock(100 * PERIOD)
    assert show(101, ahead=float(refused)) < 0.2


def test_gravity_is_found_although_each_second_state_is_late():
    """Two publishers on one topic: half of the states is refused, and no fade begins anew."""
    driver = Driver()
    for _ in range(100):
        driver.show()
        with pytest.raises(StateError, match='before'):
            driver.show(late=0.1)
    np.testing.assert_allclose(driver.guard.effort, GRAVITY, rtol=1e-12)


def test_joints_in_another_order_and_not_all():
    driver = Driver(joints=['wrist', 'slide'])
    np.testing.assert_allclose(driver.settle(), GRAVITY[[2, 1]], rtol=1e-12)
    assert driver.guard.limiter.limits.tolist() == [20.0, 200.0]


def test_a_stamp_that_stands_still_renews_nothing():
    """A driver that repeats itself is as good as none."""
    driver = Driver()
    assert not driver.guard.state.fresh(driver.now)
    driver.settle()
    stamp = driver.now
    for _ in range(round(2 * driver.guard.settings.state_timeout / PERIOD)):
        driver.show(late=driver.now + PERIOD - stamp)
    assert not driver.guard.state.fresh(driver.now)
    assert driver.guard.target is Target.GRAVITY
    # The age is that of the oldest joint.
    driver.show(np.where(PARTS[0], Q, np.nan))
    assert driver.guard.state.time == pytest.approx(stamp)


@pytest.mark.parametrize('fade_time', [0.0, 0.2])
def test_the_final_command_is_repeated(fade_time):
    """Controllers receive with best effort."""
    driver = Driver(Settings(fade_time=fade_time))
    driver.settle()
    driver.guard.supervisor.active = False
    commands = [driver.show() for _ in range(100)]
    spoken = [command for command in commands if command is not None]
    assert sum(not command.any() for command in spoken) == 1 + REPEATS
