"""A torque lives as long as its reason: who is watched, which clock, where a reference begins."""

import numpy as np
import pytest
from shown_states import DYNAMICS, GRAVITY, PERIOD, REST, Driver, Q

from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.supervisor import Event, State, Target
from robot_dynamics_ros.control.trajectory import Point, Trajectory, Waypoints


@pytest.mark.parametrize('on_stale', ['hold', 'zero', 'stop'])
def test_a_joint_that_is_not_commanded_may_go_silent_and_stays_where_it_was(on_stale):
    """A gripper loses its driver while the states of the arm go on."""
    driver = Driver(Settings(fade_time=0.2, on_stale=on_stale), joints=['turn', 'slide'])
    driver.settle(v=np.array([0.0, 0.0, 0.5]))
    arm = np.where([True, True, False], Q, np.nan)
    command = driver.settle(arm, seconds=20.0)
    assert driver.guard.supervisor.state is State.TRACKING
    np.testing.assert_allclose(command, GRAVITY[:2], rtol=1e-12)
    assert driver.guard.state.v[2] == 0.0
    # The arm itself is watched.
    driver.now += 1.0
    driver.tick()
    assert driver.guard.target is not Target.TERMS


def test_what_was_never_measured_keeps_commands_from_beginning():
    driver = Driver(joints=['turn', 'slide'])
    arm = np.where([True, True, False], Q, np.nan)
    assert [driver.show(arm) for _ in range(200)] == [None] * 200


@pytest.mark.parametrize('fading', [False, True])
def test_while_time_stands_still_nothing_ages(fading):
    """The simulator is paused, and the loop goes on."""
    driver = Driver(Settings(fade_time=1.0))
    driver.settle(seconds=0.5 if fading else 2.0)
    before = driver.guard.effort.copy()
    for _ in range(700):
        assert driver.guard.command_without_state(driver.now) is None
    assert driver.guard.supervisor.event is Event.READY
    np.testing.assert_allclose(driver.show(), before, rtol=0.02)
    np.testing.assert_allclose(driver.settle(), GRAVITY, rtol=1e-12)


def test_a_clock_that_is_set_back_makes_no_old_state_fresh_for_ever():
    driver = Driver()
    driver.settle(seconds=3.0, effort=0.0 * GRAVITY)
    driver.now -= 10000.0
    driver.guard.set_clock(driver.now)
    driver.show(effort=GRAVITY)
    assert driver.guard.state.fresh(driver.now)
    driver.now += driver.guard.settings.state_timeout + PERIOD
    driver.tick()
    assert driver.guard.supervisor.state is State.HOLDING
    np.testing.assert_allclose(driver.settle(), GRAVITY, rtol=1e-12)


@pytest.mark.parametrize('rows', [1, 2, 3], ids=['q', 'q and v', 'q, v and a'])
def test_a_point_that_is_later_is_reached_then_and_not_at_once(rows):
    """As of joint_trajectory_controller: also a single one; from where the arm is."""
    driver = Driver(Settings(fade_time=0.2, reference_tolerance=np.inf))
    driver.settle()
    goal = Q + np.array([0.0, 0.0, 1.2])
    point = Point(driver.now + 3.0, goal, *[REST] * (rows - 1))
    begin = driver.guard.begin_of_reference(driver.now)
    np.testing.assert_array_equal(begin, [Q, REST, REST])
    points = Waypoints.of([point]).after(Point(driver.now, *begin))
    driver.guard.set_reference(Trajectory(points), driver.now)
    start = driver.now
    for _ in range(round(3.0 / PERIOD)):
        # A controller follows it.
        command = driver.show(Trajectory(points).at(driver.now + PERIOD)[0])
        share = (driver.guard.feedforward.q[2] - Q[2]) / 1.2
        assert abs(share - (driver.now - start) / 3.0) < 0.2
    np.testing.assert_allclose(command, DYNAMICS.gravity_torque(goal), atol=1e-6)
    # The next one begins where this one is.
    np.testing.assert_allclose(driver.guard.begin_of_reference(driver.now)[0], goal, atol=1e-9)


def test_beyond_its_velocity_limit_a_joint_is_not_driven_on_and_then_held_by_gravity_alone():
    terms = ('gravity', 'coriolis', 'inertial', 'friction')
    driver = Driver(Settings(fade_time=0.0), terms)
    wrist = driver.guard.feedforward.dynamics.model.velocity_bounds[2]
    driver.guard.feedforward.offset = np.array([0.0, 0.0, 3.0])
    driver.settle()
    q, fast = Q.copy(), np.array([0.0, 0.0, 1.1 * wrist])
    bias = []
    for _ in range(round(0.3 / PERIOD)):
        q = q + PERIOD * fast
        command = driver.show(q, fast)
        gravity = DYNAMICS.gravity_torque(q)
        bias.append((command - gravity)[2])
    # 3 N m drove it on; the limits let no step pass.
    assert bias[0] < 3.0
    assert driver.guard.supervisor.state is State.REACTING
    assert driver.guard.target is Target.GRAVITY
    assert 'wrist' in driver.guard.supervisor.reaction
    driver.settle(q)
    assert driver.guard.supervisor.state is State.REACTING
    driver.guard.enable()
    driver.settle(q)
    assert driver.guard.supervisor.state is State.TRACKING


def test_one_velocity_beyond_a_limit_is_no_reaction_however_long_nothing_follows():
    driver = Driver()
    driver.settle()
    driver.show(v=np.array([0.0, 1.1 * DYNAMICS.model.velocity_bounds[1], 0.0]))
    driver.now += 1.1 * driver.guard.settings.state_timeout
    driver.tick()
    driver.settle()
    assert driver.guard.supervisor.state is State.TRACKING
    assert not driver.guard.supervisor.reaction


def test_the_first_command_after_silence_is_where_the_drive_is():
    """Also without a fade: the pause before is no time in which the command could change."""
    driver = Driver(Settings(fade_time=0.0, on_restart='fade_from_zero'))
    rates = driver.guard.limiter.rates
    for _ in range(2):
        driver.now += 4.0
        commands = [driver.show() for _ in range(5)]
        assert not commands[0].any()
        assert (np.abs(np.diff(commands, axis=0)) <= rates * PERIOD + 1e-9).all()
        driver.settle()
        driver.guard.silence()


def test_beyond_its_velocity_limit_a_joint_that_gravity_compensation_drives_on_gets_no_torque():
    """An arm that hung, whose driver adds gravity, rises faster and faster."""
    driver = Driver(Settings(fade_time=0.0))
    driver.settle(seconds=2.0)
    slide = driver.guard.feedforward.dynamics.model.velocity_bounds[1]
    q, fast = Q.copy(), np.array([0.0, 1.1 * slide, 0.0])
    for _ in range(round(0.3 / PERIOD)):
        q = q + PERIOD * fast
        command = driver.show(q, fast)
    assert driver.guard.supervisor.state is State.REACTING
    assert driver.guard.target is Target.ZERO
    assert not command.any()
