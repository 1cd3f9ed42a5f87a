"""The inertia of a rigid body as its mass moments, which add up when bodies are joined.

The second moment S = integral p p^T dm is used instead of the rotational inertia
I = trace(S) 1 - S (equally many numbers): it is rotated into another frame by one product, it is
positive semi-definite exactly when I also obeys the triangle inequality, and the algorithms need
no cross-product matrices (Wensing, Kim, Slotine, "Linear matrix inequalities for physically
consistent inertial parameter identification", 2018, call it the pseudo-inertia).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..scalar import Scalar
from ..spatial import (
    IDENTITY,
    ZERO,
    ZERO_MATRIX,
    Matrix,
    Vector,
    add,
    add_matrices,
    multiply,
    outer,
    rotate,
    rotate_symmetric,
    scale,
    symmetric,
    trace,
)


@dataclass(frozen=True)
class Placement:
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

    def __matmul__(self, inner: Placement) -> Placement:
        """The pose, in the parent, of a frame that `inner` places in this one."""
        return Placement(
            multiply(self.rotation, inner.rotation),
            add(self.translation, rotate(self.rotation, inner.translation)),
        )


@dataclass(frozen=True)
class Inertia:
    """Mass moments of a body about the origin of a frame, in the axes of that frame.

    Attributes:
        mass: m [kg].
        first_moment: (3,) m c, with c the centre of mass [kg m].
        second_moment: (3, 3) integral p p^T dm [kg m^2].
    """

    mass: Scalar = 0.0
    first_moment: Vector = ZERO
    second_moment: Matrix = ZERO_MATRIX

    @classmethod
    def at_center_of_mass(cls, mass: float, rotational: Matrix, placement: Placement) -> Inertia:
        """Moments of a body whose centre of mass is the origin of the placed frame.

        Args:
            mass: [kg].
            rotational: (3, 3) rotational inertia about the centre of mass [kg m^2].
            placement: pose of the inertial frame in the frame of the body.
        """
        half = 0.5 * trace(rotational)
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = rotational
        second = symmetric(half - xx, -xy, -xz, half - yy, -yz, half - zz)
        return cls(mass, ZERO, second).moved(placement.rotation, placement.translation)

    def moved(self, rotation: Matrix, translation: Vector) -> Inertia:
        """The same body in the parent frame.

        Args:
            rotation: (3, 3) of this frame in the parent.
            translation: (3,) origin of this frame in the parent [m].
        """
        rotated = rotate(rotation, self.first_moment)
        first = add(rotated, scale(self.mass, translation))
        # S + t p^T + p (t + m p)^T with t = m c, p the translation: the parallel-axis theorem.
        (tx, ty, tz), (px, py, pz), (fx, fy, fz) = rotated, translation, first
        shift = symmetric(
            tx * px + px * fx,
            tx * py + px * fy,
            tx * pz + px * fz,
            ty * py + py * fy,
            ty * pz + py * fz,
            tz * pz + pz * fz,
        )
        second = add_matrices(rotate_symmetric(rotation, self.second_moment), shift)
        return Inertia(self.mass, first, second)

    def __add__(self, other: Inertia) -> Inertia:
        """Both bodies as one, their moments being about the same frame."""
        return Inertia(
            self.mass + other.mass,
            add(self.first_moment, other.first_moment),
            add_matrices(self.second_moment, other.second_moment),
        )

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
        spread = outer(scale(-1.0, center), self.first_moment)
        second = add_matrices(self.second_moment, spread)
        return Inertia(self.mass, ZERO, second).rotational
