"""The answer of a low pass, without an exponential function."""

import numpy as np
import pytest

from robot_dynamics_ros.core.algorithms.observer.first_order import first_order_response

RATE = 30.0


@pytest.mark.parametrize('argument', [1e-9, 1e-4, 0.03, 0.5, 1.0, 3.0, 4.0])
def test_is_that_of_the_exponential_function(argument):
    response, per_elapsed = first_order_response(RATE, argument / RATE)
    assert response == pytest.approx(-np.expm1(-argument), rel=1e-13)
    assert per_elapsed == pytest.approx(response * RATE / argument, rel=1e-14)


def test_two_steps_are_one_step_of_both_intervals():
    first, second, both = (first_order_response(RATE, x)[0] for x in (0.01, 0.03, 0.04))
    assert (1.0 - first) * (1.0 - second) == pytest.approx(1.0 - both, rel=1e-13)


@pytest.mark.parametrize('argument', [10.0, 30.0, 100.0, 1e3])
def test_a_long_interval_leaves_little_of_what_was_before(argument):
    response, _ = first_order_response(RATE, argument / RATE)
    assert 0.0 <= 1.0 - response <= 1e-4


@pytest.mark.parametrize('argument', [1e6, 1e9])
def test_no_interval_is_too_long_to_be_stable(argument):
    response, _ = first_order_response(RATE, argument / RATE)
    assert 0.0 <= response <= 1.0


def test_no_interval_changes_nothing():
    assert first_order_response(RATE, 0.0) == (0.0, pytest.approx(RATE, rel=1e-15))
