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
