"""Quantities in JAX: compiled, in batches, and with derivatives that agree with our own."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written
from observer_inputs import observer_inputs, slopes_at_rest

from robot_dynamics_ros.core import StateError
from robot_dynamics_ros.core.algorithms.rnea import gravity_torque
from robot_dynamics_ros.core.quantity import QUANTITIES

jax = pytest.importorskip('jax', reason='JAX is not installed')

from robot_dynamics_ros.core.export.jax_functions import jax_function

GRAVITY = np.array([0.0, 0.0, -9.81])
OF_STATES = [name for name, each in QUANTITIES.items() if not each.of_frame]


@pytest.fixture(autouse=True)
def double_precision():
    before = jax.config.jax_enable_x64
    jax.config.update('jax_enable_x64', True)
    yield
    jax.config.update('jax_enable_x64', before)


@pytest.mark.parametrize('quantity', OF_STATES)
def test_equals_the_method_of_that_name(quantity):
    robot = hand_written('oblique')
    function, method = jax_function(robot.model, quantity), getattr(robot.python, quantity)
    ((q, v, a, w),) = robot.states(1)
    given = {'q': q, 'v': v, 'a': a, 'tau': w, 'v_reference': w, 'a_reference': a}
    inputs = [given[name] for name in QUANTITIES[quantity].arguments]
    expected = np.array(method(*inputs))
    gravity = [GRAVITY] if 'gravity' in QUANTITIES[quantity].inputs else []
    value = function(*inputs, *gravity)
    assert value.dtype == np.float64
    assert_close(value, expected, 100.0)


def test_the_step_of_the_observer_has_roots_and_a_derivative_at_rest():
    """That of friction at rest: minus the mean of F_v + F_s / v_0 of both directions."""
    robot = hand_written('oblique')
    function, inputs = jax_function(robot.model, 'observer_step'), observer_inputs(robot.model)
    expected = robot.python.observer_step(**inputs)
    assert_close(function(*inputs.values(), GRAVITY), expected, 100.0)

    def torque(v):
        return function(*(inputs | {'v': v}).values(), GRAVITY)[2]

    found = jax.jacfwd(torque)(np.zeros(4))
    assert_close(np.diag(found), -0.5 * slopes_at_rest(inputs['friction']), 100.0)


def test_compiled_in_batches_with_derivatives():
    robot = hand_written('mimic')
    torque = jax_function(robot.model, 'inverse_dynamics')
    slopes = jax.jit(jax.vmap(jax.jacfwd(torque, (0, 1, 2)), (0, 0, 0, None)))
    q, v, a, _ = (np.array(x) for x in zip(*robot.states(3), strict=True))
    derivatives = robot.python.inverse_dynamics_derivatives
    expected = np.array([derivatives(*x) for x in zip(q, v, a, strict=True)])
    for index, slope in enumerate(slopes(q, v, a, GRAVITY)):
        assert_close(slope, expected[:, index], 100.0)


def test_single_precision_stays_single():
    robot = hand_written('oblique')
    (q, *_), = robot.states(1)  # fmt: skip
    M = jax_function(robot.model, 'mass_matrix')(q.astype(np.float32))
    assert M.dtype == np.float32
    assert np.abs(M - robot.python.mass_matrix(q)).max() < 1e-5


def test_an_algorithm_computes_with_arrays():
    robot = hand_written('oblique')
    (q, *_), = robot.states(1)  # fmt: skip
    held = jax.jit(lambda q: gravity_torque(robot.model, list(q), GRAVITY.tolist()))(q)
    assert_close(np.array(held), robot.python.gravity_torque(q), 100.0)


Q = np.zeros(4)
WRONG_SHAPES = {
    'too short': ((Q[:3], Q, Q, GRAVITY), r'q .*shape \(3,\).*\(4,\)[^(]*$'),
    'too long': ((Q, np.zeros(5), Q, GRAVITY), r'v .*shape \(5,\).*\(4,\)[^(]*$'),
    'a number': ((Q, Q, 1.0, GRAVITY), r'a .*shape \(\).*\(4,\)[^(]*$'),
    'gravity': ((Q, Q, Q, GRAVITY[2:]), r'gravity .*shape \(1,\).*\(3,\)[^(]*$'),
    'without gravity': ((Q, Q, Q), r'inverse_dynamics takes 4 vectors \(q'),
    'one too many': ((Q, Q, Q, GRAVITY, Q), r'v, a, gravity\), got 5$'),
    'a batch': ((np.zeros((7, 4)), Q, Q, GRAVITY), r'shape \(7, 4\).*\(4,\)'),
}


@pytest.mark.parametrize('wrap', [lambda function: function, jax.jit], ids=['plain', 'jit'])
@pytest.mark.parametrize('case', WRONG_SHAPES)
def test_another_shape_is_refused(case, wrap):
    """JAX itself clamps an index beyond the end: the last value would count several times."""
    inputs, message = WRONG_SHAPES[case]
    torque = wrap(jax_function(hand_written('oblique').model, 'inverse_dynamics'))
    # JAX adds lines of its own.
    with pytest.raises(StateError, match=f'(?m){message}'):
        torque(*inputs)


def test_another_shape_of_a_sample_is_refused():
    torque = jax.vmap(jax_function(hand_written('oblique').model, 'gravity_torque'), (0, None))
    assert torque(np.zeros((7, 4)), GRAVITY).shape == (7, 4)
    with pytest.raises(StateError, match=r'(?m)^q .*shape \(3,\).*\(4,\)[^(]*$'):
        torque(np.zeros((7, 3)), GRAVITY)
