"""Document 003, notes on Modern Robotics, chapter 8: screws, spatial inertia, solids."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from numpy import cos, sin

from robot_dynamics_ros.core.dual import Dual
from robot_dynamics_ros.core.spatial import Inertia, Transform, rotation_from_rpy
from robot_dynamics_ros.textbook import rigid_body, screw

pytestmark = pytest.mark.contract

CASES = range(5)


def random_pose(random):
    return Transform(
        rotation_from_rpy(*random.uniform(-3.0, 3.0, 3)), tuple(random.uniform(-1.0, 1.0, 3))
    )


@pytest.mark.parametrize('case', CASES)
def test_adjoint_and_bracket_are_those_of_matrices(case):
    """[Ad_T V] = T [V] T^-1 and [ad_A B] = [A][B] - [B][A], definition 8.3, in se(3)."""
    random = np.random.default_rng(case)
    (a, b), pose = random.uniform(-2.0, 2.0, (2, 6)), random_pose(random)
    back, Ad = screw.inverse(pose), screw.adjoint(pose)

    def se3(twist):
        turning, sliding = screw.cross_matrix(twist[:3]), np.array(twist[3:])[:, None]
        return np.block([[turning, sliding], [np.zeros((1, 4))]])

    def matrix(one):
        return np.block([[np.array(one.rotation), np.array(one.translation)[:, None]],
                         [np.zeros((1, 3)), np.ones((1, 1))]])  # fmt: skip

    assert_close(matrix(back) @ matrix(pose), np.eye(4), scale=10.0)
    assert_close(screw.adjoint(back) @ Ad, np.eye(6), scale=10.0)
    assert_close(se3(Ad @ a), matrix(pose) @ se3(a) @ matrix(back))
    assert_close(se3(screw.lie_bracket(a) @ b), se3(a) @ se3(b) - se3(b) @ se3(a))
    assert_close(Ad @ screw.lie_bracket(a) @ b, screw.lie_bracket(Ad @ a) @ Ad @ b)


@pytest.mark.parametrize('case', CASES)
def test_exponential_moves_along_its_axis(case):
    """d/dtheta e^([S] theta) = [S] e^([S] theta), pitch and sliding joints included."""
    random = np.random.default_rng(case)
    omega, v = random.normal(size=(2, 3))
    axes = ((tuple(omega / np.linalg.norm(omega)), tuple(v)), ((0.0, 0.0, 0.0), tuple(v)))
    for axis in axes:
        angle = random.uniform(-3.0, 3.0)
        pose = screw.exponential(axis, Dual(angle, 1.0))
        value = screw.exponential(axis, angle)
        rate = np.array([getattr(x, 'slope', 0.0) for row in pose.rotation for x in row])
        turning = screw.cross_matrix(axis[0])
        assert_close(rate.reshape(3, 3), turning @ value.rotation, scale=1.0)
        velocity = np.cross(axis[0], value.translation) + axis[1]
        assert_close([x.slope for x in pose.translation], velocity)
        assert screw.exponential(axis, 0.0).translation == (0.0, 0.0, 0.0)


# One rigid body


def random_body(random):
    """Mass and central inertia of a box, turned."""
    mass = random.uniform(0.5, 3.0)
    turn = np.array(rotation_from_rpy(*random.uniform(-3.0, 3.0, 3)))
    return mass, turn @ rigid_body.box(mass, *random.uniform(0.1, 0.5, 3)) @ turn.T


@pytest.mark.parametrize('case', CASES)
def test_spatial_inertia_in_another_frame(case):
    """G_a = Ad^T G_b Ad keeps the kinetic energy, and is what `Inertia.moved` gives."""
    random = np.random.default_rng(case)
    mass, central = random_body(random)
    G_b, T_ba = rigid_body.spatial_inertia(mass, central), random_pose(random)
    G_a, Ad = rigid_body.change_of_frame(G_b, T_ba), screw.adjoint(T_ba)
    V_a, rate_a = random.normal(size=(2, 6))
    assert_close(V_a @ G_a @ V_a, (Ad @ V_a) @ G_b @ Ad @ V_a)
    moved = screw.inverse(T_ba) @ Inertia.at_center_of_mass(mass, central.tolist(), Transform())
    arm = screw.cross_matrix(moved.first_moment)
    assert_close(G_a, np.block([[np.array(moved.rotational), arm], [-arm, mass * np.eye(3)]]))
    # V_b^T F_b and V_a^T F_a: the law of motion has the same form in both frames.
    F_a = rigid_body.body_wrench(G_a, V_a, rate_a)
    assert_close(F_a, Ad.T @ rigid_body.body_wrench(G_b, Ad @ V_a, Ad @ rate_a))
    # I_c = R^T I_b R and I_q = I_b + m (q^T q 1 - q q^T) are the corner of G_a.
    shifted = rigid_body.parallel_axes(central, mass, T_ba.translation)
    assert_close(rigid_body.rotated_inertia(shifted, T_ba.rotation), G_a[:3, :3])


@pytest.mark.parametrize('case', CASES)
def test_dynamics_of_a_single_body(case):
    """The wrench printed first (moment, force), its Lie-bracket form, and forward dynamics."""
    random = np.random.default_rng(case)
    mass, central = random_body(random)
    G, V, V_dot = rigid_body.spatial_inertia(mass, central), *random.normal(size=(2, 6))
    omega, v = V[:3], V[3:]
    moment = central @ V_dot[:3] + np.cross(omega, central @ omega)
    force = mass * (V_dot[3:] + np.cross(omega, v))
    F = rigid_body.body_wrench(G, V, V_dot)
    assert_close(F, np.concatenate([moment, force]))
    assert_close(rigid_body.body_acceleration(G, V, F), V_dot)
    # Power is what changes the kinetic energy: the bracket term does no work.
    assert_close(F @ V, V @ G @ V_dot, scale=np.abs(F) @ np.abs(V))


# Common solids, by quadrature that is exact for these polynomials.


def moments(points, weights, mass):
    """Rotational inertia of points (3, k), the weights being scaled to the mass."""
    weights = weights * mass / weights.sum()
    return np.sum(weights * points**2) * np.eye(3) - (weights * points) @ points.T


def nodes(low, high):
    """Of Gauss and Legendre, with their weights."""
    x, weights = np.polynomial.legendre.leggauss(4)
    return low + (high - low) * (x + 1.0) / 2.0, weights


def grid(*axes):
    """Coordinates (3, k) and the products of the weights."""
    places = np.array(np.meshgrid(*(x for x, _ in axes), indexing='ij')).reshape(3, -1)
    weights = np.meshgrid(*(weights for _, weights in axes), indexing='ij')
    return places, np.prod(weights, axis=0).ravel()


TURNS = np.arange(8) * np.pi / 4.0, np.ones(8)


def test_box():
    mass, edges = 2.0, (0.3, 0.5, 0.7)
    expected = moments(*grid(*(nodes(-edge / 2.0, edge / 2.0) for edge in edges)), mass)
    assert_close(rigid_body.box(mass, *edges), expected)


def test_cylinder():
    mass, radius, length = 1.5, 0.2, 0.6
    (r, turn, z), weights = grid(nodes(0.0, radius), TURNS, nodes(-length / 2.0, length / 2.0))
    expected = moments(np.array([r * cos(turn), r * sin(turn), z]), weights * r, mass)
    assert_close(rigid_body.cylinder(mass, radius, length), expected)


def test_ellipsoid_and_sphere():
    mass, axes = 2.5, (0.2, 0.3, 0.5)
    (r, turn, height), weights = grid(nodes(0.0, 1.0), TURNS, nodes(-1.0, 1.0))
    ring = r * np.sqrt(1.0 - height**2)
    unit, weights = np.array([ring * cos(turn), ring * sin(turn), r * height]), weights * r**2
    expected = moments(np.array(axes)[:, None] * unit, weights, mass)
    assert_close(rigid_body.ellipsoid(mass, *axes), expected)
    assert_close(rigid_body.sphere(mass, 0.4), moments(0.4 * unit, weights, mass))
