"""Equations reduced by QR to one triangle each, which keep every least-squares problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core import ParameterError
from robot_dynamics_ros.core.checks import Array

from ..parameters.parameter_layout import ParameterLayout
from .equations import EquationBlock

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
    """

    layout: ParameterLayout
    equations: tuple[str, ...]
    triangles: Array
    counts: Array
    independent: Array
    weights: Array

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
            if (part.layout, part.equations) != (first.layout, first.equations):
                raise ParameterError(
                    'equations of different layouts cannot be merged: use the same model, terms, '
                    'loads and form for all recordings'
                )
        stacked = np.concatenate([part.triangles for part in parts], axis=1)
        return cls(
            first.layout,
            first.equations,
            np.stack([triangle(rows) for rows in stacked]),
            np.sum([part.counts for part in parts], axis=0),
            np.sum([part.independent for part in parts], axis=0),
            np.sum([part.weights for part in parts], axis=0),
        )


def triangle(rows: Array) -> Array:
    """The triangle (c, c) of rows (m, c), with a diagonal that is not negative."""
    count, columns = rows.shape
    upper = np.zeros((columns, columns))
    factor = np.linalg.qr(rows, mode='r')
    upper[: min(count, columns)] = factor
    signs = np.where(np.diag(upper) < 0.0, -1.0, 1.0)
    return signs[:, None] * upper


def reduce(blocks: Iterable[EquationBlock], weights: Weights | None = None) -> ReducedEquations:
    """Reduce equations as they come: memory does not grow with their number.

    Args:
        blocks: of one layout; one at least.
        weights: of the equations of a block, (m, r) at least 0; None for equal weights.

    Raises:
        ParameterError: there is no block, or two have different layouts.
    """
    parts: list[ReducedEquations] = []
    for block in blocks:
        parts.append(_of_block(block, weights))
        if len(parts) > 1:
            parts = [ReducedEquations.merged(parts)]
    if not parts:
        raise ParameterError('there are no equations to reduce: no motion was long enough')
    return parts[0]


def _of_block(block: EquationBlock, weights: Weights | None) -> ReducedEquations:
    """Those of one block."""
    used = block.used.astype(float) if weights is None else block.used * weights(block)
    both = np.concatenate([block.rows, block.torques[:, :, None]], axis=2)
    scaled = np.sqrt(used)[:, :, None] * np.where(block.used[:, :, None], both, 0.0)
    counts = block.used.sum(axis=0).astype(float)
    return ReducedEquations(
        block.layout,
        block.equations,
        np.stack([triangle(scaled[:, j]) for j in range(scaled.shape[1])]),
        counts,
        block.independence * counts,
        used.sum(axis=0),
    )
