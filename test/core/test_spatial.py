"""Vectors and matrices of scalars, compared with NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics.closeness import assert_close

from robot_dynamics_ros.core import spatial

pytestmark = pytest.mark.contract

NUMBER = st.floats(-10.0, 10.0)
VECTOR = st.tuples(NUMBER, NUMBER, NUMBER)
MATRIX = st.tuples(VECTOR, VECTOR, VECTOR)


@given(VECTOR, VECTOR, NUMBER)
def test_vectors(a, b, factor):
    x, y = np.array(a), np.array(b)
    assert_close(spatial.add(a, b), x + y)
    assert_close(spatial.subtract(a, b), x - y)
    assert_close(spatial.scale(factor, a), factor * x)
    scale = np.abs(x).max() * np.abs(y).max()
    assert_close(spatial.dot(a, b), x @ y, scale)
    assert_close(spatial.cross(a, b), np.cross(x, y), scale)
    assert_close(spatial.outer(a, b), np.outer(x, y))


@given(MATRIX, MATRIX, VECTOR)
def test_matrices(m, n, v):
    A, B, x = np.array(m), np.array(n), np.array(v)
    scale = 3.0 * np.abs(A).max() * np.abs([*B, x]).max()
    assert_close(spatial.transpose(m), A.T)
    assert_close(spatial.add_matrices(m, n), A + B)
    assert_close(spatial.multiply(m, n), A @ B, scale)
    assert_close(spatial.trace(m), np.trace(A), scale=np.abs(A).max())
    assert_close(spatial.rotate(m, v), A @ x, scale)
    assert_close(spatial.rotate_back(m, v), A.T @ x, scale)
    assert_close(spatial.cross(spatial.axial(m), v), (A - A.T) @ x, scale)
    symmetric = (A + A.T).tolist()
    gathered = spatial.axial_of_product(m, symmetric)
    product = A @ (A + A.T)
    assert_close(spatial.cross(gathered, v), (product - product.T) @ x, 20.0 * scale**2)
    turned = spatial.rotate_symmetric(m, symmetric)
    assert_close(turned, A @ (A + A.T) @ A.T, scale=18.0 * np.abs(A).max() ** 3)


def test_quarter_turns_are_exact():
    """Whatever multiplies a zero can be folded away."""
    for angles in np.ndindex(5, 5, 5):
        rotation = np.array(spatial.rotation_from_rpy(*(np.array(angles) - 2) * np.pi / 2))
        assert set(np.abs(rotation).ravel()) == {0.0, 1.0}


@pytest.mark.parametrize(
    ('rpy', 'image_of_x'),
    [((0, 0, 1), (0, 1, 0)), ((0, 1, 0), (0, 0, -1)), ((1, 0, 0), (1, 0, 0))],
)
def test_roll_pitch_yaw_turn_about_x_y_z(rpy, image_of_x):
    turn = spatial.rotation_from_rpy(*(quarter * np.pi / 2 for quarter in rpy))
    assert spatial.rotate(turn, (1.0, 0.0, 0.0)) == image_of_x


def test_roll_pitch_yaw_are_about_fixed_axes():
    """REP-103: first roll, then pitch, then yaw: Rz Ry Rx."""
    roll, pitch, yaw = 0.3, -0.8, 2.1
    x, y, z = np.eye(3)
    expected = np.eye(3)
    for axis, angle in ((x, roll), (y, pitch), (z, yaw)):
        expected = np.array(spatial.rotation_about(tuple(axis), angle)) @ expected
    assert_close(spatial.rotation_from_rpy(roll, pitch, yaw), expected)


@given(st.tuples(NUMBER, NUMBER, NUMBER).filter(lambda v: np.linalg.norm(v) > 1e-3), NUMBER)
def test_rotation_about_an_axis(direction, angle):
    axis = np.array(direction) / np.linalg.norm(direction)
    R = np.array(spatial.rotation_about(tuple(axis), angle))
    assert_close(R @ R.T, np.eye(3))
    assert_close(np.linalg.det(R), 1.0)
    assert_close(R @ axis, axis)
    assert_close(np.trace(R), 1.0 + 2.0 * np.cos(angle), scale=3.0)
    # Right-handed: R - R^T = 2 sin [axis]x.
    assert_close(spatial.axial(R), 2.0 * np.sin(angle) * axis, scale=1.0)
