"""Batch kernels at each width of vectors, on whatever processor the tests run."""

import math
from itertools import product

import numpy as np
import pytest
from mechanics.batches import inputs_of
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.compiler.kernel import Kernel, native_obstacle
from robot_dynamics_ros.core.compiler.program import trace
from robot_dynamics_ros.core.scalar import cos, sin

pytestmark = pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())

LANES = (2, 4, 8)
VECTOR_LANES = 'robot_dynamics_ros.core.compiler.llvm.vector_lanes'


def batch_kernel(program, labels, lanes, monkeypatch):
    monkeypatch.setattr(VECTOR_LANES, lambda: lanes)
    kernel = Kernel(program, labels, 'native')
    assert kernel._batch._lanes == lanes
    return kernel


@pytest.mark.parametrize('lanes', LANES)
@pytest.mark.parametrize('quantity', ['inverse_dynamics', 'mass_matrix_inverse', 'regressor'])
def test_each_width_computes_the_same(quantity, lanes, monkeypatch):
    monkeypatch.setattr(VECTOR_LANES, lambda: lanes)
    dynamics = RobotDynamics(hand_written('oblique').model)
    for samples in (1, lanes - 1, lanes, 3 * lanes + 1):
        inputs = inputs_of(dynamics.model, quantity, samples)
        expected = [getattr(dynamics, quantity)(*sample) for sample in zip(*inputs, strict=True)]
        found = getattr(dynamics, quantity)(*inputs)
        assert np.abs(found - expected).max() <= 1e-14 * np.abs(expected).max()
    assert dynamics._call.kernel(quantity)._batch._lanes == lanes


@pytest.mark.parametrize('lanes', LANES)
@pytest.mark.parametrize('entries', range(1, 20))
def test_rows_of_each_length_are_transposed(entries, lanes, monkeypatch):
    """A result in which every entry of the input has another place, with constants between."""

    def algorithm(x):
        return [value for entry in reversed(x) for value in (1.0 * entry, 7.0)]

    program = trace('reversed', algorithm, {'x': entries})
    kernel = batch_kernel(program, {'x': list(map(str, range(entries)))}, lanes, monkeypatch)
    x = np.random.default_rng(0).uniform(-1.0, 1.0, (2 * lanes + 3, entries))
    expected = np.full((len(x), 2 * entries), 7.0)
    expected[:, ::2] = x[:, ::-1]
    assert np.array_equal(kernel.call(x, None), expected)


@pytest.mark.parametrize('lanes', LANES)
@pytest.mark.parametrize('entries', [1, 3, 8, 17, 511, 515])
def test_rows_are_written_past_the_caches(entries, lanes, monkeypatch):
    """Wherever the lines of the caches begin in them, and nothing beside them."""
    monkeypatch.setattr('robot_dynamics_ros.core.compiler.batch.PAST_CACHES', 0)
    program = trace('scaled', lambda x: [float(k) * x[0] for k in range(entries)], {'x': 1})
    kernel = batch_kernel(program, {'x': ['x']}, lanes, monkeypatch)
    for samples, start in product((1, lanes, 3 * lanes + 1), range(8)):
        x = np.random.default_rng(0).uniform(-1.0, 1.0, (samples, 1))
        memory = np.full(samples * entries + 16, 7.0)
        out = memory[start : start + samples * entries].reshape(samples, entries)
        kernel.call(x, out)
        assert np.array_equal(out, x * np.arange(entries))
        assert (memory[:start] == 7.0).all()
        assert (memory[start + out.size :] == 7.0).all()


@pytest.mark.parametrize('lanes', LANES)
@pytest.mark.parametrize('largest', [1e-300, 0.1, math.pi / 4, 10.0, 1e3, 1e9])
def test_sine_and_cosine(largest, lanes, monkeypatch):
    program = trace('both', lambda x: [[sin(y) for y in x], [cos(y) for y in x]], {'x': 5})
    kernel = batch_kernel(program, {'x': list('abcde')}, lanes, monkeypatch)
    x = np.random.default_rng(0).uniform(-largest, largest, (1000, 5))
    found = kernel.call(x, None)
    exact = np.array([[list(map(math.sin, row)), list(map(math.cos, row))] for row in x])
    # Rounding of three sums, and of the reduction at large angles.
    assert (np.abs(found - exact) <= 2.0 * np.spacing(np.abs(exact)) + 1e-21).all()


@pytest.mark.parametrize('factor', [1e12, -3.7e15])
def test_an_angle_beyond_the_range_is_computed_alone(factor):
    """A mimic joint: one sample of the batch has an angle that the vectors do not take."""
    program = trace('multiple', lambda x: [sin(factor * x[0] + 0.3), x[0]], {'x': 1})
    kernel = Kernel(program, {'x': ['x']}, 'native')
    x = np.full((21, 1), 1e-13)
    x[13] = 0.7
    found = kernel.call(x, None)
    expected = [[math.sin(factor * value + 0.3), value] for value in x[:, 0]]
    assert np.abs(found - expected).max() <= 1e-15
