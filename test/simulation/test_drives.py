"""The drives of the simulated arm: effort limits, gravity that they add, brake and servo."""

import numpy as np
import pytest

pytest.importorskip('mujoco')

from robot_dynamics_ros.simulation.physics import Physics
from robot_dynamics_ros.simulation.servo import JointServo

G = 9.81


def run(arm, duration, period=0.001):
    for _ in range(round(duration / period)):
        arm.advance(period)


def test_torque_ends_at_the_effort_limit(two_links):
    arm = Physics(two_links)
    arm.set_torque([1000.0, -1000.0])
    arm.advance(0.001)
    np.testing.assert_array_equal(arm.effort, [40.0, -40.0])


def test_drive_that_adds_gravity_holds_the_arm_by_itself(two_links):
    arm = Physics(two_links, adds_gravity=True)
    arm.reset([0.5, 0.3])
    run(arm, 1.0)
    # Moved only as far as gravity changes within one period of the drive.
    np.testing.assert_allclose(arm.position, [0.5, 0.3], atol=1e-9)
    np.testing.assert_allclose(
        arm.effort, arm.required_torque(arm.position, np.zeros(2), np.zeros(2)), atol=1e-9
    )


def test_gravity_twice_is_what_lifts_the_arm(two_links):
    arms = [Physics(two_links, adds_gravity=adds) for adds in (False, True)]
    for arm in arms:
        arm.reset([0.3, 0.2])
        gravity = arm.gravity_torque()
        arm.set_torque(gravity)
        arm.advance(0.001)
    single, twice = arms
    np.testing.assert_allclose(single.effort, gravity, rtol=1e-12)
    np.testing.assert_allclose(twice.effort, 2.0 * gravity, rtol=1e-12)
    for arm in arms:
        run(arm, 0.3)
    np.testing.assert_allclose(single.position, [0.3, 0.2], atol=1e-9)
    assert twice.energy() > single.energy() + 0.1


def test_drive_clamps_the_sum_that_it_exerts(two_links):
    arm = Physics(two_links, adds_gravity=True)
    arm.reset([0.5, 0.3])
    arm.set_torque([39.0, -39.0])
    arm.advance(0.001)
    assert arm.gravity_torque()[0] > 1.0
    np.testing.assert_allclose(arm.effort, [40.0, -39.0 + arm.gravity_torque()[1]], atol=1e-2)


def test_brake_holds_whatever_acts(two_links):
    arm = Physics(two_links)
    arm.reset([0.5, 0.5])
    arm.brake = True
    arm.set_torque([40.0, 40.0])
    run(arm, 0.2)
    np.testing.assert_array_equal(arm.position, [0.5, 0.5])
    np.testing.assert_array_equal(arm.velocity, [0.0, 0.0])
    assert arm.time == pytest.approx(0.2)
    arm.brake = False
    run(arm, 0.2)
    assert np.abs(arm.position - 0.5).max() > 0.01


def test_servo_sags_by_gravity_over_stiffness(two_links):
    arm = Physics(two_links)
    arm.reset([0.5, 0.3])
    stiffness = 400.0
    arm.set_servo(JointServo(stiffness, 40.0, 2))
    run(arm, 5.0)
    sag = arm.position - np.array([0.5, 0.3])
    gravity = arm.required_torque(arm.position, np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(sag, -gravity / stiffness, atol=1e-5)


def test_servo_holds_where_it_is_switched_on(two_links):
    arm = Physics(two_links, gravity=(0.0, 0.0, 0.0))
    arm.reset([0.5, 0.3])
    arm.set_servo(JointServo.tuned(arm.inertia(), 5.0))
    run(arm, 0.5)
    np.testing.assert_allclose(arm.position, [0.5, 0.3], atol=1e-12)
    arm.set_servo(None)
    assert arm.servo is None
