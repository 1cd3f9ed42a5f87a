"""Equations reduced by QR to one triangle each, which keep every least-squares problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.spatial import Vector

from ..parameters.parameter_layout import ParameterLayout
from .equations import REASONS, EquationBlock

# Blocks are reduced when they have this multiple of the columns as times.
TOGETHER = 8
# Bytes of the rows of blocks that are reduced together, at most by a block more.
MOST_BYTES = 1 << 25
MIXED = (
    'equations of different layouts cannot be merged: use the same model, terms, loads, form and '
    'gravity for all recordings'
)
# Weights (m, r) of the equations of a block: an equation is multiplied by the square root.
Weights = Callable[[EquationBlock], Array]


@dataclass(frozen=True)
class ReducedEquations:
    """For each equation the triangle R of [Y_j | tau_j]: sums over samples that merge exactly.

    R^T R = [Y_j | tau_j]^T [Y_j | tau_j]: |Y_j x - tau_j| is |R [x; -1]| for every x.

    Attributes:
        layout: of the columns.
        equations: names of the equations (r,): those of the joints, or 'power'.
        triangles: (r, p + 1, p + 1) upper triangular; the diagonal is not negative.
        counts: (r,) equations that were used.
        independent: (r,) of these, how many white noise of the samples leaves independent.
        weights: (r,) sum of their weights; `counts` without weights.
        left_out: (r, reasons) equations that were left out for each of `REASONS`; None:
            not known.
        gravity: (3,) of the equations, in the base frame [m/s^2].
    """

    layout: ParameterLayout
    equations: tuple[str, ...]
    triangles: Array
    counts: Array
    independent: Array
    weights: Array
    left_out: Array | None = None
    gravity: Vector = STANDARD_GRAVITY

    @property
    def numbers(self) -> Mapping[str, Mapping[str, int]]:
        """By the names of the equations: how many were used, and how many were not, and why."""
        reasons = np.zeros((len(self.equations), len(REASONS)))
        left_out = reasons if self.left_out is None else self.left_out
        return {
            name: {'used': int(used), **dict(zip(REASONS, map(int, others), strict=True))}
            for name, used, others in zip(self.equations, self.counts, left_out, strict=True)
        }

    @classmethod
    def merged(cls, parts: Sequence[ReducedEquations]) -> ReducedEquations:
        """Those of all data from those of its parts, in any order.

        Raises:
            ParameterError: there is no part, or two parts have different columns.
        """
        if not parts:
            raise ParameterError('there are no equations to merge: pass one part at least')
        first = parts[0]
        for part in parts[1:]:
            if not _alike(part, first):
                raise ParameterError(MIXED)
        stacked = np.concatenate([part.triangles for part in parts], axis=1)
        return cls(
            first.layout,
            first.equations,
            np.stack([triangle(rows) for rows in stacked]),
            np.sum([part.counts for part in parts], axis=0),
            np.sum([part.independent for part in parts], axis=0),
            np.sum([part.weights for part in parts], axis=0),
            _sum([part.left_out for part in parts]),
            first.gravity,
        )

    @property
    def independence(self) -> Array:
        """Share (r,) of the equations that are independent: of dependent ones, fewer count."""
        share: Array = self.independent / np.maximum(self.counts, 1.0)
        return share

    def rms(self, parameters: Array) -> Array:
        """Root mean square (r,) of the torques of these parameters [N m, N or W].

        Known parameters and gains do not count: they are part of the measured torque.

        Args:
            parameters: (p,) full ones.
        """
        own = np.where(self.layout.is_known, 0.0, parameters)
        if 'gain' in self.layout.terms:
            own[self.layout.columns('gain')] = 0.0
        sums = np.linalg.norm(self.triangles[:, :, :-1] @ own, axis=1)
        rms: Array = sums / np.sqrt(np.maximum(self.weights, np.finfo(float).tiny))
        return rms


def triangle(rows: Array) -> Array:
    """The triangle (c, c) of rows (m, c), with a diagonal that is not negative.

    Columns that are zero take no time: no joint feels the bodies before it.
    """
    columns = rows.shape[1]
    filled = np.flatnonzero(rows.any(axis=0))
    upper = np.zeros((columns, columns))
    if not filled.size:
        return upper
    factor = np.linalg.qr(rows[:, filled], mode='r')
    signs = np.where(np.diag(factor) < 0.0, -1.0, 1.0)
    # The row of a column keeps its place: so the triangle stays one.
    upper[np.ix_(filled[: len(factor)], filled)] = signs[:, None] * factor
    return upper


def reduce(blocks: Iterable[EquationBlock], weights: Weights | None = None) -> ReducedEquations:
    """Reduce equations as they come: memory does not grow with their number.

    Args:
        blocks: of one layout; one at least.
        weights: of the equations of a block, (m, r) at least 0; None for equal weights.

    Raises:
        ParameterError: there is no block, or two have different layouts.
    """
    reduced: ReducedEquations | None = None
    for group in _groups(blocks):
        parts = [_of_blocks(group, weights)]
        reduced = ReducedEquations.merged(parts if reduced is None else [reduced, *parts])
    if reduced is None:
        raise ParameterError(
            'there are no equations to reduce: no motion was long enough for the filter'
        )
    return reduced


def _groups(blocks: Iterable[EquationBlock]) -> Iterator[list[EquationBlock]]:
    """Consecutive blocks of one layout, with so many times that a factorization is worth it."""
    group: list[EquationBlock] = []
    for block in blocks:
        if group and not _alike(block, group[0]):
            raise ParameterError(MIXED)
        group.append(block)
        count, size = sum(map(len, group)), sum(one.rows.nbytes for one in group)
        if count >= TOGETHER * (block.layout.size + 1) or size >= MOST_BYTES:
            yield group
            group = []
    if group:
        yield group


def _of_blocks(group: Sequence[EquationBlock], weights: Weights | None) -> ReducedEquations:
    """Those of blocks of one layout."""
    used = np.concatenate([block.used for block in group])
    shares = [np.ones(block.used.shape) if weights is None else weights(block) for block in group]
    weight = np.where(used, np.concatenate(shares), 0.0)
    rows = np.concatenate([block.rows for block in group])
    torques = np.concatenate([block.torques for block in group])
    triangles = []
    for j in range(weight.shape[1]):
        chosen = weight[:, j] > 0.0
        both = np.concatenate([rows[chosen, j], torques[chosen, j, None]], axis=1)
        triangles.append(triangle(np.sqrt(weight[chosen, j])[:, None] * both))
    first = group[0]
    return ReducedEquations(
        first.layout,
        first.equations,
        np.stack(triangles),
        used.sum(axis=0).astype(float),
        np.sum([block.independence * block.used.sum(axis=0) for block in group], axis=0),
        weight.sum(axis=0),
        _sum([None if one.left_out is None else one.left_out.sum(axis=0) for one in group]),
        first.gravity,
    )


def _sum(counts: Sequence[Array | None]) -> Array | None:
    """The sum (r, reasons) of counts; None if one of them is not known."""
    known = [count for count in counts if count is not None]
    return np.sum(known, axis=0).astype(float) if len(known) == len(counts) else None


def _alike(one: ReducedEquations | EquationBlock, other: ReducedEquations | EquationBlock) -> bool:
    """Whether the columns of two are the same."""
    same = one.layout is other.layout or one.layout == other.layout
    return same and one.equations == other.equations and tuple(one.gravity) == tuple(other.gravity)
