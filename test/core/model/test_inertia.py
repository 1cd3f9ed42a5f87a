"""Mass moments of bodies whose inertia is known; that they move rightly is one of the laws."""

import numpy as np
from mechanics.closeness import assert_close

from robot_dynamics_ros.core.model.inertia import Inertia, Placement
from robot_dynamics_ros.core.spatial import rotation_from_rpy


def box(mass, size):
    x, y, z = size
    moments = np.array([y * y + z * z, x * x + z * z, x * x + y * y]) * mass / 12.0
    return np.diag(moments).tolist()


def test_second_moment_of_a_box():
    """integral of x^2 dm = m a^2 / 12 along each side a."""
    body = Inertia.at_center_of_mass(6.0, box(6.0, (1.0, 2.0, 3.0)), Placement())
    assert_close(body.second_moment, np.diag([0.5, 2.0, 4.5]))
    assert_close(body.rotational, np.diag([6.5, 5.0, 2.5]))


def test_two_halves_make_a_box():
    half = box(3.0, (0.5, 2.0, 3.0))
    left = Inertia.at_center_of_mass(3.0, half, Placement(translation=(-0.25, 0.0, 0.0)))
    right = Inertia.at_center_of_mass(3.0, half, Placement(translation=(0.25, 0.0, 0.0)))
    whole = Inertia.at_center_of_mass(6.0, box(6.0, (1.0, 2.0, 3.0)), Placement())
    both = left + right
    assert_close(both.mass, whole.mass)
    assert_close(both.first_moment, whole.first_moment)
    assert_close(both.second_moment, whole.second_moment)


def test_parallel_axis_theorem():
    point = Placement(translation=(3.0, 4.0, 0.0))
    body = Inertia.at_center_of_mass(2.0, box(2.0, (0.0, 0.0, 0.0)), point)
    assert_close(body.rotational, 2.0 * np.array([[16, -12, 0], [-12, 9, 0], [0, 0, 25]]))
    assert_close(body.center_of_mass, [3.0, 4.0, 0.0])


def test_quarter_turn_swaps_the_moments():
    turn = Placement(rotation_from_rpy(0.0, 0.0, np.pi / 2))
    body = Inertia.at_center_of_mass(6.0, box(6.0, (1.0, 2.0, 3.0)), turn)
    assert np.array_equal(body.rotational, np.diag([5.0, 6.5, 2.5]))


def test_massless_body_has_its_center_at_the_origin():
    assert Inertia().center_of_mass == (0.0, 0.0, 0.0)


def test_placements_compose():
    outer = Placement(rotation_from_rpy(0.1, 0.2, 0.3), (1.0, 2.0, 3.0))
    inner = Placement(rotation_from_rpy(-0.4, 0.5, 0.6), (0.4, -0.5, 0.6))
    both, point = outer @ inner, np.array([0.7, 0.8, -0.9])
    R, r = np.array(outer.rotation), np.array(inner.rotation)
    assert_close(both.rotation, R @ r)
    expected = R @ (r @ point + inner.translation) + outer.translation
    assert_close(np.array(both.rotation) @ point + both.translation, expected)
