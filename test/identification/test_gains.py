"""Gains of drives: the noise of the measured currents pulls no estimate towards zero."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from exact_motion import exact_motion, truth
from mechanics.robots import hand_written

from robot_dynamics_ros.identification.consistent import weighted_rows
from robot_dynamics_ros.identification.equations import Equations
from robot_dynamics_ros.identification.estimate import estimate
from robot_dynamics_ros.identification.excitation_findings import excitation_findings
from robot_dynamics_ros.identification.motion_equations import EquationOptions, MotionEquations
from robot_dynamics_ros.identification.observability import base_parameters
from robot_dynamics_ros.identification.parameters import ParameterLayout
from robot_dynamics_ros.identification.structure import structure_of

ROBOT = hand_written('oblique')
JOINTS = ROBOT.model.joint_names
GAINS = np.array([0.8, 1.7, 0.4, 2.5])
TERMS = ('armature', 'viscous', 'coulomb', 'offset', 'gain')
LAYOUT = ParameterLayout(ROBOT.model, TERMS, (), {f'{JOINTS[0]} gain': GAINS[0]})
FREE = LAYOUT.columns('gain')[1:]


@pytest.fixture(scope='module')
def structure():
    return structure_of(LAYOUT, ROBOT.native)


@pytest.fixture(scope='module')
def measured():
    """From a noise (share of the range of each current) and a seed to reduced equations."""
    motion = exact_motion(ROBOT.native, seconds=20.0, highest=1.0)
    options = EquationOptions(cutoff=5.0, effort_levels=np.inf)
    made = MotionEquations(LAYOUT, options, ROBOT.native)
    exact = made.of_motions([replace(motion, efforts=motion.efforts / GAINS)])
    noiseless = Equations.joined(exact).reduced()

    def equations(noise, seed):
        currents = motion.efforts / GAINS
        random = np.random.default_rng(seed)
        currents = currents + noise * np.ptp(currents, axis=0) * random.normal(size=currents.shape)
        return Equations.joined(made.of_motions([replace(motion, efforts=currents)])).reduced()

    equations.noiseless = noiseless
    return equations


def test_exact_currents_give_exact_gains(measured, structure):
    reduced = measured.noiseless
    base = base_parameters(reduced, structure)
    found = estimate(reduced, base=base).parameters
    true = truth(LAYOUT)
    true[LAYOUT.columns('gain')] = GAINS
    np.testing.assert_allclose(found[FREE], GAINS[1:], rtol=1e-7)
    expected = base.values(true)
    np.testing.assert_allclose(base.values(found), expected, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize('noise', [0.01, 0.02])
def test_intervals_of_gains_hold_the_truth(measured, structure, noise):
    """Least squares with a noisy column are 1.5 to 60 % low, many deviations off."""
    errors = []
    for seed in range(5):
        reduced = measured(noise, seed)
        base = base_parameters(reduced, structure)
        if any(one.code == 'unknown_gain' for one in excitation_findings(reduced, base)):
            continue
        found = estimate(reduced, base=base)
        places = [base.columns.index(column) for column in FREE]
        deviations = np.sqrt(np.diag(found.base_covariance))[places]
        errors.append((found.parameters[FREE] - GAINS[1:]) / deviations)
    assert errors or noise > 0.01
    if errors:
        assert np.sqrt(np.mean(np.square(errors))) < 1.6
        assert np.abs(np.mean(errors, axis=0)).max() < 1.2


def test_a_gain_that_nothing_tells_makes_all_others_unknown(measured, structure):
    """A wrong torque of one joint is a wrong torque of what the others carry."""
    reduced = measured(0.3, 0)
    found = {one.code: one for one in excitation_findings(
        reduced, base_parameters(reduced, structure)
    )}  # fmt: skip
    assert found['unknown_gain'].joints == JOINTS[1:]


def test_the_consistent_estimate_has_them_too(measured, structure):
    """Its cost has its minimum without constraints at the estimate, and not at smaller gains."""
    reduced = measured(0.01, 0)
    found = estimate(reduced, base=base_parameters(reduced, structure))
    rows = weighted_rows(reduced, found)
    gradient = rows[:, :-1].T @ (rows[:, :-1] @ found.parameters - rows[:, -1])
    scale = np.linalg.norm(rows[:, :-1], axis=0) * np.linalg.norm(rows[:, -1] + 1.0)
    assert np.abs(gradient).max() < 1e-6 * max(1.0, scale.max())
