"""Vectors of three scalars and matrices of nine, as tuples, over any scalar.

A vector is `(x, y, z)`; a matrix is a tuple of three rows. A rotation matrix `R` of a frame holds
its axes as columns, seen from the parent: `rotate(R, v)` takes a vector from the frame to its
parent, `rotate_back(R, v)` from the parent to the frame.
"""

from __future__ import annotations

from .scalar import Scalar, cos, sin

Vector = tuple[Scalar, Scalar, Scalar]
Matrix = tuple[Vector, Vector, Vector]

ZERO: Vector = (0.0, 0.0, 0.0)
ZERO_MATRIX: Matrix = (ZERO, ZERO, ZERO)
IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def add(a: Vector, b: Vector) -> Vector:
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector, b: Vector) -> Vector:
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(factor: Scalar, a: Vector) -> Vector:
    """factor * a."""
    return (factor * a[0], factor * a[1], factor * a[2])


def dot(a: Vector, b: Vector) -> Scalar:
    """The scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """The vector product a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def outer(a: Vector, b: Vector) -> Matrix:
    """The matrix a b^T."""
    return (scale(a[0], b), scale(a[1], b), scale(a[2], b))


def transpose(m: Matrix) -> Matrix:
    """M^T."""
    return (
        (m[0][0], m[1][0], m[2][0]),
        (m[0][1], m[1][1], m[2][1]),
        (m[0][2], m[1][2], m[2][2]),
    )


def add_matrices(a: Matrix, b: Matrix) -> Matrix:
    """A + B."""
    return (add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2]))


def multiply(a: Matrix, b: Matrix) -> Matrix:
    """A B."""
    columns = transpose(b)
    return (rotate(columns, a[0]), rotate(columns, a[1]), rotate(columns, a[2]))


def trace(m: Matrix) -> Scalar:
    """The sum of the diagonal."""
    return m[0][0] + m[1][1] + m[2][2]


def axial(m: Matrix) -> Vector:
    """The vector w with w x u = (M - M^T) u."""
    return (m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1])


def axial_of_product(m: Matrix, s: Matrix) -> Vector:
    """axial(M S) of a symmetric S, with fewer products than in that order."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = s
    a, b, c = m
    return (
        c[0] * xy - b[0] * xz + c[1] * yy - b[2] * zz + (c[2] - b[1]) * yz,
        a[1] * yz - c[1] * xy + a[2] * zz - c[0] * xx + (a[0] - c[2]) * xz,
        b[2] * xz - a[2] * yz + b[0] * xx - a[1] * yy + (b[1] - a[0]) * xy,
    )


def rotate(m: Matrix, v: Vector) -> Vector:
    """M v: with a rotation matrix, from the frame to its parent."""
    return (dot(m[0], v), dot(m[1], v), dot(m[2], v))


def rotate_back(m: Matrix, v: Vector) -> Vector:
    """M^T v: with a rotation matrix, from the parent to the frame."""
    return rotate(transpose(m), v)


def symmetric(xx: Scalar, xy: Scalar, xz: Scalar, yy: Scalar, yz: Scalar, zz: Scalar) -> Matrix:
    """The symmetric matrix of these entries, each pair of equal ones being one scalar."""
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def rotate_symmetric(r: Matrix, s: Matrix) -> Matrix:
    """R S R^T of a symmetric S."""
    x, y, z = multiply(r, s)
    return symmetric(
        dot(x, r[0]), dot(x, r[1]), dot(x, r[2]), dot(y, r[1]), dot(y, r[2]), dot(z, r[2])
    )


def rotation_about(axis: Vector, angle: Scalar) -> Matrix:
    """Rotation by `angle` [rad] about a unit axis (Rodrigues).

    The diagonal is written u^2 + (1 - u^2) cos, so that a principal axis folds to 1, cos and sin.
    """
    x, y, z = axis
    c, s = cos(angle), sin(angle)
    versine = 1.0 - c
    xy, xz, yz = x * y * versine, x * z * versine, y * z * versine
    return (
        (x * x + (1.0 - x * x) * c, xy - z * s, xz + y * s),
        (xy + z * s, y * y + (1.0 - y * y) * c, yz - x * s),
        (xz - y * s, yz + x * s, z * z + (1.0 - z * z) * c),
    )


def rotation_from_rpy(roll: float, pitch: float, yaw: float) -> Matrix:
    """Rotation Rz(yaw) Ry(pitch) Rx(roll) of a URDF origin, angles in rad (REP-103, fixed axes).

    Entries within rounding of -1, 0 and 1 become exactly these: the cosine of a right angle is 0
    instead of 6e-17, and products with it fold away.
    """
    rotation = multiply(
        rotation_about((0.0, 0.0, 1.0), yaw),
        multiply(rotation_about((0.0, 1.0, 0.0), pitch), rotation_about((1.0, 0.0, 0.0), roll)),
    )
    return snapped(rotation)


def snapped(m: Matrix) -> Matrix:
    """A matrix of floats in which entries within rounding of -1, 0 and 1 are exactly these."""
    x, y, z = (tuple(_snap(entry) for entry in row) for row in m)
    return ((x[0], x[1], x[2]), (y[0], y[1], y[2]), (z[0], z[1], z[2]))


def _snap(entry: float) -> float:
    nearest = float(round(entry))
    return nearest if abs(entry - nearest) < 4e-16 else entry
