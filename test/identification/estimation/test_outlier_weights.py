"""What is left out of the final estimate: contacts and wrong samples, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest
from exact_motion import exact_motion, law, truth
from mechanics.robots import hand_written

from robot_dynamics_ros.identification.estimation import (
    OutlierWeights,
    disturbed_periods,
    estimate,
)
from robot_dynamics_ros.identification.observability import base_parameters, structure_of
from robot_dynamics_ros.identification.parameters import ParameterLayout
from robot_dynamics_ros.identification.regression import EquationOptions, MotionEquations, reduce

ROBOT = hand_written('oblique')
LAYOUT = ParameterLayout(ROBOT.model)
LEVELS = dict.fromkeys(LAYOUT.joints, 1e9)
# Of the range of the torque.
NOISE = 0.005
STRUCTURE = structure_of(LAYOUT, ROBOT.native)
BEGIN, END = 5.0, 7.0


def equations(change=lambda times, efforts: efforts, *, seed=0, smoothing=0.01, form='torque'):
    """Equations of 20 s of motion, and the same without noise, of an arm with friction.

    Args:
        change: from times (N,) and efforts (N, n) to other efforts.
        seed: of motion and noise.
        smoothing: of the friction of the arm; that of the equations is 0.01 [rad/s].
        form: of the equations.
    """
    motion = exact_motion(ROBOT.native, seconds=20.0, highest=1.0, seed=seed)
    states = motion.positions, motion.velocities, motion.accelerations
    efforts = law(ROBOT.native, *states, smoothing)
    noise = np.random.default_rng(seed).normal(size=efforts.shape)
    noise *= NOISE * np.ptp(efforts, axis=0)
    options = EquationOptions(form=form, cutoff=10.0, effort_levels=LEVELS)
    made = MotionEquations(LAYOUT, options, ROBOT.native)
    efforts = change(motion.times, efforts + noise)
    return list(made.of_motions([replace(motion, efforts=efforts)], 'bag'))


def final(blocks):
    reduced = reduce(blocks)
    robust = estimate(
        reduced, lambda weights: reduce(blocks, weights), base_parameters(reduced, STRUCTURE)
    )
    periods = disturbed_periods(blocks, robust.parameters)
    weighted = reduce(blocks, OutlierWeights(robust.parameters, robust.noise, periods))
    return estimate(weighted, base=base_parameters(weighted, STRUCTURE)), periods


def touched(times, efforts):
    """Torques of a contact that lasts 2 s."""
    during = (times > BEGIN) & (times < END)
    return efforts + 0.3 * during[:, None] * np.ptp(efforts, axis=0)


def wrong(times, efforts):
    """One sample that was sent wrong."""
    changed = efforts.copy()
    changed[2000] += 30.0 * np.ptp(efforts, axis=0)
    return changed


def test_without_a_disturbance_it_is_least_squares():
    blocks = equations()
    found, periods = final(blocks)
    plain = estimate(reduce(blocks))
    assert periods == ()
    np.testing.assert_allclose(found.parameters, plain.parameters, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize('change', [touched, wrong])
def test_what_is_not_of_the_robot_bends_nothing(change):
    """In standard deviations of least squares without it, root mean square."""
    clean = estimate(reduce(equations()), base=base_parameters(reduce(equations()), STRUCTURE))
    base = base_parameters(reduce(equations()), STRUCTURE)
    units = np.sqrt(np.diag(clean.base_covariance))

    def off(found):
        errors = base.values(found.parameters) - base.values(truth(LAYOUT))
        return float(np.sqrt(np.mean((errors / units) ** 2)))

    blocks = equations(change)
    found, _ = final(blocks)
    assert found.base_columns == clean.base_columns
    assert off(found) < 1.5
    assert off(estimate(reduce(blocks), base=base)) > 5.0


@pytest.mark.parametrize('form', ['torque', 'power'])
def test_a_contact_is_found_with_its_time(form):
    blocks = equations(touched, form=form)
    reduced = reduce(blocks)
    robust = estimate(reduced, lambda weights: reduce(blocks, weights))
    (period,) = disturbed_periods(blocks, robust.parameters)
    assert period.recording == 'bag'
    assert period.begin == pytest.approx(BEGIN, abs=0.5)
    assert period.end == pytest.approx(END, abs=0.5)
    assert period.begin < BEGIN
    assert period.end > END


def test_friction_that_the_law_lacks_costs_no_other_motion():
    """It comes again at every reversal: weights by residuals would leave it to the future."""
    blocks = equations(smoothing=0.15)
    plain, found = estimate(reduce(blocks)), final(blocks)[0]
    held_out = equations(seed=1, smoothing=0.15)

    def rms(parameters):
        errors = [
            np.where(block.used, block.rows @ parameters - block.torques, 0.0)
            for block in held_out
        ]
        return np.sqrt(np.mean(np.concatenate(errors) ** 2, axis=0))

    assert (rms(found.parameters) < 1.005 * rms(plain.parameters)).all()
