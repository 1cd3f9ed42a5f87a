"""Whether all values are finite, without a warning where their norm overflows."""

import warnings

import numpy as np
import pytest

from robot_dynamics_ros.core.checks import all_finite


@pytest.mark.parametrize(
    ('values', 'finite'),
    [
        ([0.1, -2.0, 3.0], True),
        ([1e200, -1e308, 1.7e308], True),
        ([0.1, np.nan, 3.0], False),
        ([0.1, -np.inf, np.nan], False),
        ([], True),
    ],
)
def test_all_values_are_looked_at(values, finite):
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert all_finite(np.array(values)) is finite
