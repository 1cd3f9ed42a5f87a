"""How a robot is stopped where the guards and the feedforward meet: the final command."""

import numpy as np
import pytest
from shown_states import (
    GRAVITY,
    OTHER,
    Driver,
    assert_smooth,
)

from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.supervisor import REPEATS, Mode


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


def test_a_limit_lowered_to_zero_takes_the_torque_away():
    driver = Driver()
    assert driver.settle().all()
    driver.guard.apply(Settings(effort_limits=(0.0,)))
    assert not driver.settle().any()
    assert np.isfinite(driver.guard.longest_fade())


def test_the_longest_fade_knows_of_a_torque_offset():
    """Without effort limits the offset, which is held too, takes the most time."""
    unlimited = Settings(fade_time=0.2, on_stop='hold', effort_limits=(np.inf,))
    driver = Driver(unlimited, terms=['friction'])
    driver.guard.feedforward.offset = offset = np.array([8000.0, -3.0, 0.0])
    driver.settle(seconds=0.1)
    driver.guard.supervisor.active = False
    end = driver.now + driver.guard.longest_fade()
    while (command := driver.show()) is not None:
        last = command
        assert driver.now <= end
    np.testing.assert_allclose(last, offset, rtol=1e-12)


def test_a_longer_fade_than_that_of_a_change_is_waited_for():
    driver = Driver(Settings(fade_time=5.0))
    driver.guard.request_fade(0.1)
    driver.settle()
    driver.guard.supervisor.active = False
    end = driver.now + driver.guard.longest_fade()
    while driver.show() is not None:
        assert driver.now <= end


def test_after_stale_states_a_stop_gives_the_final_command():
    driver = Driver(Settings(fade_time=0.2, on_stale='stop', state_timeout=0.05))
    driver.settle()
    silent = [driver.tick() for _ in range(40)][-1]
    assert silent is None
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
