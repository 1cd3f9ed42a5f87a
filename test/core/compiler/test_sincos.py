"""Sine and cosine of native code, at any angle."""

import math
from functools import cache

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from robot_dynamics_ros.core import StateError
from robot_dynamics_ros.core.compiler.kernel import Kernel, native_obstacle
from robot_dynamics_ros.core.compiler.program import trace
from robot_dynamics_ros.core.compiler.sine import HALF_PI, RANGE, sine_and_cosine
from robot_dynamics_ros.core.scalar import cos, sin

# From the C library's result, in units in its last place. Both are about one unit from the truth:
# the reduction and each of the two last sums round by half a unit at most, as do the polynomials.
# Of a large angle, the reduction leaves 1e-21: seen in results that are nearly zero.
MOST_ULPS, LEFT = 2.0, 1e-21

COUNT = 64


@cache
def kernel():
    if obstacle := native_obstacle():
        pytest.skip(obstacle)
    program = trace('both', lambda x: [[sin(y) for y in x], [cos(y) for y in x]], {'x': COUNT})
    return Kernel(program, {'x': [f'x{i}' for i in range(COUNT)]}, 'native')


def worst_ulps(values):
    worst = 0.0
    for chunk in np.array_split(values, math.ceil(len(values) / COUNT)):
        x = np.resize(chunk, COUNT)
        exact = [[math.sin(y) for y in x], [math.cos(y) for y in x]]
        errors = np.maximum(np.abs(kernel().call(x, None) - exact) - LEFT, 0.0)
        errors /= np.spacing(np.abs(exact))
        worst = max(worst, float(errors.max()))
    return worst


@pytest.mark.parametrize('largest', [1e-300, 1e-8, 0.1, math.pi / 4, math.pi, 100.0, 1e5, 1e9])
def test_accuracy_over_the_range(largest):
    values = np.random.default_rng(0).uniform(-largest, largest, 20_000)
    assert worst_ulps(values) <= MOST_ULPS


@pytest.mark.parametrize('quarters', [1, 2, 3, 4, 5, 1000, 10**6, 683_565_275])
def test_accuracy_beside_multiples_of_a_quarter_turn(quarters):
    """Where a result is nearly zero, and the reduction cancels most digits."""
    center = quarters * (math.pi / 2)
    values = center + np.arange(-500, 500) * math.ulp(center)
    assert worst_ulps(np.concatenate([values, -values])) <= MOST_ULPS


@given(st.floats(-RANGE, RANGE, exclude_min=True, exclude_max=True))
def test_accuracy_anywhere(x):
    sine, cosine = (row[0] for row in kernel().call(np.full(COUNT, x), None))
    for ours, exact in ((sine, math.sin(x)), (cosine, math.cos(x))):
        assert abs(ours - exact) <= MOST_ULPS * math.ulp(exact) + LEFT


def test_signs_of_zero_and_symmetry():
    x = np.random.default_rng(1).uniform(0.0, 1e4, COUNT)
    sine, cosine = kernel().call(x, None)
    mirrored = kernel().call(-x, None)
    assert np.array_equal(mirrored[0], -sine)
    assert np.array_equal(mirrored[1], cosine)
    assert kernel().call(np.zeros(COUNT), None).tolist() == [[0.0] * COUNT, [1.0] * COUNT]


def test_beyond_its_range_the_results_are_those_of_plain_python():
    """Bitwise, of every angle of the state."""
    x = np.resize([RANGE, -RANGE, 1e10, -1e15, 1e300, 0.1, -2.0, 3e8], COUNT)
    sine, cosine = kernel().call(x, None)
    assert sine.tolist() == [math.sin(y) for y in x]
    assert cosine.tolist() == [math.cos(y) for y in x]


@pytest.mark.parametrize('largest', [1e-8, math.pi, 1e5, 1e9])
def test_it_is_written_once_for_any_scalar(largest):
    """On plain floats it is as exact, with no fused multiply-add."""
    for x in np.random.default_rng(3).uniform(-largest, largest, 2000).tolist():
        for ours, exact in zip(sine_and_cosine(x), (math.sin(x), math.cos(x)), strict=True):
            assert abs(ours - exact) <= MOST_ULPS * math.ulp(exact) + LEFT


def test_the_parts_of_half_pi():
    """Products of the first two with whole numbers below 2^30 are exact."""
    rest = sympy.N(sympy.pi / 2 - sum(map(sympy.Rational, HALF_PI)), 60)
    assert abs(rest) * 2**30 < LEFT / 2.0
    for part in HALF_PI[:2]:
        mantissa, _ = math.frexp(part)
        assert (mantissa * 2**23).is_integer()


@pytest.mark.parametrize('factor', [1000.0, 1e12, -3.7e15])
def test_an_angle_may_be_a_large_multiple_of_an_input(factor):
    """A mimic joint: the angle is rounded as plain Python rounds it, then both are exact."""
    if obstacle := native_obstacle():
        pytest.skip(obstacle)

    def algorithm(x):
        angle = factor * x[0] + 0.3
        return [sin(angle), cos(angle)]

    kernel = Kernel(trace('multiple', algorithm, {'x': 1}), {'x': ['x']}, 'native')
    x, out = np.zeros(1), np.zeros(2)
    step = kernel.bind([x], out)
    for value in (9e8, -1.07e9, 0.7, 1.0 / 3.0, 1e-13):
        x[0] = value
        step()
        exact = algorithm([value])
        assert np.abs(out - exact).max() <= MOST_ULPS * np.spacing(1.0)
        assert kernel.call(x, None).tolist() == out.tolist()


def test_an_angle_that_overflows_has_no_sine(backend):
    kernel = Kernel(trace('far', lambda x: [sin(1e300 * x[0])], {'x': 1}), {'x': ['x']}, backend)
    x, out = np.array([1e9]), np.array([7.0])
    step = kernel.bind([x], out)
    for refused in (step, lambda: kernel.call(x, None), lambda: kernel.call(x, out)):
        with pytest.raises(StateError, match=r'far.*finite'):
            refused()
        assert out.tolist() == [7.0]


def test_a_sine_of_a_sine_is_refused_by_native_code():
    if obstacle := native_obstacle():
        pytest.skip(obstacle)
    program = trace('nested', lambda x: [sin(sin(x[0]))], {'x': 1})
    with pytest.raises(NotImplementedError, match='nested: native'):
        Kernel(program, {'x': ['x']}, 'native')
