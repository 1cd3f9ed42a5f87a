"""Intervals of the estimate that is used: they hold the truth, and what is estimated."""

from dataclasses import replace

import numpy as np
import pytest

stats = pytest.importorskip('scipy.stats')

from identified_equations import exact_motion, truth
from mechanics.robots import hand_written
from property_settings import ALL

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.identification import (
    Equations,
    MotionEquations,
    ParameterLayout,
    base_rows,
    body_rows,
    identify,
    joint_rows,
)
from robot_dynamics_ros.identification.base_parameters import structure_of
from robot_dynamics_ros.identification.intervals import _drawn, _urdf_error
from robot_dynamics_ros.identification.parameters import parameter_scales

# The robot that is recorded is not that of the URDF, which has no load, and twice the damping.
BARE = hand_written('oblique').model
MODEL = replace(BARE, joints=tuple(replace(joint, damping=3.0) for joint in BARE.joints))
LINK = next(frame.name for frame in MODEL.frames if frame.body == 2)
TRUE = RobotDynamics(MODEL.with_payload(LINK, 0.3, (0.05, 0.1, -0.1)))
LAYOUT = ParameterLayout(MODEL)
MADE = MotionEquations(LAYOUT, cutoff=5.0, effort_levels=np.inf)
STRUCTURE = structure_of(LAYOUT)
NOISE = 0.01


def recorded(seed, repeated, coulomb):
    """Equations with noise of which each sample has a share of the one before."""
    motion = exact_motion(TRUE, seconds=20.0, highest=1.0, seed=seed)
    errors = np.random.default_rng(seed).normal(size=motion.efforts.shape)
    for row in range(1, len(errors) if repeated else 0):
        share = np.sqrt(1.0 - repeated**2)
        errors[row] = repeated * errors[row - 1] + share * errors[row]
    friction = (coulomb - 2.0) * motion.velocities / np.hypot(motion.velocities, 0.01)
    efforts = motion.efforts + friction + NOISE * np.ptp(motion.efforts, axis=0) * errors
    return Equations.joined(MADE.of_motions([replace(motion, efforts=efforts)], 'one'))


def true_parameters(coulomb):
    values = truth(LAYOUT)
    bodies = TRUE.model.inertial_parameters()
    values[: len(bodies)] = bodies
    values[LAYOUT.columns('coulomb')] = coulomb
    return values


@pytest.mark.parametrize('weight', [1.0, 30.0] if ALL else [30.0])
@pytest.mark.parametrize('coulomb', [2.0, 0.0], ids=['free', 'bounded'])
@pytest.mark.parametrize('repeated', [0.0, 0.95], ids=['white', 'lasting'])
def test_intervals_hold_the_truth(repeated, coulomb, weight):
    """scripts/bench counts more recordings; here are enough to see a wrong scale."""
    held = []
    for seed in range(4):
        found = identify(recorded(seed, repeated, coulomb), STRUCTURE, prior_weight=weight)
        values = found.base.values(true_parameters(coulomb))
        for estimate in (found.unconstrained, found.final):
            rows = base_rows(found.base, estimate)
            assert all(row.low <= row.value <= row.high for row in rows)
        held += [row.low <= true <= row.high for row, true in zip(rows, values, strict=True)]
    assert np.mean(held) > 0.85


@pytest.fixture(scope='module')
def found():
    return identify(recorded(9, 0.0, 0.0), STRUCTURE)


def test_a_parameter_that_acts_with_others_has_no_interval_and_none_is_impossible(found):
    rows = {row.name: row for row in joint_rows(found.base, found.final)}
    for name, row in rows.items():
        if np.isfinite(row.low) and not name.endswith('offset'):
            assert 0.0 <= row.low <= row.high > 0.0
    rows |= {row.name: row for row in body_rows(found.base, found.final)}
    assert set(rows) == set(LAYOUT.names)
    assert np.isfinite(rows[f'{LAYOUT.joints[1]} viscous'].low)
    # The rotor of the first joint turns with its link.
    for name in (f'{LAYOUT.joints[0]} armature', f'{LAYOUT.bodies[0]} m'):
        assert np.isnan(rows[name].low)


def test_what_the_data_do_not_tell_of_bodies_varies_as_the_urdf_may_be_wrong(found):
    plausible = parameter_scales(LAYOUT, np.ones(MODEL.size))[: 10 * len(MODEL.joints)]
    assert np.all(found.final.draws[:, : len(plausible)].std(axis=0) < 0.1 * plausible)


def test_draws_are_about_the_estimate_also_where_the_urdf_outweighs_the_data():
    found = identify(recorded(9, 0.0, 0.0), STRUCTURE, prior_weight=1e5).final
    columns = LAYOUT.columns('viscous')
    values, draws = found.parameters[columns], found.draws[:, columns]
    assert (np.abs(draws.mean(axis=0) - values) < draws.std(axis=0)).all()


def test_the_error_of_the_urdf_is_known_without_the_pull_of_the_prior():
    error, data = np.random.default_rng(0).normal(size=20), np.logspace(2.0, 4.0, 20)
    found = _urdf_error(data / (1.0 + data) * error, np.diag(data), np.eye(20))
    assert found == pytest.approx(np.sqrt(np.mean(error**2)), rel=1e-6)


def test_of_two_windows_the_draws_are_those_of_student():
    """With one degree of freedom: the jackknife of a mean of two values."""
    drawn = _drawn(np.full((1, 1), 2.0), np.ones((2, 1, 1)), np.array([[0.5], [-0.5]]))
    assert np.abs(drawn).max() == pytest.approx(
        2.0 * stats.t.ppf(0.975, 1) / stats.norm.ppf(0.975)
    )


def test_friction_that_the_data_ask_to_be_negative_is_certainly_zero():
    found = identify(recorded(9, 0.0, -1.0), STRUCTURE)
    for row in joint_rows(found.base, found.final):
        if row.name.endswith('coulomb'):
            assert (row.low, row.value, row.high) == (0.0, 0.0, 0.0)


def test_intervals_of_white_noise_are_hardly_wider_than_those_of_its_covariance(found):
    """By Student's quantile and the jackknife of some twenty windows, and not by more."""
    rows = base_rows(found.base, found.unconstrained)
    white = 1.96 * np.sqrt(np.diag(found.unconstrained.base_covariance))
    ratios = [(row.high - row.low) / 2.0 / one for row, one in zip(rows, white, strict=True)]
    assert min(ratios) > 0.9
    assert 1.0 < np.mean(ratios) < 1.6


def test_correlated_noise_makes_intervals_wider(found):
    """And is found: a multiple of what white noise of this size would give."""
    lasting = identify(recorded(9, 0.99, 0.0), STRUCTURE)
    assert 0.8 < found.inflation < 1.4
    assert lasting.inflation > 1.5 * found.inflation
