"""Square roots in each back end: correctly rounded, and shared."""

import math

import numpy as np
import pytest

from robot_dynamics_ros.core.compiler.expression import ExpressionGraph
from robot_dynamics_ros.core.compiler.kernel import Kernel
from robot_dynamics_ros.core.compiler.program import evaluate, trace
from robot_dynamics_ros.core.scalar import sqrt

VALUES = [0.0, 5e-324, 1e-300, 0.3, 1.0, 2.0, 3.7e8]


@pytest.fixture(scope='module')
def program():
    return trace('roots', lambda x: [sqrt(x[0]), 3.0 * sqrt(x[0])], {'x': 1})


@pytest.mark.parametrize('value', VALUES)
def test_of_one_value(program, backend, value):
    root = math.sqrt(value)
    expected = [root, 3.0 * root]
    found = Kernel(program, {'x': ['x']}, backend).call(np.array([value]), None)
    assert found.tolist() == expected == evaluate(program, {'x': [value]})[0]


@pytest.mark.parametrize('lanes', [2, 4, 8])
def test_of_a_batch(program, needs_native, lanes, monkeypatch):
    monkeypatch.setattr('robot_dynamics_ros.core.compiler.llvm.vector_lanes', lambda: lanes)
    rows = np.array([VALUES]).T
    found = Kernel(program, {'x': ['x']}, 'native').call(rows, None)
    assert np.array_equal(found[:, 0], np.sqrt(rows[:, 0]))


def test_equal_roots_are_one_expression():
    x, y = ExpressionGraph().input_vector('x', 2)
    assert sqrt(x * y) is sqrt(y * x)
