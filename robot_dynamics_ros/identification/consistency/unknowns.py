"""What is free in an estimate, in units of the reference: numbers near one.

A body is L X L^T with L L^T its reference and X (4, 4) near the identity. So equal changes of X
are equally plausible for each body in any frame (Lee, Wensing, Park, "Geometric robot dynamic
identification: a convex programming approach", 2020). A term of a joint is its nominal value
plus a multiple of a plausible one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..estimation import Estimate
from ..observability.scales import FRICTION, parameter_scales
from ..parameters.joint_terms import JointTerm
from ..parameters.parameter_layout import ParameterLayout
from .pseudo_matrices import BODY, SIZE, SYMMETRIC, UPPER, congruence
from .reference_bodies import is_massless, reference_bodies

# Terms that take energy, or store it.
NOT_NEGATIVE: tuple[JointTerm, ...] = (
    'armature',
    'viscous',
    'coulomb',
    'viscous_negative',
    'coulomb_negative',
    'stiffness',
)
# Of the largest contribution to the torques: what a parameter has that no equation feels.
FELT = 1e-12


@dataclass(frozen=True)
class Unknowns:
    """parameters = origin + basis @ z, with z (k,): ten per free body, then terms of joints.

    Attributes:
        layout: of the parameters.
        origin: (p,) what is not free, and nominal values of the terms.
        basis: (p, k).
        bodies: (f,) indices of the free bodies; the entries of X of the i-th, on and above its
            diagonal, are z[10 i: 10 i + 10].
        described: (f,) whether the description gives the body, and so a reference for each of its
            parameters; if not, it has as little mass as the data allow.
        terms: (t,) columns of the free terms.
        scales: (p,) plausible magnitudes of the parameters.
    """

    layout: ParameterLayout
    origin: Array
    basis: Array
    bodies: tuple[int, ...]
    described: tuple[bool, ...]
    terms: tuple[int, ...]
    scales: Array

    def parameters(self, z: Array) -> Array:
        """The parameters (p,) of z (k,)."""
        parameters: Array = self.origin + self.basis @ z
        return parameters

    def matrices(self, z: Array) -> Array:
        """X (f, 4, 4) of the free bodies."""
        entries = z[: BODY * len(self.bodies)].reshape(-1, BODY)
        matrices: Array = (entries @ SYMMETRIC.T).reshape(-1, SIZE, SIZE)
        return matrices

    @property
    def prior(self) -> Array:
        """The z (k,) that the prior prefers: references, and nominal values."""
        entries = np.tile(np.eye(SIZE)[UPPER], (len(self.bodies), 1))
        return np.concatenate([entries.ravel(), np.zeros(len(self.terms))])

    @property
    def known(self) -> tuple[int, ...]:
        """Columns of the known parameters of free bodies."""
        inside = [self.layout.body_columns(body) for body in self.bodies]
        columns = [column for part in inside for column in range(part.start, part.stop)]
        return tuple(column for column in columns if self.layout.is_known[column])

    @property
    def bounded(self) -> tuple[int, ...]:
        """Columns of the free terms that must not be negative."""
        columns = columns_not_negative(self.layout)
        return tuple(column for column in self.terms if column in columns)

    @property
    def pulled(self) -> tuple[int, ...]:
        """Columns of the free terms that have a nominal value: not gains, whose unit is open."""
        gains = self.layout.columns('gain').tolist() if 'gain' in self.layout.terms else []
        return tuple(column for column in self.terms if column not in gains)


def columns_not_negative(layout: ParameterLayout) -> list[int]:
    """Columns of the terms that are not negative, in any order."""
    present = [term for term in NOT_NEGATIVE if term in layout.terms]
    return [column for term in present for column in layout.columns(term).tolist()]


def unknowns_of(
    rows: Array,
    estimate: Estimate,
    torques: Array,
    fixed: Array,
    empty: Collection[int] = (),
) -> Unknowns:
    """What is free with these equations.

    Parameters that no equation feels are not: they stay as they are described, and so do massless
    bodies that have no base parameter.

    Args:
        rows: (m, p) equations.
        estimate: without constraints: which base parameters there are. A term that it finds
            larger than plausible may be so large.
        torques: (n,) usual magnitude of the torque of each joint [N m or N].
        fixed: (bodies, 10) as of `fixed_parameters`.
        empty: bodies that are known to stay as they are described.
    """
    layout = estimate.layout
    first = BODY * len(layout.bodies)
    scales = parameter_scales(layout, torques)
    if 'armature' in layout.terms:
        # As for friction: gears of small bodies have rotors that are not small.
        rotors = layout.columns('armature')
        scales[rotors] = np.maximum(scales[rotors], FRICTION * torques)
    scales[first:] = np.maximum(scales[first:], np.abs(estimate.parameters[first:]))
    effects = np.linalg.norm(rows, axis=0) * scales
    felt = ~layout.is_known & (effects > FELT * effects.max(initial=0.0))
    massless = is_massless(layout, fixed)
    bodies = tuple(
        body
        for body in range(len(layout.bodies))
        if felt[layout.body_columns(body)].any()
        and body not in empty
        and (not massless[body] or _is_determined(layout, body, estimate.base_columns))
    )
    terms = tuple(column for column in range(first, layout.size) if felt[column])
    return Unknowns(
        layout,
        *_affine(layout, fixed, bodies, terms, scales),
        bodies,
        tuple(not massless[body] for body in bodies),
        terms,
        scales,
    )


def _is_determined(layout: ParameterLayout, body: int, base_columns: Sequence[int]) -> bool:
    """Whether a base parameter is one of a body."""
    columns = layout.body_columns(body)
    return any(columns.start <= column < columns.stop for column in base_columns)


def _affine(
    layout: ParameterLayout,
    fixed: Array,
    bodies: Sequence[int],
    terms: Sequence[int],
    scales: Array,
) -> tuple[Array, Array]:
    """Origin (p,) and basis (p, k)."""
    references = reference_bodies(layout, fixed, scales)
    origin = layout.nominal()
    basis = np.zeros((layout.size, BODY * len(bodies) + len(terms)))
    for index, body in enumerate(bodies):
        columns = layout.body_columns(body)
        origin[columns] = fixed[body]
        root = _root(references[body])
        basis[columns, BODY * index : BODY * index + BODY] = congruence(root)
    for index, column in enumerate(terms, BODY * len(bodies)):
        basis[column, index] = scales[column]
    return origin, basis


def _root(matrix: Array) -> Array:
    """L (4, 4), upper triangular, with L L^T the matrix: the mass is that of one entry of X."""
    lower = np.linalg.cholesky(matrix[::-1, ::-1])
    return np.asarray(lower[::-1, ::-1], dtype=np.float64)


def reference_of(unknowns: Unknowns) -> Array:
    """The parameters (p,) that the prior prefers; of massless bodies, those of the description."""
    wanted = unknowns.parameters(unknowns.prior)
    nominal = unknowns.layout.nominal()
    for body, described in zip(unknowns.bodies, unknowns.described, strict=True):
        if not described:
            columns = unknowns.layout.body_columns(body)
            wanted[columns] = nominal[columns]
    return wanted
