"""The low pass: what it passes, that it delays nothing, and what its derivatives are exact for."""

import numpy as np
import pytest

from robot_dynamics_ros.recordings.low_pass import Convolution, half_length, kernels

CASES = [(20.0, 1000.0), (5.0, 1000.0), (7.5, 30.0), (11.0, 100.0), (31.25, 125.0)]


def response(kernel, frequency, rate):
    """Complex gain of a convolution at a frequency [Hz]."""
    half = len(kernel) // 2
    return np.sum(kernel * np.exp(-2j * np.pi * frequency * np.arange(-half, half + 1) / rate))


@pytest.mark.parametrize(('cutoff', 'rate'), CASES)
def test_it_passes_to_half_the_cutoff_and_damps_from_one_and_a_half(cutoff, rate):
    value, _, _ = kernels(cutoff, rate)
    passed = [response(value, f, rate) for f in np.linspace(0.0, 0.5 * cutoff, 40)]
    damped = [response(value, f, rate) for f in np.linspace(1.5 * cutoff, rate / 2.0, 200)]
    # The window is designed for 60 dB, 0.1 %; Kaiser's formula for its length is an estimate.
    np.testing.assert_allclose(passed, 1.0, atol=2.5e-3)
    np.testing.assert_allclose(damped, 0.0, atol=2.5e-3)
    assert abs(response(value, cutoff, rate)) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(('cutoff', 'rate'), CASES)
def test_derivatives_are_those_of_sines_that_pass(cutoff, rate):
    _, first, second = kernels(cutoff, rate)
    for frequency in np.linspace(0.05, 0.5, 10) * cutoff:
        omega = 2.0 * np.pi * frequency
        # Purely imaginary and purely real: the phase is exact at any frequency.
        assert response(first, frequency, rate) / (1j * omega) == pytest.approx(1.0, abs=2.5e-3)
        assert response(second, frequency, rate) / -(omega**2) == pytest.approx(1.0, abs=2.5e-3)


@pytest.mark.parametrize(('cutoff', 'rate'), CASES)
def test_no_frequency_is_delayed(cutoff, rate):
    value, first, second = kernels(cutoff, rate)
    np.testing.assert_allclose(value, value[::-1], atol=1e-15)
    np.testing.assert_allclose(first, -first[::-1], atol=1e-9 * np.abs(first).max())
    np.testing.assert_allclose(second, second[::-1], atol=1e-9 * np.abs(second).max())


@pytest.mark.parametrize(('cutoff', 'rate'), CASES)
def test_polynomials_are_exact(cutoff, rate):
    half = half_length(cutoff, rate)
    times = np.arange(-half, half + 1) / rate
    value, first, second = (kernel @ np.vander(-times, 4) for kernel in kernels(cutoff, rate))
    # Columns: cubic, square, line, constant; at time 0.
    np.testing.assert_allclose(value[2:], [0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(first[1:], [0.0, 1.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(second, [0.0, 2.0, 0.0, 0.0], atol=1e-6)


@pytest.mark.parametrize('count', [43, 44, 5000, 20_000])
def test_blocks_give_the_same_as_one_sum(count):
    weights = kernels(5.0, 30.0)
    rows = np.random.default_rng(1).normal(size=(count, 3))
    convolution = Convolution(weights)
    results = convolution(rows, [slice(None), slice(1, 3), slice(0)])
    for kernel, which, result in zip(
        weights[:2], (slice(None), slice(1, 3)), results, strict=False
    ):
        expected = [np.convolve(column, kernel, 'valid') for column in rows[:, which].T]
        np.testing.assert_allclose(result.T, expected, atol=1e-10 * np.abs(kernel).sum())
    assert results[2].shape == (count - weights.shape[1] + 1, 0)
