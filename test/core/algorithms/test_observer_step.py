"""One step of the momentum observer: compiled, and its low pass."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written
from observer_inputs import observer_inputs

from robot_dynamics_ros.core.algorithms.observer import first_order_response, observer_step
from robot_dynamics_ros.core.compiler.kernel import native_obstacle

RATE = 30.0


@pytest.mark.parametrize('name', ['oblique', 'mimic'])
@pytest.mark.parametrize('backend', ['native', 'python'])
def test_compiled_is_evaluated(name, backend):
    robot = hand_written(name)
    dynamics = getattr(robot, backend)
    inputs = observer_inputs(robot.model, (3,))
    for row in range(3):
        sample = {key: rows[row] for key, rows in inputs.items()}
        lists = {key: values.tolist() for key, values in sample.items()}
        expected = observer_step(robot.model, gravity=(0.0, 0.0, -9.81), **lists)
        assert_close(dynamics.observer_step(**sample), expected)


@pytest.mark.parametrize('backend', ['native', 'python'])
def test_without_smoothing_friction_has_the_sign_of_the_velocity_and_is_zero_at_rest(backend):
    dynamics = getattr(hand_written('oblique'), backend)
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


@pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())
def test_a_batch_is_its_samples():
    dynamics = hand_written('oblique').native
    inputs = observer_inputs(dynamics.model, (11,))
    found = dynamics.observer_step(**inputs)
    for row in range(11):
        sample = {key: rows[row] for key, rows in inputs.items()}
        assert_close(found[row], dynamics.observer_step(**sample))


@pytest.mark.parametrize('argument', [1e-9, 1e-4, 0.03, 0.5, 1.0, 3.0, 4.0])
def test_is_that_of_the_exponential_function(argument):
    response, per_elapsed = first_order_response(RATE, argument / RATE)
    assert response == pytest.approx(-np.expm1(-argument), rel=1e-13)
    assert per_elapsed == pytest.approx(response * RATE / argument, rel=1e-14)


@pytest.mark.parametrize('argument', [10.0, 1e3])
def test_a_long_interval_leaves_little_of_what_was_before(argument):
    response, _ = first_order_response(RATE, argument / RATE)
    assert 0.0 <= 1.0 - response <= 1e-4
