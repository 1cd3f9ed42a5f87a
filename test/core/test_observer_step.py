"""One step of the momentum observer: compiled, without smoothing, and its low pass."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written
from observer_inputs import observer_inputs

from robot_dynamics_ros.core.algorithms.observer import first_order_response, observer_step

RATE = 30.0


@pytest.mark.parametrize('name', ['oblique', 'mimic'])
def test_compiled_is_evaluated(name, backend):
    """Of a batch, too."""
    robot = hand_written(name)
    dynamics, inputs = getattr(robot, backend), observer_inputs(robot.model, (11,))
    found = dynamics.observer_step(**inputs)
    for row in range(11):
        sample = {key: rows[row] for key, rows in inputs.items()}
        lists = {key: values.tolist() for key, values in sample.items()}
        expected = observer_step(robot.model, gravity=(0.0, 0.0, -9.81), **lists)
        assert_close(dynamics.observer_step(**sample), expected)
        assert_close(found[row], expected)


def test_without_smoothing_friction_has_the_sign_of_the_velocity_and_is_zero_at_rest(dynamics):
    n = dynamics.model.size
    v = np.arange(n) - 1.0
    # Of (viscous, coulomb, viscous backward, coulomb backward, smoothing), for all joints.
    friction = np.repeat([0.0, 3.0, 0.0, 2.0, 0.0], n)
    inputs = {name: rows[0] for name, rows in observer_inputs(dynamics.model, (1,)).items()}
    inputs |= {'v': v, 'interval': np.array([0.0, 0.5])}
    torque = [
        dynamics.observer_step(**(inputs | {'friction': given}))[2]
        for given in (friction, np.zeros(5 * n))
    ]
    assert_close(2.0 * (torque[1] - torque[0]), np.where(v < 0.0, 2.0, 3.0) * np.sign(v))


def test_the_low_pass_is_that_of_the_exponential_function():
    for argument in (1e-9, 1e-4, 0.03, 0.5, 1.0, 3.0, 4.0):
        response, per_elapsed = first_order_response(RATE, argument / RATE)
        assert response == pytest.approx(-np.expm1(-argument), rel=1e-13)
        assert per_elapsed == pytest.approx(response * RATE / argument, rel=1e-14)
    for argument in (10.0, 1e3):
        response, _ = first_order_response(RATE, argument / RATE)
        assert 0.0 <= 1.0 - response <= 1e-4
