"""Spatial algebra over any scalar: motions, forces, transforms and inertias.

A vector is `(x, y, z)`, a matrix a tuple of three rows. A rotation matrix `R` of a frame holds its
axes as columns, seen from the parent: `rotate(R, v)` takes a vector from the frame to its parent,
`rotate_back(R, v)` from the parent to the frame.

Spatial vectors are those of Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapter 2,
about the origin and in the axes of a frame that the context names. `X @ y` is y, which is given in
the frame whose pose in its parent is X, about the origin and in the axes of the parent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, TypeVar

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


def subtract_matrices(a: Matrix, b: Matrix) -> Matrix:
    """A - B."""
    return (subtract(a[0], b[0]), subtract(a[1], b[1]), subtract(a[2], b[2]))


def multiply(a: Matrix, b: Matrix) -> Matrix:
    """A B."""
    columns = transpose(b)
    return (rotate(columns, a[0]), rotate(columns, a[1]), rotate(columns, a[2]))


def trace(m: Matrix) -> Scalar:
    """The sum of the diagonal."""
    return m[0][0] + m[1][1] + m[2][2]


def axial_of_product(m: Matrix, s: Matrix) -> Vector:
    """The w with w x u = (M S - (M S)^T) u of a symmetric S, with fewer products."""
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


class Spatial(Protocol):
    """What a transform takes to another frame."""

    def moved(self: Moved, pose: Transform) -> Moved:
        """The same, about the origin and in the axes of the parent."""


Moved = TypeVar('Moved', bound=Spatial)


@dataclass(frozen=True)
class Transform:
    """Pose of a frame in its parent.

    Attributes:
        rotation: (3, 3), takes vectors from the frame to the parent.
        translation: (3,) origin of the frame, in the parent [m].
    """

    rotation: Matrix = IDENTITY
    translation: Vector = ZERO

    @property
    def distance(self) -> float:
        """From the origin of the parent to that of the frame [m]."""
        return math.hypot(*self.translation)

    def __matmul__(self, inner: Moved) -> Moved:
        """What is given in this frame, about the origin and in the axes of the parent."""
        return inner.moved(self)

    def moved(self, pose: Transform) -> Transform:
        """The pose, in the parent, of a frame that this one places in `pose`."""
        return Transform(
            multiply(pose.rotation, self.rotation),
            add(pose.translation, rotate(pose.rotation, self.translation)),
        )


# These two are not frozen, which would double the time of an algorithm on numbers.
@dataclass(slots=True)
class Motion:
    """A twist, a spatial acceleration, or the motion subspace of a joint.

    Attributes:
        angular: (3,) omega [rad/s].
        linear: (3,) velocity of the point of the body that passes through the origin [m/s].
    """

    angular: Vector = ZERO
    linear: Vector = ZERO

    def __add__(self, other: Motion) -> Motion:
        return Motion(add(self.angular, other.angular), add(self.linear, other.linear))

    def __mul__(self, factor: Scalar) -> Motion:
        return Motion(scale(factor, self.angular), scale(factor, self.linear))

    def moved(self, pose: Transform) -> Motion:
        """R omega and R v + p x R omega, with the rotation R and the origin p of the pose."""
        angular = rotate(pose.rotation, self.angular)
        linear = rotate(pose.rotation, self.linear)
        return Motion(angular, add(linear, cross(pose.translation, angular)))

    def seen_from(self, pose: Transform) -> Motion:
        """The inverse of `moved`: R^T omega and R^T (v + omega x p)."""
        linear = add(self.linear, cross(self.angular, pose.translation))
        return Motion(rotate_back(pose.rotation, self.angular), rotate_back(pose.rotation, linear))

    def cross(self, other: Motion) -> Motion:
        """twist x motion: the rate of a motion that is fixed to a body with this twist."""
        linear = add(cross(self.angular, other.linear), cross(self.linear, other.angular))
        return Motion(cross(self.angular, other.angular), linear)

    def cross_force(self, other: Force) -> Force:
        """twist x* force: the rate of a force that is fixed to a body with this twist."""
        moment = add(cross(self.angular, other.angular), cross(self.linear, other.linear))
        return Force(moment, cross(self.angular, other.linear))

    def dot(self, other: Force) -> Scalar:
        """The power of a force on this twist; of a motion subspace, the effort of the joint."""
        return dot(self.angular, other.angular) + dot(self.linear, other.linear)


@dataclass(slots=True)
class Force:
    """A wrench, or a momentum.

    Attributes:
        angular: (3,) moment about the origin [N m].
        linear: (3,) force [N].
    """

    angular: Vector = ZERO
    linear: Vector = ZERO

    def __add__(self, other: Force) -> Force:
        return Force(add(self.angular, other.angular), add(self.linear, other.linear))

    def __mul__(self, factor: Scalar) -> Force:
        return Force(scale(factor, self.angular), scale(factor, self.linear))

    def moved(self, pose: Transform) -> Force:
        """R n + p x R f and R f, with the rotation R and the origin p of the pose."""
        linear = rotate(pose.rotation, self.linear)
        moment = add(rotate(pose.rotation, self.angular), cross(pose.translation, linear))
        return Force(moment, linear)


@dataclass(frozen=True)
class Inertia:
    """Mass moments of a rigid body about the origin of a frame, in the axes of that frame.

    The second moment S = integral p p^T dm is used instead of the rotational inertia
    I = trace(S) 1 - S (equally many numbers): it is rotated into another frame by one product, it
    is positive semi-definite exactly when I also obeys the triangle inequality, and the moments of
    points p that accelerate by a + U p are sums over it (Wensing, Kim, Slotine, "Linear matrix
    inequalities for physically consistent inertial parameter identification", 2018, call it the
    pseudo-inertia). Moments add up when bodies are joined.

    Attributes:
        mass: m [kg].
        first_moment: (3,) m c, with c the centre of mass [kg m].
        second_moment: (3, 3) integral p p^T dm [kg m^2].
    """

    mass: Scalar = 0.0
    first_moment: Vector = ZERO
    second_moment: Matrix = ZERO_MATRIX

    @classmethod
    def about_origin(cls, mass: Scalar, first_moment: Vector, rotational: Matrix) -> Inertia:
        """The body of a rotational inertia about the origin.

        Args:
            mass: [kg].
            first_moment: (3,) m c [kg m].
            rotational: (3, 3) about the origin [kg m^2].
        """
        half = 0.5 * trace(rotational)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = rotational
        second = symmetric(half - xx, -xy, -xz, half - yy, -yz, half - zz)
        return cls(mass, first_moment, second)

    @classmethod
    def at_center_of_mass(cls, mass: Scalar, rotational: Matrix, pose: Transform) -> Inertia:
        """The body whose centre of mass is the origin of a frame.

        Args:
            mass: [kg].
            rotational: (3, 3) rotational inertia about the centre of mass [kg m^2].
            pose: of that frame in the frame of the body.
        """
        return pose @ cls.about_origin(mass, ZERO, rotational)

    def __add__(self, other: Inertia) -> Inertia:
        """Both bodies as one, their moments being about the same frame."""
        return Inertia(
            self.mass + other.mass,
            add(self.first_moment, other.first_moment),
            add_matrices(self.second_moment, other.second_moment),
        )

    def __matmul__(self, motion: Motion) -> Force:
        """The momentum of a twist; the force that gives the body at rest an acceleration."""
        angular, linear = motion.angular, motion.linear
        moment = add(rotate(self.rotational, angular), cross(self.first_moment, linear))
        return Force(moment, add(scale(self.mass, linear), cross(angular, self.first_moment)))

    def moved(self, pose: Transform) -> Inertia:
        """The moments about the origin and in the axes of the parent."""
        rotated = rotate(pose.rotation, self.first_moment)
        first = add(rotated, scale(self.mass, pose.translation))
        # S + t p^T + p (t + m p)^T with t = m c, p the translation: the parallel-axis theorem.
        (tx, ty, tz), (px, py, pz), (fx, fy, fz) = rotated, pose.translation, first
        shift = symmetric(
            tx * px + px * fx,
            tx * py + px * fy,
            tx * pz + px * fz,
            ty * py + py * fy,
            ty * pz + py * fz,
            tz * pz + pz * fz,
        )
        second = add_matrices(rotate_symmetric(pose.rotation, self.second_moment), shift)
        return Inertia(self.mass, first, second)

    @property
    def rotational(self) -> Matrix:
        """(3, 3) rotational inertia about the origin of the frame [kg m^2]."""
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = self.second_moment
        return symmetric(yy + zz, -xy, -xz, xx + zz, -yz, xx + yy)

    @property
    def center_of_mass(self) -> Vector:
        """(3,) [m]; the origin for a body without mass."""
        return scale(1.0 / self.mass, self.first_moment) if self.mass else ZERO

    @property
    def rotational_at_center_of_mass(self) -> Matrix:
        """(3, 3) rotational inertia about the centre of mass [kg m^2]."""
        center = self.center_of_mass
        shift = outer(scale(-1.0, center), self.first_moment)
        second = add_matrices(self.second_moment, shift)
        return Inertia(self.mass, ZERO, second).rotational
