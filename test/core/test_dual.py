"""Dual numbers against complex steps, and as scalars of the algorithms."""

from functools import partial, reduce
from operator import add

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.complex_step import derivative, gradient
from mechanics.robots import hand_written

from robot_dynamics_ros.core.algorithms import coriolis, crba, rnea
from robot_dynamics_ros.core.codegen.program import trace
from robot_dynamics_ros.core.codegen.python import compile_python
from robot_dynamics_ros.core.dual import Dual, along, independent, slope_of
from robot_dynamics_ros.core.scalar import cos, sin
from robot_dynamics_ros.core.textbook import christoffel

POINTS = np.random.default_rng(0).uniform(0.5, 2.0, (5, 2))


def rational(point):
    """Every operation, with constants on either side."""
    x, y = point
    wave = sin(x * y) - cos(2.0 - x)
    return (3.0 - x) / (y * 2.0 + 1.0) + wave / 4.0 - (-y) * x + 1.0 / (x + y) + (y - 0.5)


@pytest.mark.parametrize('point', POINTS)
def test_rules_of_calculus(point):
    x = rational(independent(point))
    assert_close(x.value, rational(point))
    assert_close(x.slope, gradient(rational, point))


@pytest.mark.parametrize('point', POINTS)
def test_along_a_direction(point):
    direction = np.array([0.3, -1.7])
    x = rational(along(point, direction))
    assert_close(x.slope, derivative(rational, point, direction))


def test_dual_numbers_of_dual_numbers_are_second_derivatives():
    for t in (0.3, 1.0, 2.5):
        x = Dual(Dual(t, 1.0), Dual(1.0, 0.0))
        second = (x * x * sin(x)).slope.slope
        assert_close(second, 2.0 * np.sin(t) + 4.0 * t * np.cos(t) - t * t * np.sin(t), scale=1.0)


def test_constants_have_no_slope():
    assert slope_of(2.0) == 0.0
    assert slope_of(2.0, like=(0.0, 0.0)) == (0.0, 0.0)


@pytest.mark.parametrize('name', ['tree', 'mimic', 'gantry'])
def test_as_scalars_of_the_production_algorithms(name):
    """Against complex steps: derivatives of CRBA and RNEA in every coordinate."""
    robot = hand_written(name)
    n, gravity = robot.model.size, (1.5, -2.5, -9.0)
    for q, v, a, _ in robot.states(2):
        rows = crba.mass_matrix(robot.model, independent(q))
        slopes = [[slope_of(entry, np.zeros(n)) for entry in row] for row in rows]
        expected = gradient(partial(crba.mass_matrix, robot.model), q)
        assert_close(slopes, expected, scale=np.abs(crba.mass_matrix(robot.model, q)).max())

        def torque(x, v=v, a=a):
            return rnea.inverse_dynamics(robot.model, x, v, a, gravity)

        tau = torque(independent(q))
        scale = max(abs(x) for x in torque(q))
        assert_close([slope_of(x, np.zeros(n)) for x in tau], gradient(torque, q), scale)


@pytest.mark.parametrize('point', POINTS)
def test_duals_and_expressions_mix_in_either_order(point):
    """The product rule and the others, where one operand is a Dual and the other is none."""

    def mixed(x, y):
        return (x - y) * (y - x) + (x + y) / (y + x) + x / y + y / x + (y * x - x * y * y)

    def program(q):
        x, y = Dual(q[0], 1.0), q[1]
        result = mixed(x, y)
        return [result.value, result.slope]

    value, slope = compile_python(trace('f', program, {'q': 2}))(point)
    assert_close(value, mixed(*point), scale=10.0)
    assert_close(slope, derivative(lambda p: mixed(*p), point, np.array([1.0, 0.0])), scale=10.0)


@pytest.mark.parametrize('name', ['tree', 'mimic'])
def test_the_slope_of_a_compiled_mass_matrix_is_its_rate(name):
    """M_dot = C + C^T, with velocities that are expressions beside duals of expressions."""
    robot = hand_written(name)
    sizes = {'q': robot.model.size, 'v': robot.model.size}

    def power(q, v):
        """d/dt of M v at constant v: the matrix is made of duals, the velocities are not."""
        rows = crba.mass_matrix(robot.model, along(q, v))
        return [
            slope_of(reduce(add, (rate * entry for rate, entry in zip(v, row, strict=True))))
            for row in rows
        ]

    program = trace('rate', power, sizes)
    for q, v, _, _ in robot.states(2):
        C = np.array(coriolis.coriolis_matrix(robot.model, q, v))
        rate = compile_python(program)(q, v)
        assert_close(rate, (C + C.T) @ v, scale=np.abs(C).max() * np.abs(v).max() * 10.0)


def test_over_expressions():
    """Christoffel's C as a compiled program: dual numbers of expressions."""
    robot = hand_written('tree')
    sizes = {'q': robot.model.size, 'v': robot.model.size}
    program = trace('C', partial(christoffel.coriolis_matrix, robot.model), sizes)
    compiled = compile_python(program)
    for q, v, _, _ in robot.states(2):
        C = np.reshape(compiled(q, v), program.shape)
        expected = christoffel.coriolis_matrix(robot.model, q, v)
        assert_close(C, expected, scale=np.abs(v).max())
