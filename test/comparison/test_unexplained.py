"""What is said of recordings that nothing explains."""

from types import SimpleNamespace

import numpy as np

from robot_dynamics_ros.comparison.unexplained import NAMES, advice_on_names


def test_a_joint_at_rest_shows_no_share_of_gravity():
    """Its columns depend on each other, and rounding may leave a negative variance."""
    products = np.array([[[1.0, 1.0], [1.0, 1.0 - 1e-12]]])
    assert np.linalg.pinv(products[0])[0, 0] < 0.0
    judge = SimpleNamespace(
        products=lambda _: products,
        loaded=np.array([True]),
        target_products=lambda _: (np.array([2.0]), np.array([[1.0, 1.0]])),
        observations=SimpleNamespace(size=1, independent=50.0),
    )
    assert advice_on_names(judge) == NAMES
