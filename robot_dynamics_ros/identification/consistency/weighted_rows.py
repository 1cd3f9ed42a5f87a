"""All equations as one triangle, in units of their noise."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..regression.reduced_equations import ReducedEquations, triangle

# Of the torque of a joint: data count as no more exact, so that the prior, which is worth one
# equation with an error of its whole value, is not lost in rounding.
LEAST_NOISE = 1e-7


def weighted_rows(reduced: ReducedEquations, noise: Array) -> Array:
    """The triangle (p + 1, p + 1) of [Y | tau] over all joints, in deviations of the noise.

    Args:
        reduced: equations of all data; zero columns for known parameters.
        noise: (r,) standard deviation of each equation; zero or not finite where it is not known:
            that equation is not used.
    """
    size = reduced.layout.size
    rows = [np.zeros((1, size + 1))]
    for j, factor in enumerate(reduced.triangles):
        least = LEAST_NOISE * _magnitude(reduced, j)
        if reduced.weights[j] > 0.0 and noise[j] > 0.0 and np.isfinite(noise[j]):
            # Of dependent equations, fewer count.
            share = reduced.independent[j] / max(1.0, reduced.counts[j])
            rows.append(np.sqrt(share) / max(noise[j], least) * factor)
    return triangle(np.concatenate(rows))


def _magnitude(reduced: ReducedEquations, equation: int) -> float:
    """Root mean square of the torque of an equation: measured, or what is described."""
    factor = reduced.triangles[equation]
    layout = reduced.layout
    described = np.where(layout.is_known, 0.0, layout.nominal())
    if 'gain' in layout.terms:
        described[layout.columns('gain')] = 0.0
    torques = [np.linalg.norm(factor[:, -1]), np.linalg.norm(factor[:, :-1] @ described)]
    return float(max(torques) / np.sqrt(max(reduced.weights[equation], 1.0)))
