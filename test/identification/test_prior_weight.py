"""The weight of the prior: of what it is chosen, and that the choice predicts better."""

from dataclasses import replace

import numpy as np
import pytest
from exact_motion import exact_motion, truth
from mechanics.robots import hand_written

pytest.importorskip('cvxpy')

from robot_dynamics_ros.core import ParameterError, RobotDynamics
from robot_dynamics_ros.identification import (
    EquationOptions,
    LocalEquations,
    ParameterLayout,
    identify,
)
from robot_dynamics_ros.identification.consistency import consistent
from robot_dynamics_ros.identification.estimation import OutlierWeights
from robot_dynamics_ros.identification.prior_weight import FOLDS, PERIOD, FoldWeights
from robot_dynamics_ros.identification.regression import MotionEquations, reduce

ROBOT = hand_written('gantry').model
# Share of the largest torque, and how much of an error the next equation has too.
SIZE, REPEATED = 0.05, 0.95
# Equations in a second.
RATE = 10.0


def moving(seed):
    """Exact equations of a motion of the described robot, and their parameters."""
    layout = ParameterLayout(ROBOT)
    levels = dict.fromkeys(layout.joints, 1e9)
    dynamics = RobotDynamics(ROBOT, backend='python')
    made = MotionEquations(layout, EquationOptions(effort_levels=levels), dynamics)
    motion = exact_motion(dynamics, seconds=40.0, rate=RATE, highest=0.4, seed=seed)
    return made.of_samples(motion), truth(layout)


def with_errors(block, repeated):
    """The equations with errors of which each has a share of the one before."""
    random = np.random.default_rng(3)
    errors = np.zeros_like(block.torques)
    for row in range(len(errors)):
        new = random.normal(size=errors.shape[1])
        errors[row] = repeated * errors[row - 1] + np.sqrt(1.0 - repeated**2) * new
    return replace(block, torques=block.torques + SIZE * np.abs(block.torques).max(0) * errors)


@pytest.fixture(scope='module')
def described():
    """Efforts of the described robot, with errors that last."""
    block, _ = moving(0)
    fitted = with_errors(block, REPEATED)
    return fitted, identify(LocalEquations([fitted]))


def test_a_good_description_counts_more_where_errors_last(described):
    """More than one equation; the torques of the bodies in another motion are nearer the truth."""
    fitted, found = described
    assert found.final.prior_weight > 1.0
    usual = consistent(reduce([fitted]), found.unconstrained)
    other, parameters = moving(7)
    bodies = slice(0, 10 * len(ROBOT.joints))
    rows = other.rows[:, :, bodies]
    errors = [
        np.linalg.norm(rows @ (one.parameters - parameters)[bodies])
        for one in (found.final, usual)
    ]
    assert errors[0] < 0.9 * errors[1], errors


def test_noise_leaves_the_weight_at_one_equation():
    """Of the same size, and with the same description: the data alone decide."""
    block, _ = moving(0)
    assert identify(LocalEquations([with_errors(block, 0.0)])).final.prior_weight == 1.0


def test_a_weight_is_noise_that_is_larger_by_its_root(described):
    """Weight w of the prior, and noise sqrt(w) times as large: the same problem."""
    fitted, found = described
    reduced = reduce([fitted])
    louder = replace(found.unconstrained, noise=3.0 * found.unconstrained.noise)
    one = consistent(reduced, louder).parameters
    other = consistent(reduced, found.unconstrained, weight=9.0).parameters
    effects = np.abs(fitted.rows @ (one - other)).max(axis=0)
    assert np.all(effects < 1e-5 * np.abs(fitted.torques).max(axis=0))


def test_each_equation_is_in_one_fold(described):
    """The folds together are the data, each with the weights of the outliers."""
    block, found = described
    others = OutlierWeights(found.unconstrained.parameters, found.unconstrained.noise / 20.0)
    shares = np.stack([FoldWeights(fold, others)(block) for fold in range(FOLDS)])
    np.testing.assert_array_equal(shares.sum(axis=0), others(block))
    assert np.all(np.count_nonzero(shares[:, :, 0], axis=0) == 1)
    # Neighbours in time are in one fold: an error that lasts is not predicted from itself.
    inside = np.floor(block.times[:-1] / PERIOD) == np.floor(block.times[1:] / PERIOD)
    fold = np.argmax(shares[:, :, 0] > 0.0, axis=0)
    assert inside.any()
    assert np.all(np.diff(fold)[inside] == 0)


def test_a_weight_is_positive(described):
    fitted, found = described
    with pytest.raises(ParameterError, match='prior is 0'):
        consistent(reduce([fitted]), found.unconstrained, weight=0.0)
