"""What a robot is given where its guards and its feedforward meet."""

from dataclasses import replace

import numpy as np
import pytest
from three_joints import JOINTS, URDF

from robot_dynamics_ros.control.feedforward import Feedforward
from robot_dynamics_ros.control.guards.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.guards.inhibition import Inhibition
from robot_dynamics_ros.control.guards.settings import GuardSettings
from robot_dynamics_ros.control.guards.supervisor import Mode
from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import ParameterError, RobotDynamics, StateError, parse_urdf

MODEL = parse_urdf(URDF)
DYNAMICS = RobotDynamics(MODEL, backend='python')
LOADED = RobotDynamics(MODEL.with_payload('hand', 1.0, (0.1, 0.0, 0.2)), backend='python')
Q, REST = np.array([0.3, 0.1, -0.7]), np.zeros(3)
GRAVITY = DYNAMICS.gravity_torque(Q)
PERIOD = 0.005
OTHER = Inhibition('another node publishes', 'when it has left')


class Driver:
    """Shows states to a guard, one in each period; keeps what it answered."""

    def __init__(self, settings=None, terms=('gravity',), dynamics=DYNAMICS):
        feedforward = Feedforward(dynamics, terms=terms)
        self.guard = GuardedFeedforward(feedforward, settings or GuardSettings(fade_time=0.2))
        self.guard.active = True
        self.now = 10.0

    def show(self, q=Q, v=REST, effort=None, late=0.0):
        self.now += PERIOD
        command = self.guard.command_for_state(
            self.now - late, q, v, effort, now=self.now, time=self.now
        )
        return None if command is None else command.copy()

    def settle(self, q=Q, seconds=1.0, **state):
        commands = [self.show(q, **state) for _ in range(round(seconds / PERIOD))]
        return commands[-1]

    def tick(self):
        self.now += PERIOD
        command = self.guard.command_without_state(self.now, self.now)
        return None if command is None else command.copy()


def assert_smooth(commands, offset, fade_time=0.2):
    """No step is larger than that of the smooth step at its steepest."""
    changes = np.abs(np.diff(commands, axis=0))
    assert (changes <= 1.5 * np.abs(offset) * PERIOD / fade_time + 1e-12).all()


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


@pytest.mark.parametrize('on_stop', ['zero', 'hold'])
def test_what_somebody_else_has_taken_over_is_not_taken_back(on_stop):
    """It stops while another publishes, who leaves later: the robot is not ours."""
    driver = Driver(GuardSettings(fade_time=0.2, on_stop=on_stop))
    driver.settle()
    driver.guard.enabled = False
    driver.guard.inhibitions.put('publishers', OTHER)
    driver.settle()
    assert driver.guard.mode is Mode.SILENT
    driver.guard.inhibitions.clear()
    assert [driver.show() for _ in range(100)] == [None] * 100
    assert driver.tick() is None


def test_what_is_owed_goes_to_whoever_commands_in_our_silence():
    driver = Driver(GuardSettings(fade_time=0.2, on_stale='stop'))
    driver.settle()
    driver.now += 1.0
    assert driver.tick() is None
    driver.guard.inhibitions.put('publishers', OTHER)
    assert driver.tick() is None
    driver.guard.inhibitions.clear()
    driver.guard.enabled = False
    assert driver.tick() is None


def test_before_it_is_active_it_is_silent():
    driver = Driver()
    driver.guard.active = False
    assert driver.show() is None
    assert driver.tick() is None


def test_a_driver_that_shows_each_second_state_late_gets_its_gravity_all_the_same():
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
        with pytest.raises(StateError, match='velocity is empty, but the term coriolis needs it'):
            driver.show(Q + 0.05, None)
        driver.tick()
    for _ in range(200):
        driver.tick()
    assert driver.guard.mode is Mode.HOLD
    np.testing.assert_allclose(driver.guard.effort, GRAVITY, rtol=1e-12)


def test_an_acceleration_cannot_be_estimated_without_velocities():
    settings = GuardSettings(fade_time=0.0, acceleration_cutoff=10.0)
    driver = Driver(settings, terms=('gravity', 'inertial'))
    for v in np.linspace(0.0, 0.1, 50):
        driver.show(v=v * np.ones(3))
    with pytest.raises(StateError, match='velocity is empty, but the term inertial needs it'):
        driver.show(v=None)
    # One from a reference suffices, and so does none.
    driver.guard.set_reference(Trajectory([Point(0.0, Q)]), driver.now)
    assert driver.show(v=None) is not None
    driver.guard.set_reference(None, driver.now)
    driver.guard.apply(replace(settings, acceleration_cutoff=0.0))
    assert driver.show(v=None) is not None


def test_the_measured_acceleration_is_answered_with_inertia():
    driver = Driver(
        GuardSettings(fade_time=0.0, acceleration_cutoff=10.0), terms=('gravity', 'inertial')
    )
    a = np.array([1.0, -0.5, 2.0])
    for step in range(200):
        command = driver.show(v=a * step * PERIOD)
    np.testing.assert_allclose(command, GRAVITY + DYNAMICS.mass_matrix(Q) @ a, rtol=1e-6)


@pytest.mark.parametrize('refuse', [True, False])
def test_an_estimate_does_not_outlive_what_it_was_made_from(refuse):
    """Neither a refused state nor a clock that was set."""
    settings = GuardSettings(fade_time=0.0, acceleration_cutoff=10.0)
    driver = Driver(settings, terms=('gravity', 'inertial'))
    for step in range(50):
        driver.show(v=step * PERIOD * np.ones(3))
    assert driver.guard.acceleration.a.all()
    if refuse:
        with pytest.raises(StateError, match='jumps'):
            driver.show(Q + 10.0)
    else:
        driver.guard.reset_times()
    assert not driver.guard.acceleration.a.any()


@pytest.mark.parametrize('switch', [('active', False), ('enabled', False), ('fault', 'wrong')])
def test_each_switch_takes_the_torque_away(switch):
    driver = Driver()
    commands = [driver.settle()]
    setattr(driver.guard, *switch)
    commands += [driver.show() for _ in range(100)]
    assert commands[-1] is None
    commands = [command for command in commands if command is not None]
    assert_smooth(commands, GRAVITY)
    assert not commands[-1].any()


def test_what_changes_as_it_stops_is_reached_before_silence():
    """It held already, but no longer what there is to hold."""
    turned = RobotDynamics(MODEL, backend='python')
    driver = Driver(GuardSettings(fade_time=0.2, on_stop='hold'), dynamics=turned)
    driver.settle()
    while driver.guard.mode is not Mode.HOLD or not driver.guard.limiter.reached_target:
        driver.tick()
    for _ in range(100):
        last = driver.tick()
    turned.gravity = (0.0, 0.0, -5.0)
    driver.guard.request_fade()
    driver.guard.active = False
    while (command := driver.tick()) is not None:
        last = command
    np.testing.assert_allclose(last, GRAVITY * 5.0 / 9.81, rtol=1e-12)


def test_limits_that_are_raised_as_it_stops_are_gone_by_before_silence():
    low = GuardSettings(fade_time=0.2, on_stop='hold', effort_limits=(0.1,))
    driver = Driver(low)
    driver.settle()
    for _ in range(200):
        driver.tick()
    assert driver.guard.mode is Mode.HOLD
    driver.guard.apply(replace(low, effort_limits=()))
    driver.guard.active = False
    while (command := driver.tick()) is not None:
        last = command
    np.testing.assert_allclose(last, GRAVITY, rtol=1e-12)


def test_what_has_arrived_does_not_move_when_the_fade_time_changes():
    driver = Driver()
    before = driver.settle()
    driver.guard.apply(GuardSettings(fade_time=30.0))
    np.testing.assert_allclose([driver.show() for _ in range(20)], [before] * 20, rtol=1e-12)


def test_a_limit_lowered_to_zero_takes_the_torque_away():
    driver = Driver()
    assert driver.settle().all()
    driver.guard.apply(GuardSettings(effort_limits=(0.0,)))
    assert not driver.settle().any()
    assert np.isfinite(driver.guard.longest_fade())


@pytest.mark.parametrize('on_stop', ['zero', 'hold'])
@pytest.mark.parametrize('settled', [True, False])
@pytest.mark.parametrize('rate', [5.0, 1000.0])
def test_silence_comes_within_the_longest_fade(on_stop, settled, rate):
    """With slow rates too, and where it is farther to the last command than back to zero."""
    driver = Driver(GuardSettings(fade_time=0.2, on_stop=on_stop, effort_rate_limits=(rate,)))
    driver.settle(seconds=12.0 if settled else 0.1)
    driver.guard.active = False
    end = driver.now + driver.guard.longest_fade()
    while (command := driver.show()) is not None:
        last = command
        assert driver.now <= end
    np.testing.assert_allclose(last, GRAVITY if on_stop == 'hold' else REST, rtol=1e-12)


def test_a_longer_fade_than_that_of_a_change_is_waited_for():
    driver = Driver(GuardSettings(fade_time=5.0))
    driver.guard.request_fade(0.1)
    driver.settle()
    driver.guard.active = False
    end = driver.now + driver.guard.longest_fade()
    while driver.show() is not None:
        assert driver.now <= end


def test_a_reference_that_is_over_is_dropped_through_a_fade():
    driver = Driver(terms=('gravity', 'inertial'))
    driver.settle()
    point = Point(driver.now, Q + 0.5, REST, np.ones(3))
    driver.guard.set_reference(Trajectory([point]), driver.now)
    since = driver.now
    followed = driver.settle(seconds=0.4)
    np.testing.assert_allclose(
        followed, DYNAMICS.inverse_dynamics(point.q, point.v, point.a), rtol=1e-12
    )
    commands = [followed]
    while driver.guard.reference is not None:
        commands.append(driver.show())
    assert since + 0.5 < driver.now < since + 0.5 + 2 * PERIOD
    commands += [driver.show() for _ in range(60)]
    assert_smooth(commands, GRAVITY - followed)
    np.testing.assert_allclose(commands[-1], GRAVITY, rtol=1e-12)
    assert driver.guard.followed.dropped == 1


def test_a_successor_goes_on_from_the_command_and_goes_by_its_own_settings():
    before, after = Driver(), Driver(GuardSettings(fade_time=0.2, jump_tolerance=0.5), ['gravity'],
                                     LOADED)  # fmt: skip
    last = before.settle()
    before.guard.followed.dropped = 3
    after.guard.continue_from(before.guard)
    assert after.guard.followed.dropped == 3
    # What a cross-check reads before the next state.
    np.testing.assert_array_equal(after.guard.feedforward.q, Q)
    np.testing.assert_allclose(after.guard.feedforward.terms[0], LOADED.gravity_torque(Q))
    after.now = before.now
    commands = [last] + [after.show() for _ in range(60)]
    needed = LOADED.gravity_torque(Q)
    assert_smooth(commands, needed - last)
    np.testing.assert_allclose(commands[-1], needed, rtol=1e-12)
    assert after.show(Q + np.array([0.0, 0.4, 0.0])) is not None


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
        command = guard.command_for_state(
            step * PERIOD, Q, REST, None, now=step * PERIOD, time=0.0
        )
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


def test_a_velocity_that_is_refused_leaves_no_trace_in_the_estimated_acceleration():
    settings = GuardSettings(fade_time=0.0, acceleration_cutoff=5.0)
    driver = Driver(settings, terms=('gravity', 'inertial'))
    driver.settle()
    with pytest.raises(StateError):
        driver.show(v=np.full(3, 1e200))
    commands = [driver.show() for _ in range(200)]
    np.testing.assert_allclose(commands, np.tile(GRAVITY, (200, 1)), rtol=1e-9)


def test_one_point_lasts_from_when_it_came_whatever_its_stamp():
    driver = Driver()
    driver.settle()
    point = Point(driver.now + 3600.0, Q + 0.2, np.zeros(3), np.zeros(3))
    driver.guard.set_reference(Trajectory([point]), driver.now)
    driver.settle(seconds=driver.guard.settings.reference_timeout - 2 * PERIOD)
    assert driver.guard.reference is not None
    driver.settle(seconds=4 * PERIOD)
    assert driver.guard.reference is None


def test_a_trajectory_that_has_ended_before_it_came_lasts_from_when_it_came():
    driver = Driver()
    driver.settle()
    points = [Point(driver.now - late, Q + 0.2) for late in (1.0, 0.6)]
    driver.guard.set_reference(Trajectory(points), driver.now)
    driver.settle(seconds=driver.guard.settings.reference_timeout - 2 * PERIOD)
    assert driver.guard.reference is not None
    driver.settle(seconds=4 * PERIOD)
    assert driver.guard.reference is None


def test_a_stamp_that_stands_still_renews_nothing():
    """A driver that repeats itself is as good as none."""
    driver = Driver()
    driver.settle()
    stamp = driver.now
    for _ in range(round(2 * driver.guard.settings.state_timeout / PERIOD)):
        driver.now += PERIOD
        driver.guard.command_for_state(stamp, Q, REST, None, now=driver.now, time=driver.now)
    assert not driver.guard.fresh(driver.now)
    assert driver.guard.mode is Mode.HOLD


def test_a_robot_left_by_stale_states_gets_its_last_command_when_it_is_stopped():
    driver = Driver(GuardSettings(fade_time=0.2, on_stale='stop', state_timeout=0.05))
    driver.settle()
    silent = [driver.tick() for _ in range(40)][-1]
    assert silent is None
    driver.guard.active = False
    assert not driver.guard.stopped
    commands = []
    while not driver.guard.stopped:
        commands.append(driver.tick())
        assert len(commands) < 100
    spoken = [command for command in commands if command is not None]
    assert_smooth([GRAVITY, *spoken], GRAVITY)
    assert not spoken[-1].any()
    assert driver.tick() is None


def far_from(q, index, distance):
    """A reference at rest, one joint of which is this far from a position."""
    return Trajectory([Point(0.0, q + distance * np.eye(3)[index])])


@pytest.mark.parametrize('index', [0, 1, 2])
@pytest.mark.parametrize('sign', [-1.0, 1.0])
def test_a_reference_that_begins_far_from_the_robot_is_refused(index, sign):
    driver = Driver(GuardSettings(fade_time=0.0, reference_tolerance=(0.5, 0.1, 0.3)))
    driver.settle()
    allowed = (0.5, 0.1, 0.3)[index]
    near = far_from(Q, index, sign * 0.99 * allowed)
    driver.guard.set_reference(near, driver.now)
    with pytest.raises(StateError, match=f'begins too far from the robot: {JOINTS[index]} is at'):
        driver.guard.set_reference(far_from(Q, index, sign * 1.01 * allowed), driver.now)
    assert driver.guard.reference is near
    driver.guard.apply(replace(driver.guard.settings, reference_tolerance=(0.0,)))
    driver.guard.set_reference(far_from(Q, index, sign * 1e3), driver.now)
    assert driver.show() is not None


def test_a_turn_of_a_joint_without_ends_is_no_distance_and_of_a_joint_with_ends_it_is():
    driver = Driver(GuardSettings(fade_time=0.0, reference_tolerance=(0.1,)))
    driver.settle()
    for turns in (-3, 1):
        driver.guard.set_reference(far_from(Q, 0, 2 * np.pi * turns + 0.05), driver.now)
        driver.show()
        assert driver.guard.reference is not None
        with pytest.raises(StateError, match='wrist'):
            driver.guard.set_reference(far_from(Q, 2, 2 * np.pi * turns), driver.now)


def test_a_reference_that_the_robot_has_left_is_dropped_through_a_fade():
    """The arm sinks under an open-loop reference: its torque is that of another pose."""
    driver = Driver(GuardSettings(fade_time=0.2, reference_tolerance=(0.3,)))
    driver.settle()
    reference = far_from(Q, 2, 0.25)
    driver.guard.set_reference(reference, driver.now)
    last = driver.settle(seconds=0.3)
    np.testing.assert_allclose(last, DYNAMICS.gravity_torque(reference.at(0.0)[0]), rtol=1e-12)
    away = Q + np.array([0.0, 0.0, -0.06])
    commands = [last] + [driver.show(away) for _ in range(60)]
    assert driver.guard.reference is None
    assert driver.guard.followed.dropped == 1
    assert 'has left the reference: wrist is at -0.76' in driver.guard.followed.left
    assert_smooth(commands, DYNAMICS.gravity_torque(away) - last)
    np.testing.assert_allclose(commands[-1], DYNAMICS.gravity_torque(away), rtol=1e-12)
    driver.guard.set_reference(far_from(away, 2, 0.1), driver.now)
    assert not driver.guard.followed.left


def test_a_tolerance_that_does_not_fit_changes_nothing():
    driver = Driver()
    with pytest.raises(ParameterError, match='reference_tolerance has 2 values'):
        driver.guard.apply(GuardSettings(reference_tolerance=(0.1, 0.2), effort_scale=0.1))
    assert driver.guard.settings.effort_scale == 1.0
    assert (driver.guard.followed.allowed == 1.5).all()
