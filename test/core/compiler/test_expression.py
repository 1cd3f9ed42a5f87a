"""What is folded away while an expression is written, and what becomes one node."""

import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robot_dynamics_ros.core import ModelError
from robot_dynamics_ros.core.compiler.expression import ExpressionGraph
from robot_dynamics_ros.core.compiler.program import trace
from robot_dynamics_ros.core.compiler.python import compile_python
from robot_dynamics_ros.core.scalar import cos, sin


@pytest.fixture
def inputs():
    return ExpressionGraph().input_vector('q', 3)


@pytest.mark.parametrize('two', [2, np.float64(2.0), np.float32(2.0), np.int64(2), Fraction(2)])
def test_every_real_number_is_a_constant(inputs, two):
    x = inputs[0]
    assert x + two is 2.0 + x
    assert x - two is x + -2.0
    assert two - x is 2.0 - x
    assert x * two is 2.0 * x
    assert x / two is 0.5 * x
    assert two / x is 2.0 / x


LEAVES = st.one_of(
    st.sampled_from(['x', 'y', 'z']), st.sampled_from([0.0, 1.0, -1.0, 2.0, -0.5]).map(float)
)
OPERATIONS = {'+': operator.add, '-': operator.sub, '*': operator.mul}
FORMULAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(list(OPERATIONS)), inner, inner),
        st.tuples(st.sampled_from(['neg', 'sin', 'cos']), inner),
    ),
    max_leaves=20,
)


def evaluate(formula, values):
    if isinstance(formula, float):
        return formula
    if isinstance(formula, str):
        return values[formula]
    operation, *operands = formula
    operands = [evaluate(operand, values) for operand in operands]
    if operation in OPERATIONS:
        return OPERATIONS[operation](*operands)
    return {'neg': operator.neg, 'sin': sin, 'cos': cos}[operation](*operands)


@given(FORMULAS, st.tuples(*[st.sampled_from([-2.0, -0.7, 0.0, 0.3, 1.5])] * 3))
def test_folding_changes_no_value(formula, point):
    """Sums and products of twenty leaves of size 2: at most 2^20, rounded to 1e-16 each."""
    program = trace('f', lambda q: [evaluate(formula, dict(zip('xyz', q, strict=True)))], {'q': 3})
    (folded,) = compile_python(program)(point)
    plain = evaluate(formula, dict(zip('xyz', point, strict=True)))
    assert folded == pytest.approx(plain, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize('constant', [float('inf'), float('nan')])
def test_a_constant_that_overflows_is_refused(constant):
    for result in (lambda q: [constant], lambda q: [q[0] + constant]):
        with pytest.raises(ModelError, match=r'^quantity: .* 1\.8e\+308'):
            trace('quantity', result, {'q': 1})


def test_plain_python_divides_by_zero_as_the_processor_does():
    divide = compile_python(trace('ratio', lambda x: [x[0] / x[1]], {'x': 2}))
    assert divide([1.0, 0.0]) == [np.inf]
    assert divide([1.0, -0.0]) == [-np.inf]
    assert np.isnan(divide([0.0, 0.0])).all()
    assert divide([1.0, 4.0]) == [0.25]
