"""The information of the base parameters, against its definition and by differences."""

import numpy as np
import pytest

pytest.importorskip('scipy')

from excited_arm import JOINTS, dynamics, random_poses

from robot_dynamics_ros.identification.excitation.information import Information

SAMPLES = 12


@pytest.fixture(scope='module')
def information():
    return Information(dynamics())


def motion(samples=SAMPLES, seed=5):
    random = np.random.default_rng(seed)
    return random_poses(samples, seed), *random.uniform(-1.5, 1.5, (2, samples, len(JOINTS)))


def test_log_det_is_that_of_the_sum_of_weighted_regressors(information):
    matrix = 0.0
    for rows in information.rows(*motion()):
        base = rows[:, information.columns]
        matrix = matrix + base.T @ np.diag(1.0 / information.noise**2) @ base
    sign, expected = np.linalg.slogdet(matrix)
    assert sign == 1.0
    assert information.log_det(*motion())[0] == pytest.approx(expected, rel=1e-9)


def test_all_columns_follow_from_the_independent_ones(information):
    """Gautier, Khalil (1990): 7 for each body, but one alone for a first axis that is vertical.

    The rotors of the first two joints are felt as the inertia about their axes. Viscous and
    Coulomb friction and the offset of each joint are independent. At states that were not among
    those from which the columns were chosen.
    """
    n = len(JOINTS)
    rows = information.rows(*motion(80, 9))
    rows = rows.reshape(-1, rows.shape[2])
    base = rows[:, information.columns]
    rank = np.linalg.matrix_rank(base)
    assert rank == information.rank == 1 + 7 * (n - 1) + (n - 2) + 3 * n
    solved, *_ = np.linalg.lstsq(base, rows, rcond=None)
    np.testing.assert_allclose(base @ solved, rows, atol=1e-8 * np.abs(rows).max())
