"""Quantities in CasADi: the same values, and derivatives that agree with our own."""

import numpy as np
import pytest
from mechanics.batches import axes_of, call, inputs_of
from mechanics.closeness import assert_close
from mechanics.robots import hand_written

from robot_dynamics_ros.core import UnknownNameError
from robot_dynamics_ros.core.algorithms.friction import AT_REST, KINDS
from robot_dynamics_ros.core.quantity import PROGRAMS, QUANTITIES, STEPS

GRAVITY = np.array([0.0, 0.0, -9.81])


class Casadi:
    """Calls as those of `RobotDynamics`, and derivatives, by CasADi."""

    def __init__(self):
        self.casadi = pytest.importorskip('casadi', reason='CasADi is not installed')
        from robot_dynamics_ros.core.export.casadi_functions import casadi_function

        self.function = casadi_function

    def compute(self, function, vectors, shape):
        outputs = function.call([*map(self.casadi.DM, vectors)])
        return np.array([output.full() for output in outputs]).reshape(shape)

    def slopes(self, function, place, vectors, row=None):
        x = self.casadi.MX.sym('x', len(vectors[place]))
        result = function(*vectors[:place], x, *vectors[place + 1 :])
        slope = self.casadi.jacobian(result if row is None else result[row, :], x)
        return self.casadi.Function('slope', [x], [slope])(vectors[place]).full()


@pytest.fixture
def other():
    return Casadi()


@pytest.mark.parametrize('quantity', QUANTITIES)
def test_equals_the_method_of_that_name(quantity, other):
    robot, record = hand_written('mimic'), QUANTITIES[quantity]
    inputs = [rows[0] for rows in inputs_of(robot.model, quantity, 1)]
    gravity = [GRAVITY] if 'gravity' in record.inputs else []
    frame = [robot.model.links[-1].name] if record.of_frame else []
    for axes in axes_of(quantity):
        expected = call(robot.python, quantity, *inputs, axes=axes)
        function = other.function(robot.model, quantity, *frame, *filter(None, [axes]))
        found = other.compute(function, [*inputs, *gravity], expected.shape)
        assert_close(found, expected, 100.0)


def test_the_step_of_the_observer_has_roots_and_a_derivative_at_rest(other):
    """That of friction at rest: minus the mean of F_v + F_s / v_0 of both directions."""
    robot, random = hand_written('oblique'), np.random.default_rng(5)
    function, n = other.function(robot.model, 'observer_step'), robot.model.size
    inputs = {
        name: random.uniform(0.01, 3.0, len(entries))
        for name, entries in STEPS['observer_step'].labels(robot.model).items()
        if name != 'gravity'
    }
    expected = robot.python.observer_step(**inputs)
    assert_close(robot.native.observer_step(**inputs), expected, 100.0)
    vectors = [*inputs.values(), GRAVITY]
    assert_close(other.compute(function, vectors, expected.shape), expected, 100.0)
    place = PROGRAMS['observer_step'].inputs.index('v')
    vectors[place] = np.zeros(n)
    found = other.slopes(function, place, vectors, row=2)
    kind = dict(zip(KINDS, np.reshape(inputs['friction'], (len(KINDS), -1)), strict=True))
    dry = 0.5 * (kind['coulomb'] + kind['coulomb_negative'])
    dry += kind['load'] * np.abs(inputs['effort'] - inputs['offset'])
    viscous = 0.5 * (kind['viscous'] + kind['viscous_negative'])
    slopes = viscous + dry / kind['smoothing'] + kind['stribeck'] / AT_REST
    slopes += kind['gradual'] / kind['gradual_smoothing']
    assert_close(np.diag(found), -0.5 * slopes, 100.0)


def test_derivatives_are_those_of_the_algorithm(other):
    robot = hand_written('oblique')
    torque = other.function(robot.model, 'inverse_dynamics')
    for q, v, a, _ in robot.states(2):
        for place, ours in enumerate(robot.python.inverse_dynamics_derivatives(q, v, a)):
            assert_close(other.slopes(torque, place, [q, v, a, GRAVITY]), ours, 100.0)


@pytest.mark.parametrize(('place', 'name'), [*enumerate(['q', 'v', 'a', 'gravity'])])
def test_another_size_is_refused(place, name, other):
    torque = other.function(hand_written('oblique').model, 'inverse_dynamics')
    with pytest.raises(UnknownNameError, match="'nose'"):
        other.function(hand_written('oblique').model, 'jacobian', 'nose')
    for size in (2, 5):
        inputs = [*np.zeros((3, 4)), GRAVITY]
        inputs[place] = np.zeros(size)
        with pytest.raises(RuntimeError, match=rf'(?m)\b{name}\b'):
            torque(*inputs)
