"""What may be taken off the external torques of an arm at rest."""

import numpy as np
import pytest

from robot_dynamics_ros.control.external_forces.residual_average import (
    FEWEST,
    LARGEST,
    SLOWEST,
    STEADY,
    ResidualAverage,
)
from robot_dynamics_ros.core import StateError

JOINTS = ('turn', 'lift')
LIMITS = np.array([50.0, np.inf])
REST = np.zeros(2)


def averaged(residuals, v=REST):
    average = ResidualAverage(JOINTS, LIMITS)
    for residual in residuals:
        average.step(np.array(residual), v, 0.0)
    return average


def test_the_mean_is_that_of_all_residuals():
    residuals = np.random.default_rng(0).normal([2.0, -30.0], 0.2, (200, 2))
    np.testing.assert_allclose(averaged(residuals).mean(REST), residuals.mean(axis=0), rtol=1e-12)


def test_too_few_are_refused():
    with pytest.raises(StateError, match=f'only {FEWEST - 1} external torques'):
        averaged(np.ones((FEWEST - 1, 2))).mean(REST)


def test_an_arm_that_moves_is_refused():
    moving = np.array([0.0, -1.5 * SLOWEST])
    with pytest.raises(StateError, match=r'the arm moves: lift at 0\.03 rad/s'):
        averaged(np.ones((50, 2)), moving).mean(REST)


def test_a_residual_that_varies_is_refused():
    residuals = np.ones((50, 2))
    residuals[::2, 0] += 2.2 * STEADY * LIMITS[0]
    with pytest.raises(StateError, match=r'external torque of turn varies by 2\.75'):
        averaged(residuals).mean(REST)


def test_what_is_taken_off_in_total_is_bounded():
    most = LARGEST * LIMITS[0]
    residuals = np.tile([0.6 * most, 1.0], (50, 1))
    assert averaged(residuals).mean(REST)[0] == pytest.approx(0.6 * most)
    with pytest.raises(StateError, match='external torque of turn is 12, allowed are 10'):
        averaged(residuals).mean(np.array([0.6 * most, 0.0]))
    # In the other direction it becomes less.
    averaged(residuals).mean(np.array([-0.6 * most, 0.0]))


def test_a_discontinuity_begins_anew():
    average = averaged(np.full((50, 2), 7.0))
    average.reset()
    assert average.samples == 0
    for _ in range(FEWEST):
        average.step(np.ones(2), REST, 0.0)
    np.testing.assert_allclose(average.mean(REST), [1.0, 1.0])
