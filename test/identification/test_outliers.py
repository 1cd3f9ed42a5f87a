"""What does not fit: a contact lasts, at two joints; friction near reversals and rest are none."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('scipy')

from identified_equations import identifiable
from mechanics.robots import hand_written

from robot_dynamics_ros.identification.base_parameters import structure_of
from robot_dynamics_ros.identification.identify import identify
from robot_dynamics_ros.identification.outliers import (
    GROSS,
    _fit,
    disturbed,
    robust_weights,
    trimmed_parameters,
)

RATE = 20.0
TIMES = np.arange(0.0, 60.0, 1.0 / RATE)


def found_in(push, velocities=None, friction=0.0, rests=False):
    """The disturbances of 60 s with noise, and a push (N, 3) [N m].

    Args:
        push: of each time.
        velocities: (N, 3) [rad/s]; None: 1.
        friction: that the model lacks, within 0.1 s of a reversal [N m].
        rests: (N, 3) where joints rest.
    """
    noise = np.random.default_rng(1).normal(0.0, 0.1, push.shape)
    v = np.ones_like(noise) if velocities is None else velocities
    missed = friction * (np.abs(v) < 0.1 * np.abs(np.gradient(v, 1.0 / RATE, axis=0)))
    return disturbed([(TIMES, np.where(rests, np.nan, noise + missed + push), v)])


def pushed(*periods, joints=(1, 2), size=3.0):
    during = np.any(
        [np.zeros_like(TIMES), *((a < TIMES) & (b > TIMES) for a, b in periods)], axis=0
    )
    return size * during[:, None] * np.isin(np.arange(3), joints)


def test_a_push_is_found_with_its_times():
    periods = [(20.0, 21.5), (40.0, 41.0)]
    early, late = (np.array(found_in(pushed(*periods))) - periods).T
    assert ((early > -0.21) & (early < 0.06) & (late > -0.06) & (late < 0.21)).all()


@pytest.mark.parametrize(
    'push',
    [
        pushed(),
        pushed((20.0, 20.05)),
        pushed((5.0, 55.0)),
        pushed((20.0, 21.0), joints=(1,)),
        pushed((20.0, 21.0), size=0.5),
    ],
    ids=['nothing', 'one spike', 'a model that is wrong', 'friction of one joint', 'noise'],
)
def test_what_is_no_contact(push):
    assert not found_in(push)


def test_the_only_joint_of_a_robot_is_enough():
    residuals = np.random.default_rng(1).normal(0.0, 0.1, (len(TIMES), 1))
    residuals[(TIMES > 20.0) & (TIMES < 21.0)] += 3.0
    ((begin, end),) = disturbed([(TIMES, residuals, np.ones_like(residuals))])
    assert (begin, end) == pytest.approx((20.0, 21.0), abs=0.21)


@pytest.mark.parametrize('turning', [0.3, 2.0])
def test_friction_near_reversals_is_no_contact(turning):
    """All joints turn at the same times; beside that a push is found."""
    v = np.repeat(np.sin(turning * TIMES)[:, None], 3, axis=1)
    assert not found_in(pushed(), v, friction=3.0)
    ((begin, end),) = found_in(pushed((20.0, 26.0)), v, friction=1.0)
    assert (begin, end) == pytest.approx((20.0, 26.0), abs=np.pi / turning / 2.0)


def test_reversals_between_two_windows_are_reversals():
    """Each lies between the last sample of a window and the first one of the next."""
    turning = np.where(np.floor(TIMES / 2.0) % 2.0 == 0.0, 1.0, -1.0)[:, None] * np.ones(3)
    assert not found_in(pushed(), turning, friction=2.0)


def test_rest_is_not_what_is_usual():
    """Four fifths of the recording are rest, of which nothing is known."""
    rests = np.repeat(TIMES[:, None] < 48.0, 3, axis=1)
    ((begin, _),) = found_in(pushed((52.0, 53.0)), rests=rests)
    assert begin == pytest.approx(52.0, abs=0.21)
    assert not found_in(pushed(), rests=rests)


ROBOT = hand_written('oblique').model


@pytest.fixture(scope='module')
def known():
    return identifiable(ROBOT, noise=0.005)


def test_a_contact_in_a_fifth_of_the_data_changes_no_noise_and_no_rank(known):
    """Neither the noise of a joint nor what the data determine is that of the contact."""
    push = np.zeros_like(known.block.torques)
    push[100:180] = 0.3 * np.abs(known.block.torques).max(axis=0)
    pushed = replace(known.block, efforts=known.block.efforts + push)
    clean, touched = (identify(one) for one in (known.block, pushed))
    assert touched.base.columns == clean.base.columns
    (period,) = touched.left_out
    assert (period.begin, period.end) == pytest.approx((100.0, 180.0), abs=15.0)
    np.testing.assert_allclose(touched.unconstrained.noise, clean.unconstrained.noise, rtol=0.1)


def test_least_trimmed_squares_follow_the_windows_that_agree(known):
    """A third of them has other efforts: the rest is left with its noise."""
    block = known.block
    size = np.abs(block.torques).max(axis=0)
    push = np.zeros_like(block.torques)
    push[100:230] = 0.3 * size
    pushed = replace(block, efforts=block.efforts + push)
    parameters = trimmed_parameters(pushed, structure_of(known.layout), pushed.reduced())
    left = np.sqrt(np.mean(block.residuals(parameters) ** 2, axis=0))
    assert (left < 1.5 * 0.005 * size).all()


def test_the_prior_of_a_parameter_is_worth_one_equation():
    """(Y^T Y + sigma^2) x = Y^T tau, with the noise that x leaves."""
    rows = np.random.default_rng(1).normal(size=(30, 3))
    products = rows.T @ rows
    values, (noise,) = _fit(products[None], np.array([30.0]))
    direct = np.linalg.solve(products[:2, :2] + noise**2 * np.eye(2), products[:2, 2])
    np.testing.assert_allclose(values, [*direct, -1.0], rtol=1e-3)


def test_a_single_sample_has_no_more_influence_than_ten_deviations(known):
    """Others have their whole weight: noise of all sizes that occur in some hundred samples."""
    block = known.block
    efforts, size = block.efforts.copy(), 0.005 * np.abs(block.torques).max(axis=0)
    efforts[50, 1] += 40.0 * size[1]
    reduced = replace(block, efforts=efforts).reduced()
    structure = structure_of(known.layout)
    weights, periods = robust_weights(replace(block, efforts=efforts), structure, reduced)
    assert periods == ()
    # The noise is drawn, and so is what the sample has beside the push.
    assert weights[50, 1] == pytest.approx(GROSS / 40.0, rel=0.25)
    weights[50, 1] = 1.0
    assert (weights == 1.0).all()
