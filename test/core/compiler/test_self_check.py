"""The comparison of a kernel with its program: right kernels pass, wrong ones are never used."""

import re
from fractions import Fraction

import numpy as np
import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import NativeCodeError, RobotDynamics
from robot_dynamics_ros.core.compiler.kernel import native_obstacle
from robot_dynamics_ros.core.compiler.native.llvm_kernel import ANGLE_NOT_FINITE, DONE, kernel_ir
from robot_dynamics_ros.core.compiler.native.self_check import MOST, check_kernel, rounded_values
from robot_dynamics_ros.core.compiler.program import trace
from robot_dynamics_ros.core.compiler.python import compile_python
from robot_dynamics_ros.core.scalar import require_positive, sin


def mixed(x, y):
    total = 0.1
    for a, b in zip(x, y, strict=True):
        total = (total + a * b) * (a - b) - a / (3.0 + b)
    return [total, -total * x[0], x[1] / y[1] - 1.0]


MIXED = trace('mixed', mixed, {'x': 6, 'y': 6})


def as_kernel(program, change=lambda result: result):
    """A kernel in plain Python, whose result is changed."""
    function = compile_python(program)

    def evaluate(*arrays):
        *inputs, out = arrays
        result = np.array(function(*(array.tolist() for array in inputs)))
        out[...] = np.reshape(change(result), out.shape)
        return DONE

    return evaluate


@pytest.mark.parametrize('seed', range(20))
def test_the_bound_is_one_of_the_rounding_error(seed):
    """Of each step, compared with exact arithmetic; and it is not far too large."""
    random = np.random.default_rng(seed)
    inputs = {name: random.uniform(-1.0, 1.0, 6).tolist() for name in 'xy'}
    values, errors = rounded_values(MIXED.steps(), inputs)
    exact = mixed(*([Fraction(x) for x in inputs[name]] for name in 'xy'))
    for output, truth in zip(MIXED.outputs, exact, strict=True):
        value, bound = values[output.index], errors[output.index]
        assert abs(Fraction(value) - Fraction(truth)) <= MOST / 2.0 * bound
        assert bound < 1e-12 * (1.0 + abs(value))


def test_a_right_kernel_passes():
    check_kernel(MIXED, as_kernel(MIXED))


@pytest.mark.parametrize('index', range(3))
@pytest.mark.parametrize('change', [1.0 + 1e-11, -1.0, 0.0, np.nan, np.inf])
def test_a_wrong_entry_is_noticed(index, change):
    factors = np.ones(3)
    factors[index] = change
    with pytest.raises(NativeCodeError, match=r'mixed: .*backend python'):
        check_kernel(MIXED, as_kernel(MIXED, lambda result: result * factors))


@pytest.mark.parametrize('code', [1, 2, ANGLE_NOT_FINITE, -2, -3])
def test_a_refusal_without_a_reason_is_noticed(code):
    with pytest.raises(NativeCodeError, match=rf'\(outcome {code}\)'):
        check_kernel(MIXED, lambda *arrays: code)


def conditional(bound):
    def algorithm(x):
        require_positive(x[0], bound - x[0], 'x is too large')
        return [2.0 * x[0]]

    return trace('conditional', algorithm, {'x': 1})


def test_a_condition_that_does_not_hold_must_be_reported():
    program = conditional(-5.0)
    check_kernel(program, lambda *arrays: 1)
    for wrong in (lambda *arrays: DONE, lambda *arrays: 2):
        with pytest.raises(NativeCodeError):
            check_kernel(program, wrong)


def test_a_program_without_a_result_at_large_inputs_is_compared_at_small_ones():
    program, seen = conditional(0.05), []

    def evaluate(x, out):
        seen.append(x[0])
        if x[0] >= 0.05:
            return 1
        out[0] = 2.0 * x[0]
        return DONE

    check_kernel(program, evaluate)
    assert len(seen) > 1
    assert seen[-1] < 0.05 <= seen[-2]
    with pytest.raises(NativeCodeError):
        check_kernel(program, lambda x, out: 1 if x[0] >= 0.05 else DONE)


def test_an_angle_that_overflows_must_be_reported():
    program = trace('far', lambda x: [sin(1e308 * (x[0] * 1e5))], {'x': 1})
    check_kernel(program, lambda *arrays: ANGLE_NOT_FINITE)
    with pytest.raises(NativeCodeError):
        check_kernel(program, lambda *arrays: DONE)


# Arithmetic of emitted code, and what it may be mistaken for.
WRONG = {'fadd': 'fsub', 'fsub': 'fadd', 'fmul': 'fadd', 'fdiv': 'fmul'}
ARITHMETIC = re.compile(r'= (fadd|fsub|fmul|fdiv) nsz contract double')


@pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())
@pytest.mark.parametrize('quantity', ['inverse_dynamics', 'mass_matrix', 'forward_dynamics'])
@pytest.mark.parametrize('part', np.linspace(0.0, 1.0, 12))
def test_a_wrong_instruction_is_noticed_and_the_kernel_is_not_used(monkeypatch, quantity, part):
    def wrong_ir(program):
        source = kernel_ir(program)
        found = list(ARITHMETIC.finditer(source))
        assert len(found) > 100
        match = found[round(part * (len(found) - 1))]
        return source[: match.start(1)] + WRONG[match[1]] + source[match.end(1) :]

    monkeypatch.setattr(
        'robot_dynamics_ros.core.compiler.native.native_kernel.kernel_ir', wrong_ir
    )
    dynamics = RobotDynamics(hand_written('oblique').model, backend='native')
    for _ in range(2):
        with pytest.raises(NativeCodeError, match=f'{quantity}: native code'):
            dynamics.compile(quantity)
