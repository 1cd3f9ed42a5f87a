"""The first fade is an experiment: an arm that rises has another source of its gravity torque."""

import numpy as np
import pytest
from shown_states import DYNAMICS, PERIOD, Driver, Q

from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.supervisor import Event, State
from robot_dynamics_ros.core import StateError

RANDOM = np.random.default_rng(3)
STEPS = 5


class FreeArm(Driver):
    """An arm that moves by its equations of motion, under the commands and what else acts."""

    def __init__(self, q=Q, v=(0.0, 0.0, 0.0), friction=0.0, driver=0.0, **settings):
        super().__init__(Settings(**{'fade_time': 1.0, 'on_restart': 'fade_from_zero'} | settings))
        self.q, self.v = np.array(q, float), np.array(v, float)
        self.friction, self.driver = friction, driver
        self.commands = []

    def run(self, seconds, reports=False, measured=True):
        """Integrate for a time; efforts are reported: commands alone, without gravity."""
        command = np.zeros(3)
        for _ in range(round(seconds / PERIOD)):
            for _ in range(STEPS):
                torque = command + self.driver * DYNAMICS.gravity_torque(self.q)
                torque -= self.friction * np.tanh(self.v / 0.01)
                self.v += PERIOD / STEPS * DYNAMICS.forward_dynamics(self.q, self.v, torque)
                self.q += PERIOD / STEPS * self.v
            v = self.v.copy() if measured else None
            shown = self.show(self.q.copy(), v, command if reports else None)
            command = np.zeros(3) if shown is None else shown
            self.commands.append(command)
        return self


@pytest.mark.parametrize('reports', [False, True])
@pytest.mark.parametrize(
    ('friction', 'fade_time'), [(0.0, 1.0), (0.1, 1.0), (1.0, 1.0), (0.0, 0.0)]
)
def test_a_driver_that_adds_gravity_itself_is_found_before_the_arm_is_fast(
    friction, fade_time, reports
):
    """As of Universal Robots: its efforts, if any, show nothing of it."""
    meaning = 'torque_without_gravity' if reports else 'none'
    settings = {'driver_effort': meaning, 'fade_time': fade_time}
    arm = FreeArm(driver=1.0, friction=friction, **settings).run(2.0, reports)
    supervisor = arm.guard.supervisor
    assert supervisor.event is Event.DOUBLE_GRAVITY
    assert supervisor.fault
    largest = np.abs(arm.commands).max(axis=0) / np.abs(DYNAMICS.gravity_torque(Q))
    assert fade_time < 1.0 or largest[1] < 0.25
    assert np.abs(arm.v).max() < 0.4
    assert not arm.commands[-1].any()
    steps = np.abs(np.diff(arm.commands, axis=0))
    assert (steps <= arm.guard.limiter.rates * PERIOD + 1e-9).all()
    # Acknowledged, it is tried and found again.
    arm.guard.enable()
    arm.run(2.0, reports)
    assert supervisor.fault


@pytest.mark.parametrize('friction', [0.0, 1.0])
@pytest.mark.parametrize('measured', [True, False])
def test_an_arm_that_nothing_else_holds_falls_or_swings_and_is_caught(friction, measured):
    """Links of a falling arm move upwards too, and a swinging arm rises: neither is a driver."""
    for _ in range(25):
        q = Q + RANDOM.uniform(-0.5, 0.5, 3)
        v = RANDOM.uniform(-1.0, 1.0, 3) * RANDOM.integers(0, 2)
        arm = FreeArm(q, v, friction, fade_time=1.0).run(1.2, measured=measured)
        assert not arm.guard.supervisor.fault, (q, v)
        assert arm.guard.supervisor.state in (State.TRACKING, State.REACTING)


def test_an_arm_at_rest_on_its_brake_or_in_a_hand_is_no_driver_that_adds_gravity():
    for lift in (0.0, 0.0019, -0.5):
        driver = Driver(Settings(fade_time=1.0, on_restart='fade_from_zero'))
        up = np.sign(DYNAMICS.gravity_torque(Q))
        for share in np.linspace(0.0, 1.0, 400):
            driver.show(Q + lift * share * up, lift * up / 2.0)
        assert driver.guard.supervisor.state is State.TRACKING


def test_a_jump_that_is_accepted_is_no_motion():
    """Encoders that are set anew: the arm is where it was."""
    driver = Driver(Settings(fade_time=1.0, on_restart='fade_from_zero'))
    driver.settle(seconds=0.2)
    elsewhere = Q + 0.4 * np.sign(DYNAMICS.gravity_torque(Q))
    with pytest.raises(StateError, match='jumps'):
        driver.show(elsewhere)
    driver.settle(elsewhere, seconds=2.0)
    assert driver.guard.supervisor.state is State.TRACKING


def test_efforts_from_before_a_silence_turn_the_watch_not_off():
    """A position loop held the arm; now the driver reports nothing, and lifts it."""
    driver = Driver(Settings(fade_time=0.2, on_restart='fade_from_zero'))
    gravity = DYNAMICS.gravity_torque(Q)
    driver.settle(effort=gravity)
    assert not driver.guard.supervisor.fault
    driver.guard.supervisor.enabled = False
    driver.settle(effort=gravity)
    assert driver.guard.silent
    driver.guard.enable()
    for share in np.linspace(0.0, 0.1, 100):
        driver.show(Q + share * np.sign(gravity), np.sign(gravity) * 0.001 / PERIOD)
    assert driver.guard.supervisor.event is Event.DOUBLE_GRAVITY
