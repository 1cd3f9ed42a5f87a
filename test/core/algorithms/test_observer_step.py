"""One step of the momentum observer: compiled, its low pass, and its friction."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import HAND_WRITTEN, hand_written
from observer_inputs import observer_inputs

from robot_dynamics_ros.core import JointFriction
from robot_dynamics_ros.core.algorithms.observer import (
    first_order_response,
    observer_step,
    smooth_friction,
)
from robot_dynamics_ros.core.compiler.kernel import native_obstacle

RATE = 30.0
KINDS = ('viscous', 'coulomb', 'viscous_negative', 'coulomb_negative')


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


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_of_both_directions(robot):
    random = np.random.default_rng(7)
    names = [joint.name for joint in robot.model.joints]
    given = {
        kind: dict(zip(names, random.uniform(0, 5, len(names)), strict=True)) for kind in KINDS
    }
    smoothing = dict(zip(names, np.geomspace(0.003, 0.3, len(names)), strict=True))
    friction = JointFriction(robot.model, smoothing=smoothing, **given)
    coefficients = friction.coefficients
    for scale in (0.0, 1e-3, 1.0, 1e3):
        v = scale * random.uniform(-1.0, 1.0, robot.model.size)
        torque = smooth_friction(robot.model, v.tolist(), coefficients.tolist())
        # NEGLIGIBLE in the speed changes the torque by that share of the Coulomb friction.
        assert_close(torque, friction.torque(v), friction.coulomb.max())
