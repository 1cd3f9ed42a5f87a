"""Reduced equations in units of their noise, and of plausible parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..parameters.parameter_layout import ParameterLayout
from ..regression.reduced_equations import ReducedEquations, triangle
from .scales import parameter_scales

# Of the torque of a joint: data have no less noise, rounding at least; and what is assumed where
# too few equations are left to tell.
LEAST_NOISE, ASSUMED_NOISE = 1e-8, 0.1
# Equations beside those that fix parameters, from which the noise can be estimated.
FEWEST = 10


@dataclass(frozen=True)
class Whitened:
    """The triangle of all equations, weighted by their noise.

    Attributes:
        triangle: (p, p); its rows are in standard deviations of the noise, its columns in
            plausible values of the parameters.
        scales: (p,) plausible values of the parameters.
        noise: (r,) of the equations [N m, N or W].
        count: independent equations.
    """

    triangle: Array
    scales: Array
    noise: Array
    count: float


def whitened(reduced: ReducedEquations, columns: Sequence[int] | None = None) -> Whitened:
    """All equations as one triangle.

    Args:
        reduced: equations of some data.
        columns: independent ones, on which all others depend; None: all.
    """
    layout = reduced.layout
    magnitudes = usual_torques(reduced)
    n = len(layout.joints)
    of_joints = magnitudes if len(magnitudes) == n else np.full(n, magnitudes[0])
    largest = float(of_joints.max(initial=0.0)) or 1.0
    scales = parameter_scales(layout, np.where(of_joints > 0.0, of_joints, largest))
    noise = _noise(reduced, range(layout.size) if columns is None else columns)
    noise = np.where(np.isnan(noise), ASSUMED_NOISE * magnitudes, noise)
    noise = np.maximum(noise, LEAST_NOISE * magnitudes)
    rows = []
    for j, factor in enumerate(reduced.triangles):
        if noise[j] > 0.0:
            share = reduced.independence[j]
            rows.append(np.sqrt(share) / noise[j] * factor[:, :-1] * scales)
    stacked = np.concatenate(rows) if rows else np.zeros((1, layout.size))
    return Whitened(triangle(stacked), scales, noise, float(reduced.independent.sum()))


def usual_torques(reduced: ReducedEquations) -> Array:
    """Root mean square (r,) of what parameters explain, or the description predicts.

    Args:
        reduced: equations of some data.
    """
    # Without the last entry, which no parameters explain.
    explained = np.linalg.norm(reduced.triangles[:, :-1, -1], axis=1)
    explained /= np.sqrt(np.maximum(reduced.weights, np.finfo(float).tiny))
    torques: Array = np.maximum(explained, reduced.rms(reduced.layout.nominal()))
    return torques


def _noise(reduced: ReducedEquations, columns: Sequence[int]) -> Array:
    """Standard deviation (r,) of what no parameters explain, each equation fitted alone.

    Where the measured effort is a column too, as with unknown gains, it is what the other columns
    leave of it. NaN where the equations are too few.
    """
    layout = reduced.layout
    noise = np.zeros(len(reduced.triangles))
    for j, factor in enumerate(reduced.triangles):
        measured = _measured(layout, j)
        explaining = [k for k in columns if k != measured and factor[:, k].any()]
        last = layout.size if measured is None else measured
        first = [] if measured is None else [layout.size]
        left = triangle(factor[:, [*first, *explaining, last]])
        used = np.count_nonzero(np.diag(left)[:-1])
        free = reduced.weights[j] - used
        noise[j] = abs(left[-1, -1]) / np.sqrt(free) if free >= FEWEST else np.nan
    return noise


def _measured(layout: ParameterLayout, equation: int) -> int | None:
    """The column of the measured effort of a joint; None where it is the right-hand side."""
    if 'gain' not in layout.terms or len(layout.joints) <= equation:
        return None
    column = int(layout.columns('gain')[equation])
    return None if layout.is_known[column] else column
