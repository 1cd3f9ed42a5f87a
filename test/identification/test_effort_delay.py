"""The delay of efforts: a planted one comes out, and what is not certain is none."""

from dataclasses import replace

import numpy as np
import pytest
from exact_motion import exact_motion
from mechanics.robots import hand_written

pytest.importorskip('scipy')

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.identification import EquationOptions, ParameterLayout
from robot_dynamics_ros.identification.effort_delay import certain_delay, first_guess, is_credible
from robot_dynamics_ros.identification.observability import structure_of
from robot_dynamics_ros.identification.regression import (
    MotionEquations,
    reduce,
    shifted_efforts,
)

ROBOT = hand_written('gantry').model
RATE = 100.0


@pytest.fixture(scope='module')
def search():
    """The delay that is found where efforts are late, with noise of a share of each torque."""
    dynamics = RobotDynamics(ROBOT, backend='python')
    layout = ParameterLayout(ROBOT)
    levels = dict.fromkeys(layout.joints, 1e9)
    options = EquationOptions(cutoff=10.0, effort_levels=levels)
    made = MotionEquations(layout, options, dynamics)
    structure = structure_of(layout, dynamics)
    exact = exact_motion(dynamics, seconds=6.0, rate=RATE, cutoff=25.0)

    def found(delay, *, guess=0.01, noise=0.01, inflation=1.0):
        (late,) = shifted_efforts([exact], -delay)
        spread = noise * late.efforts.std(axis=0)
        errors = spread * np.random.default_rng(1).normal(size=late.efforts.shape)
        late = replace(late, efforts=late.efforts + errors)

        def reduced_with(shift):
            return reduce(made.of_motions(shifted_efforts([late], shift)))

        return certain_delay(reduced_with, structure, guess, inflation)

    return found


@pytest.mark.parametrize('delay', [0.025, -0.025])
def test_a_planted_delay_is_found(search, delay):
    """Beside friction and rotors, which take up most of it, and from a guess that is too small."""
    assert search(delay, guess=0.2 * delay) == pytest.approx(delay, abs=5e-4)


def test_efforts_that_are_not_late_have_none(search):
    assert search(0.0) == 0.0


def test_an_uncertain_delay_is_none(search):
    """Noise hides it; or residuals are so correlated that it could be theirs."""
    assert search(0.015, noise=1.0) == 0.0
    assert search(0.025, inflation=1e6) == 0.0


def test_the_comparison_with_the_description_says_where_to_begin():
    late = Finding('delay', (), 0.019, 'late')
    assert first_guess([Finding('factor', ('one',), 2.0, ''), late], []) == 0.019
    assert first_guess([], []) == 0.0


@pytest.mark.parametrize(
    ('delay', 'credible'),
    [(0.05, True), (0.11, False), (-0.008, True), (-0.011, False), (0.004, False)],
)
def test_only_a_delay_that_a_driver_has_is_shifted(delay, credible):
    """At 200 Hz: up to 0.1 s late, two samples early, and not less than a sample."""
    assert is_credible(delay, 0.005) == credible
