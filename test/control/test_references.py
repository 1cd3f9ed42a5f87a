"""References where the guards and the feedforward meet: too far, left, and over."""

from dataclasses import replace

import numpy as np
import pytest
from shown_states import DYNAMICS, GRAVITY, PERIOD, REST, Driver, Q, assert_smooth
from three_joints import JOINTS

from robot_dynamics_ros.control.reference import TIMEOUT
from robot_dynamics_ros.control.settings import Settings
from robot_dynamics_ros.control.supervisor import LONGEST_STALE, Target
from robot_dynamics_ros.control.trajectory import Point, Trajectory
from robot_dynamics_ros.core import StateError


def settled(settings=None, terms=('gravity',)):
    driver = Driver(settings, terms)
    driver.settle()
    return driver


def test_a_reference_that_is_over_is_dropped_through_a_fade():
    driver = settled(terms=('gravity', 'inertial'))
    point = Point(driver.now, Q + 0.2, REST, np.ones(3))
    driver.guard.set_reference(Trajectory([point]), driver.now)
    since, wanted = driver.now, DYNAMICS.inverse_dynamics(point.q, point.v, point.a)
    followed = driver.settle(seconds=0.4)
    np.testing.assert_allclose(followed, wanted, rtol=1e-12)
    commands = [followed]
    while driver.guard.reference is not None:
        commands.append(driver.show())
    assert since + TIMEOUT < driver.now < since + TIMEOUT + 2 * PERIOD
    commands += [driver.show() for _ in range(60)]
    assert_smooth(commands, GRAVITY - followed)
    np.testing.assert_allclose(commands[-1], GRAVITY, rtol=1e-12)
    assert driver.guard.followed.dropped == 1


def far_from(q, index, distance):
    """A reference at rest, one joint of which is this far from a position."""
    return Trajectory([Point(0.0, q + distance * np.eye(3)[index])])


def test_how_far_a_reference_may_be_is_measured_in_gravity_torque():
    """Any pose with the same gravity is near: a joint about a vertical axis, a whole turn."""
    driver = settled(Settings(fade_time=0.0, reference_tolerance=0.01))
    limits = driver.guard.limiter.limits
    random = np.random.default_rng(0)
    decided = set()
    for distance in random.uniform(-0.4, 0.4, (200, 3)):
        reference = Trajectory([Point(0.0, Q + distance)])
        wrong = np.abs(DYNAMICS.gravity_torque(Q + distance) - GRAVITY)
        near = bool((wrong <= 0.01 * limits).all())
        decided.add(near)
        if near:
            driver.guard.set_reference(reference, driver.now)
            assert driver.show() is not None
            assert driver.guard.reference is reference
        else:
            with pytest.raises(StateError, match='|'.join(JOINTS)):
                driver.guard.set_reference(reference, driver.now)
    assert decided == {False, True}
    driver.guard.set_reference(far_from(Q, 0, -6 * np.pi), driver.now)
    driver.guard.apply(replace(driver.guard.settings, reference_tolerance=np.inf))
    driver.guard.set_reference(far_from(Q, 2, 1e3), driver.now)
    assert driver.show() is not None


def test_a_reference_that_the_robot_has_left_is_dropped_through_a_fade():
    """The arm sinks under an open-loop reference: its torque is that of another pose."""
    driver = settled(Settings(fade_time=0.2, reference_tolerance=0.06))
    reference = far_from(Q, 2, 0.25)
    driver.guard.set_reference(reference, driver.now)
    last = driver.settle(seconds=0.3)
    np.testing.assert_allclose(last, DYNAMICS.gravity_torque(reference.at(0.0)[0]), rtol=1e-12)
    away = Q + np.array([0.0, 0.0, -0.12])
    commands = [last] + [driver.show(away) for _ in range(60)]
    assert driver.guard.reference is None
    assert driver.guard.followed.dropped == 1
    assert 'wrist' in driver.guard.followed.left
    assert_smooth(commands, DYNAMICS.gravity_torque(away) - last)
    np.testing.assert_allclose(commands[-1], DYNAMICS.gravity_torque(away), rtol=1e-12)
    driver.guard.set_reference(far_from(away, 2, 0.1), driver.now)
    assert not driver.guard.followed.left


@pytest.mark.parametrize(
    'switch', [('fault', 'a fault'), ('enabled', False), ('active', False), None]
)
def test_a_reference_ends_with_the_commands_that_follow_it(switch):
    """What follows it later would begin in its middle."""
    driver = settled(Settings(fade_time=0.1))
    points = [Point(driver.now, Q), Point(driver.now + 20.0, Q + 0.1)]
    driver.guard.set_reference(Trajectory(points), driver.now)
    driver.settle(seconds=1.0)
    supervisor = driver.guard.supervisor
    if switch is None:
        driver.now += 1.0
        driver.tick()
    else:
        setattr(supervisor, *switch)
    driver.settle(seconds=1.0)
    supervisor.fault, supervisor.enabled, supervisor.active = '', True, True
    np.testing.assert_allclose(driver.settle(seconds=1.0), GRAVITY, rtol=1e-12)
    assert driver.guard.reference is None


@pytest.mark.parametrize(('on_stale', 'on_stop'), [('hold', 'zero'), ('zero', 'hold')])
def test_an_arm_that_nobody_sees_is_not_held_for_ever(on_stale, on_stop):
    settings = Settings(fade_time=0.2, on_stale=on_stale, on_stop=on_stop)
    driver = settled(settings)
    seen = driver.now
    while driver.guard.target is not Target.NOTHING:
        driver.tick()
        assert driver.now < seen + 10.0
        # Held until then.
        end = seen + settings.state_timeout + LONGEST_STALE
        assert bool(driver.guard.supervisor.fault) == (driver.now > end)
    final = GRAVITY if on_stop == 'hold' else REST
    np.testing.assert_allclose(driver.guard.effort, final, atol=1e-12)
    # States return: it stays silent until somebody acknowledges.
    assert driver.show() is None
    driver.guard.supervisor.fault = ''
    assert driver.show() is not None
