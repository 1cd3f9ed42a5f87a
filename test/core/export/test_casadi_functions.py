"""Quantities in CasADi: the same values, and derivatives that agree with our own."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written
from observer_inputs import observer_inputs, slopes_at_rest

from robot_dynamics_ros.core import UnknownNameError
from robot_dynamics_ros.core.algorithms.rnea import inverse_dynamics
from robot_dynamics_ros.core.quantity import QUANTITIES

casadi = pytest.importorskip('casadi', reason='CasADi is not installed')

from robot_dynamics_ros.core.export.casadi_functions import casadi_function

GRAVITY = (0.0, 0.0, -9.81)
OF_STATES = [name for name, each in QUANTITIES.items() if not each.of_frame]


@pytest.mark.parametrize('quantity', OF_STATES)
@pytest.mark.parametrize('name', ['oblique', 'mimic'])
def test_equals_the_method_of_that_name(name, quantity):
    robot = hand_written(name)
    function, method = casadi_function(robot.model, quantity), getattr(robot.python, quantity)
    for q, v, a, w in robot.states(2):
        given = {'q': q, 'v': v, 'a': a, 'tau': w, 'v_reference': w, 'a_reference': a}
        inputs = [given[name] for name in QUANTITIES[quantity].arguments]
        expected = np.array(method(*inputs))
        gravity = [GRAVITY] if 'gravity' in QUANTITIES[quantity].inputs else []
        outputs = function.call([*map(casadi.DM, [*inputs, *gravity])])
        value = np.array([output.full() for output in outputs]).reshape(expected.shape)
        assert_close(value, expected, 100.0)


def test_the_step_of_the_observer_has_roots_and_a_derivative_at_rest():
    """That of friction at rest: minus the mean of F_v + F_s / v_0 of both directions."""
    robot = hand_written('oblique')
    function, inputs = casadi_function(robot.model, 'observer_step'), observer_inputs(robot.model)
    expected = robot.python.observer_step(**inputs)
    assert_close(function(*inputs.values(), GRAVITY).full(), expected, 100.0)
    v = casadi.MX.sym('v', 4)
    torque = function(*(inputs | {'v': v}).values(), GRAVITY)[2, :]
    slope = casadi.Function('slope', [v], [casadi.jacobian(torque, v)])
    found = slope(np.zeros(4)).full()
    assert_close(np.diag(found), -0.5 * slopes_at_rest(inputs['friction']), 100.0)


def test_derivatives_are_those_of_the_algorithm():
    robot = hand_written('oblique')
    torque = casadi_function(robot.model, 'inverse_dynamics')
    symbols = [casadi.MX.sym(name, 4) for name in 'qva']
    tau = torque(*symbols, GRAVITY)
    jacobians = casadi.Function('d', symbols, [casadi.jacobian(tau, x) for x in symbols])
    for q, v, a, _ in robot.states(2):
        expected = robot.python.inverse_dynamics_derivatives(q, v, a)
        for ours, theirs in zip(expected, jacobians(q, v, a), strict=True):
            assert_close(theirs.full(), ours, 100.0)


@pytest.mark.parametrize('kind', [casadi.SX, casadi.MX])
def test_an_algorithm_computes_with_symbols(kind):
    robot = hand_written('oblique')
    symbols = [kind.sym(name, 4) for name in 'qva']
    entries = [casadi.vertsplit(x) for x in symbols]
    tau = casadi.vertcat(*inverse_dynamics(robot.model, *entries, GRAVITY))
    function = casadi.Function('tau', symbols, [tau])
    for q, v, a, _ in robot.states(2):
        expected = robot.python.inverse_dynamics(q, v, a)
        assert_close(function(q, v, a).full().ravel(), expected, 100.0)


@pytest.mark.parametrize(('place', 'name'), [*enumerate(['q', 'v', 'a', 'gravity'])])
@pytest.mark.parametrize('wrong', [np.zeros(2), casadi.MX.sym('x', 5)], ids=['numbers', 'symbols'])
def test_another_size_is_refused(place, name, wrong):
    torque = casadi_function(hand_written('oblique').model, 'inverse_dynamics')
    inputs = [*np.zeros((3, 4)), GRAVITY]
    inputs[place] = wrong
    with pytest.raises(RuntimeError, match=rf'Input {place} \({name}\) has mismatching shape'):
        torque(*inputs)


def test_a_frame_is_named():
    robot = hand_written('oblique')
    frame = robot.model.frames[-1].name
    (q, *_), = robot.states(1)  # fmt: skip
    J = casadi_function(robot.model, 'jacobian', frame, 'LOCAL')(q)
    assert_close(J.full(), robot.python.jacobian(q, frame, 'LOCAL'))
    with pytest.raises(UnknownNameError, match="unknown frame 'nose'"):
        casadi_function(robot.model, 'jacobian', 'nose')
