"""Bodies that can exist, and what is free in an estimate of them.

A body can exist if its pseudo-inertia P = [[S, m c], [m c^T, m]] is positive semidefinite, with
S = integral p p^T dm its second moment (Wensing, Kim, Slotine, "Linear matrix inequalities for
physically consistent inertial parameter identification", 2018). P is linear in the ten parameters.
What is free is in units of a reference, the body of the URDF: P = L X L^T with L L^T the reference
and X (4, 4) near the identity, so that equal changes of X are equally plausible for each body in
any frame (Lee, Wensing, Park, "Geometric robot dynamic identification: a convex programming
approach", 2020). A term of a joint is its nominal value plus a multiple of a plausible one.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.regression.bodies import (
    MASSLESS,
    PARAMETERS_OF,
    SIZE,
    WIDE,
    body_length,
    mean_mass,
    pseudo_inertia,
    rounded,
)

from .equations import Numbers
from .estimate import Estimate
from .parameters import (
    BODY,
    FRICTION,
    Flags,
    ParameterLayout,
    parameter_scales,
)

# Of the largest contribution to the torques: what a parameter has that no equation feels.
FELT = 1e-12
# Weight of the log det of a body without mass in the URDF, and pull of a term without a value.
BARE, UNPULLED = 1e-4, 1e-9


# (16, 10): the entries of a symmetric matrix from those on and above its diagonal, row by row.
UPPER = np.triu_indices(SIZE)
SYMMETRIC = np.zeros((SIZE * SIZE, BODY))
for _k, (_i, _j) in enumerate(zip(*UPPER, strict=True)):
    SYMMETRIC[[SIZE * _i + _j, SIZE * _j + _i], _k] = 1.0


def congruence(root: Array) -> Array:
    """(10, 10): the parameters of L X L^T, from the entries of X on and above its diagonal.

    Args:
        root: L (4, 4).
    """
    return PARAMETERS_OF @ np.kron(root, root) @ SYMMETRIC


def reference_bodies(layout: ParameterLayout, fixed: Array, scales: Array) -> tuple[Array, Flags]:
    """Positive definite pseudo-inertias (bodies, 4, 4), and which bodies have none in the URDF.

    They are those of the URDF where they can exist; a massless body and a load of unknown mass are
    spheres of a plausible mass about the origin of their frame.

    Args:
        layout: of the parameters.
        fixed: (bodies, 10) what is known to be fixed to them, and no part of the bodies here.
        scales: (p,) plausible magnitudes of the parameters.
    """
    mean, length = mean_mass(layout.model), body_length(layout.model)
    given = layout.nominal()[: BODY * len(layout.bodies)].reshape(-1, BODY) - fixed
    moving = np.arange(len(given)) < len(layout.model.joints)
    massless = moving & (given[:, 0] <= MASSLESS * mean)
    matrices = np.stack([pseudo_inertia(one) for one in given])
    for body in np.flatnonzero(massless | (given[:, 0] <= 0.0)).tolist():
        mass = scales[BODY * body] if massless[body] else mean
        matrices[body] = mass * np.diag([*3 * ((WIDE * length) ** 2,), 1.0])
    return np.stack([rounded(one, length) for one in matrices]), massless


@dataclass(frozen=True)
class Unknowns:
    """parameters = origin + basis @ z, with z (k,): ten per free body, then terms of joints.

    The prior of z is tr X - w log det X for each free body, and half the square of each term that
    has a value in the URDF. w = 1 is the divergence from the reference (Lee, Wensing, Park, 2020);
    a body without mass in the URDF has as little mass as the data allow, with w = `BARE`.

    Attributes:
        layout: of the parameters.
        origin: (p,) what is not free, and nominal values of the terms.
        basis: (p, k).
        bodies: (f,) indices of the free bodies; the entries of X of the i-th, on and above its
            diagonal, are z[10 i: 10 i + 10].
        weights: (f,) w.
        terms: (t,) columns of the free terms.
        scales: (p,) plausible magnitudes of the parameters.
    """

    layout: ParameterLayout
    origin: Array
    basis: Array
    bodies: tuple[int, ...]
    weights: Array
    terms: tuple[int, ...]
    scales: Array

    def parameters(self, z: Array) -> Array:
        """The parameters (p,) of z (k,), or (N, p) of (N, k)."""
        return self.origin + z @ self.basis.T

    def matrices(self, z: Array) -> Array:
        """X (f, 4, 4) of the free bodies."""
        entries = z[: BODY * len(self.bodies)].reshape(-1, BODY)
        return (entries @ SYMMETRIC.T).reshape(-1, SIZE, SIZE)

    @property
    def reference(self) -> Array:
        """The z (k,) of the reference bodies and of the terms of the URDF."""
        entries = np.tile(np.eye(SIZE)[UPPER], (len(self.bodies), 1))
        return np.concatenate([entries.ravel(), np.zeros(len(self.terms))])

    def prior(self, z: Array, weights: Array) -> tuple[Array, Array]:
        """Gradient (k,) of the prior, and R (k, k) with R^T R its second derivatives.

        Args:
            z: (k,) with positive definite X.
            weights: (f,) w of the bodies.
        """
        first = BODY * len(self.bodies)
        gradient, root = self.reference, np.zeros((len(z), len(z)))
        gradient[first:] = z[first:] * self.pulled
        terms = np.arange(first, len(z))
        root[terms, terms] = np.where(self.pulled, 1.0, UNPULLED)
        lower = np.linalg.inv(np.linalg.cholesky(self.matrices(z)))
        inverse = lower.swapaxes(1, 2) @ lower
        gradient[:first] -= (weights[:, None] * (inverse.reshape(-1, SIZE**2) @ SYMMETRIC)).ravel()
        # Of each body, the Kronecker product of its factor with itself.
        products = np.einsum('bij,bkl->bikjl', lower, lower).reshape(-1, SIZE**2, SIZE**2)
        halves = np.linalg.qr(products @ SYMMETRIC, mode='r')
        for body, (half, weight) in enumerate(zip(halves, weights, strict=True)):
            own = slice(BODY * body, BODY * body + BODY)
            root[own, own] = np.sqrt(weight) * half
        return gradient, root

    @property
    def known(self) -> list[int]:
        """Columns of the known parameters of free bodies."""
        free = np.isin(np.arange(self.layout.size) // BODY, self.bodies)
        return np.flatnonzero(free & self.layout.is_known).tolist()

    @property
    def pulled(self) -> Flags:
        """Which terms (t,) have a value in the URDF: not gains, whose unit is open."""
        return ~np.isin(self.terms, self.layout.columns('gain'))

    @property
    def bounded(self) -> list[int]:
        """Columns of the free terms that must not be negative."""
        columns = self.layout.not_negative
        return [column for column in self.terms if column in columns]

    @property
    def bounds(self) -> tuple[Numbers, Array]:
        """Places of these in z, and the least z there (m,)."""
        places = BODY * len(self.bodies) + np.searchsorted(self.terms, self.bounded)
        return places, -self.origin[self.bounded] / self.scales[self.bounded]


def unknowns_of(
    rows: Array,
    estimate: Estimate,
    torques: Array,
    fixed: Array,
    empty: Collection[int] = (),
) -> Unknowns:
    """What is free with these equations.

    Parameters that no equation feels are not: they stay as in the URDF, and so do massless bodies
    that have no base parameter.

    Args:
        rows: (m, p) equations.
        estimate: without constraints: which base parameters there are. A term that it finds
            larger than plausible may be so large.
        torques: (n,) usual magnitude of the torque of each joint [N m or N].
        fixed: (bodies, 10) what is known to be fixed to them.
        empty: bodies that are known to stay as in the URDF.
    """
    layout = estimate.layout
    first = BODY * len(layout.bodies)
    scales = parameter_scales(layout, torques)
    # As for friction: gears of small bodies have rotors that are not small.
    if (rotors := layout.columns('armature')).size:
        scales[rotors] = np.maximum(scales[rotors], FRICTION * torques)
    scales[first:] = np.maximum(scales[first:], np.abs(estimate.parameters[first:]))
    effects = np.linalg.norm(rows, axis=0) * scales
    felt = ~layout.is_known & (effects > FELT * effects.max(initial=0.0))
    references, massless = reference_bodies(layout, fixed, scales)
    determined = {column // BODY for column in estimate.base_columns if column < first}
    bodies = tuple(
        body
        for body in range(len(layout.bodies))
        if felt[layout.body_columns(body)].any()
        and body not in empty
        and (not massless[body] or body in determined)
    )
    terms = tuple(column for column in range(first, layout.size) if felt[column])
    origin, basis = layout.nominal(), np.zeros((layout.size, BODY * len(bodies) + len(terms)))
    for index, body in enumerate(bodies):
        columns = layout.body_columns(body)
        origin[columns] = fixed[body]
        root = np.linalg.cholesky(references[body])
        basis[columns, BODY * index : BODY * index + BODY] = congruence(root)
    for index, column in enumerate(terms, BODY * len(bodies)):
        basis[column, index] = scales[column]
    weights = np.where(massless[list(bodies)], BARE, 1.0)
    return Unknowns(layout, origin, basis, bodies, weights, terms, scales)
