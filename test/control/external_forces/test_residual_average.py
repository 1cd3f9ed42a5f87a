"""What may be taken off the external torques of an arm at rest."""

import numpy as np
import pytest

from robot_dynamics_ros.control.external_forces.residual_average import (
    FEWEST,
    LARGEST,
    SLOWEST,
    STEADY,
    UNKNOWN_LIMIT,
    ResidualAverage,
)
from robot_dynamics_ros.core import StateError

JOINTS, UNITS = ('turn', 'lift'), ('N m', 'N')
LIMITS = np.array([50.0, 400.0])
REST = np.zeros(2)


def averaged(residuals, v=REST, *, limits=LIMITS, touch=lambda r: ''):
    average = ResidualAverage(JOINTS, UNITS, limits, touch)
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
    with pytest.raises(StateError, match=r'lift.*0\.03 m/s'):
        averaged(np.ones((50, 2)), moving).mean(REST)


def test_a_residual_that_varies_is_refused():
    residuals = np.ones((50, 2))
    residuals[::2, 0] += 2.2 * STEADY * LIMITS[0]
    with pytest.raises(StateError, match=r'turn.*2\.75 N m.*2\.5 N m'):
        averaged(residuals).mean(REST)


def test_what_is_taken_off_in_total_is_bounded():
    most = LARGEST * LIMITS[0]
    residuals = np.tile([0.6 * most, 1.0], (50, 1))
    assert averaged(residuals).mean(REST)[0] == pytest.approx(0.6 * most)
    with pytest.raises(StateError, match=r'turn.*6.*5'):
        averaged(residuals).mean(np.array([0.6 * most, 0.0]))
    # In the other direction it becomes less.
    averaged(residuals).mean(np.array([-0.6 * most, 0.0]))


def test_a_joint_without_an_effort_limit_has_a_bound():
    """Somebody who leans on an arm pushes with more than ten newtons."""
    limits = np.array([50.0, np.inf])
    bound = LARGEST * UNKNOWN_LIMIT
    assert averaged(np.tile([1.0, 0.9 * bound], (50, 1)), limits=limits).mean(REST)[1] < bound
    with pytest.raises(StateError, match=r'lift.* 30 N.* 1 N.*effort_limits'):
        averaged(np.tile([1.0, -30.0], (50, 1)), limits=limits).mean(REST)
    with pytest.raises(StateError, match=r'lift varies.*effort_limits'):
        averaged([[1.0, 30.0 * i] for i in range(50)], limits=limits).mean(REST)


def test_a_touch_that_the_thresholds_show_is_refused_also_where_it_has_ended():
    def touch(r):
        return 'push at hand' if r[0] > 2.0 else ''

    residuals = np.ones((50, 2))
    averaged(residuals, touch=touch).mean(REST)
    residuals[20, 0] = 2.1
    touched = averaged(residuals, touch=touch)
    with pytest.raises(StateError, match=r'hand.*threshold'):
        touched.mean(REST)
    touched.reset()
    for _ in range(FEWEST):
        touched.step(np.ones(2), REST, 0.0)
    touched.mean(REST)


def test_a_discontinuity_begins_anew():
    average = averaged(np.full((50, 2), 7.0))
    average.reset()
    assert average.samples == 0
    for _ in range(FEWEST):
        average.step(np.ones(2), REST, 0.0)
    np.testing.assert_allclose(average.mean(REST), [1.0, 1.0])
