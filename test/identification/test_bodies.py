"""The pseudo-inertia of a body against sums over its points."""

import numpy as np

from robot_dynamics_ros.identification.bodies import UPPER, congruence, pseudo_inertia

RANDOM = np.random.default_rng(4)
MASSES = RANDOM.uniform(0.1, 1.0, 6)
POINTS = RANDOM.uniform(-0.5, 0.5, (6, 3))


def ten(masses, points):
    """m, m c and the rotational inertia of points about the origin."""
    x, y, z = points.T
    sums = [masses, masses * x, masses * y, masses * z]
    products = (y * y + z * z, -x * y, x * x + z * z, -x * z, -y * z, x * x + y * y)
    return np.array([*map(np.sum, sums), *(np.sum(masses * product) for product in products)])


def moments(masses, points):
    """The sum of m [p, 1] [p, 1]^T."""
    homogeneous = np.column_stack([points, np.ones(len(points))])
    return (homogeneous.T * masses) @ homogeneous


def test_is_the_sum_over_points():
    np.testing.assert_allclose(
        pseudo_inertia(ten(MASSES, POINTS)), moments(MASSES, POINTS), atol=1e-14
    )


def test_a_congruence_moves_points():
    """L P L^T with L an affine map is the body of the moved points."""
    root = np.eye(4)
    root[:3] = RANDOM.normal(size=(3, 4))
    moved = POINTS @ root[:3, :3].T + root[:3, 3]
    entries = moments(MASSES, POINTS)[UPPER]
    np.testing.assert_allclose(congruence(root) @ entries, ten(MASSES, moved), atol=1e-13)
