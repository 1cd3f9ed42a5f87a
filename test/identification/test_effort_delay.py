"""The delay of efforts: a planted one comes out, and what is not certain is none."""

from dataclasses import replace

import numpy as np
import pytest
from exact_motion import COULOMB, exact_motion, law
from mechanics.robots import hand_written

pytest.importorskip('scipy')

from robot_dynamics_ros.comparison import Finding
from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.identification import EquationOptions, ParameterLayout
from robot_dynamics_ros.identification.effort_delay import (
    certain_delay,
    delay_of_all_speeds,
    first_guess,
    is_credible,
)
from robot_dynamics_ros.identification.estimation import PeriodWeights
from robot_dynamics_ros.identification.observability import structure_of
from robot_dynamics_ros.identification.regression import (
    MotionEquations,
    reduce,
    shifted_efforts,
)

ROBOT = hand_written('gantry').model
RATE = 100.0


DYNAMICS = RobotDynamics(ROBOT, backend='python')
LAYOUT = ParameterLayout(ROBOT)
STRUCTURE = structure_of(LAYOUT, DYNAMICS)
OPTIONS = EquationOptions(cutoff=10.0, effort_levels=dict.fromkeys(LAYOUT.joints, 1e9))
MADE = MotionEquations(LAYOUT, OPTIONS, DYNAMICS)


def noisy(motion, noise):
    """The motion with noise of a share of each torque."""
    spread = noise * motion.efforts.std(axis=0)
    errors = spread * np.random.default_rng(1).normal(size=motion.efforts.shape)
    return replace(motion, efforts=motion.efforts + errors)


def shifted(motion, delay, weights=None):
    """The equations with efforts that are shifted by a delay [s]."""
    return reduce(MADE.of_motions(shifted_efforts([motion], delay)), weights)


@pytest.fixture(scope='module')
def search():
    """The delay that is found where efforts are late."""
    exact = exact_motion(DYNAMICS, seconds=6.0, rate=RATE, cutoff=25.0)

    def found(delay, *, guess=0.01, noise=0.01, inflation=1.0):
        (late,) = shifted_efforts([exact], -delay)
        late = noisy(late, noise)
        return certain_delay(lambda tried: shifted(late, tried), STRUCTURE, guess, inflation)

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


def lagging(speeds, time):
    """Friction (N, n) that comes to its size behind reversals, with this time [s]."""
    friction, lag = COULOMB * np.sign(speeds), np.exp(-1.0 / (RATE * time))
    for index in range(1, len(friction)):
        friction[index] += lag * (friction[index - 1] - friction[index])
    return friction


@pytest.fixture(scope='module')
def search_where_slow():
    """The delay that is found where these joints have a fortieth of their speed."""
    exact = exact_motion(DYNAMICS, seconds=6.0, rate=RATE, cutoff=25.0, highest=0.5)

    def found(slow, *, delay=0.0, lag=0.0):
        shares = np.where(np.isin(LAYOUT.joints, slow), 1.0 / 40.0, 1.0)
        q, v, a = (
            shares * one for one in (exact.positions, exact.velocities, exact.accelerations)
        )
        efforts = law(DYNAMICS, q, v, a)
        if lag:
            efforts += lagging(v, lag) - COULOMB * np.sign(v)
        motion = replace(exact, positions=q, velocities=v, accelerations=a, efforts=efforts)
        (late,) = shifted_efforts([motion], -delay)
        late = noisy(late, 0.01)
        return delay_of_all_speeds(
            lambda tried, weights: shifted(late, tried, weights),
            PeriodWeights(()), STRUCTURE, 0.01, 1.0,
        )  # fmt: skip

    return found


@pytest.mark.parametrize('slow', [(), *zip(LAYOUT.joints)], ids=['none', *LAYOUT.joints])
def test_a_slow_joint_hides_neither_a_delay_nor_that_friction_lags(search_where_slow, slow):
    assert search_where_slow(slow, delay=0.025) == pytest.approx(0.025, abs=1e-3)
    assert search_where_slow(slow, lag=0.06) == 0.0


def test_where_all_joints_are_slow_a_delay_is_not_known(search_where_slow):
    assert search_where_slow(LAYOUT.joints, delay=0.025) is None
