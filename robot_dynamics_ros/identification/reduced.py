"""Equations reduced to one triangle for each joint, which keep every least-squares problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .parameters import ParameterLayout

# Why an equation does not count: an effort was not measured, its joint was slow, or an effort was
# saturated. The first one that holds is said.
REASONS = ('missing', 'slow', 'saturated')
MISSING, SLOW, SATURATED = range(len(REASONS))
# Of an orthonormal basis: what rounding leaves of a direction that no equation has.
ROUNDING = 1e-15


@dataclass(frozen=True)
class ReducedEquations:
    """For each joint j the triangle R of [Y_j | tau_j].

    R^T R = [Y_j | tau_j]^T [Y_j | tau_j]: |Y_j x - tau_j| is |R [x; -1]| for every x.

    Attributes:
        layout: of the columns.
        triangles: (n, p + 1, p + 1) upper triangular; zero in the columns of known parameters.
        counts: (n,) equations that were used.
        independent: (n,) of these, how many white noise of the samples leaves independent.
        weights: (n,) sum of their weights; `counts` without weights.
        left_out: (n, reasons) equations that were left out for each of `REASONS`.
    """

    layout: ParameterLayout
    triangles: Array
    counts: Array
    independent: Array
    weights: Array
    left_out: Array

    @property
    def numbers(self) -> Mapping[str, Mapping[str, int]]:
        """By the names of the joints: how many equations were used, how many were not, and why."""
        return {
            name: {'used': int(used), **dict(zip(REASONS, map(int, others), strict=True))}
            for name, used, others in zip(
                self.layout.joints, self.counts, self.left_out, strict=True
            )
        }

    @property
    def independence(self) -> Array:
        """Share (n,) of the equations that are independent: of dependent ones, fewer count."""
        share: Array = self.independent / np.maximum(self.counts, 1.0)
        return share

    def rms(self, parameters: Array) -> Array:
        """Root mean square (n,) of the torques of these parameters [N m or N].

        Known parameters and gains do not count: they are part of the measured torque.

        Args:
            parameters: (p,) full ones.
        """
        own = np.where(self.layout.is_known, 0.0, parameters)
        own[self.layout.columns('gain')] = 0.0
        sums = np.linalg.norm(self.triangles[:, :, :-1] @ own, axis=1)
        rms: Array = sums / np.sqrt(np.maximum(self.weights, np.finfo(float).tiny))
        return rms

    @property
    def usual_torques(self) -> Array:
        """Root mean square (n,) of what parameters explain, or the URDF predicts [N m or N]."""
        # Without the last entry, which no parameters explain.
        explained = np.linalg.norm(self.triangles[:, :-1, -1], axis=1)
        explained /= np.sqrt(np.maximum(self.weights, np.finfo(float).tiny))
        torques: Array = np.maximum(explained, self.rms(self.layout.nominal()))
        return torques


@dataclass(frozen=True)
class Factor:
    """Products of the equations of a joint over W windows: root^T grams[w] root.

    Attributes:
        grams: (W, k, k) weighted products of an orthonormal basis.
        root: (k, p + 1) [Y | tau] in this basis.
    """

    grams: Array
    root: Array

    def triangle(self, layout: ParameterLayout) -> Array:
        """That (p + 1, p + 1) of all windows, with known parameters on the right-hand side."""
        known = layout.is_known
        rows = _root(self.grams.sum(axis=0)) @ self.root
        rows[:, -1] -= rows[:, :-1][:, known] @ layout.nominal()[known]
        rows[:, :-1][:, known] = 0.0
        return triangle(rows)


@dataclass(frozen=True)
class WindowSums:
    """Sums over W windows of time, of all joints.

    Attributes:
        total: the equations of all windows.
        factors: (n,) products of each joint.
        counts: (W, n) equations that were used.
    """

    total: ReducedEquations
    factors: tuple[Factor, ...]
    counts: Array

    def __len__(self) -> int:
        return len(self.counts)

    def products(self, joint: int, columns: Array) -> Array:
        """Products (W, c, c) of combinations of the columns of [Y | tau] of a joint.

        Args:
            joint: its number.
            columns: (p + 1, c) the combinations.
        """
        factor = self.factors[joint]
        chosen = factor.root @ columns
        products: Array = chosen.T @ factor.grams @ chosen
        return products


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


def _root(gram: Array) -> Array:
    """F (k, k) with F^T F = gram, which is positive semidefinite."""
    values, vectors = np.linalg.eigh(gram)
    least = ROUNDING * max(1.0, float(values[-1]) if values.size else 0.0)
    root: Array = np.sqrt(np.where(values > least, values, 0.0))[:, None] * vectors.T
    return root
