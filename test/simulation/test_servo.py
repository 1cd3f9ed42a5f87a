import numpy as np
import pytest

from robot_dynamics_ros.simulation.servo import JointServo


def test_torque_is_proportional_to_the_error_and_its_rate():
    servo = JointServo([10.0, 20.0], 3.0, 2)
    torque = servo.torque(np.zeros(2), np.zeros(2), np.array([0.1, -0.1]), np.array([1.0, 2.0]))
    np.testing.assert_allclose(torque, [1.0 + 3.0, -2.0 + 6.0])


def test_gains_are_tuned_to_the_inertia():
    servo = JointServo.tuned(np.array([2.0, 0.5]), bandwidth=1.0, damping_ratio=0.7)
    omega = 2 * np.pi
    np.testing.assert_allclose(servo.kp, [2.0 * omega**2, 0.5 * omega**2])
    np.testing.assert_allclose(servo.kd, [2.8 * omega, 0.7 * omega])


@pytest.mark.parametrize('kp', [[1.0, 2.0, 3.0], [-1.0], [np.nan]])
def test_refuses_gains_that_do_not_fit(kp):
    with pytest.raises(ValueError, match='number >= 0, or 2'):
        JointServo(kp, 1.0, 2)


@pytest.mark.parametrize('bandwidth', [0.0, -1.0, np.inf])
def test_refuses_a_bandwidth_that_is_none(bandwidth):
    with pytest.raises(ValueError, match='bandwidth'):
        JointServo.tuned(np.ones(2), bandwidth)
