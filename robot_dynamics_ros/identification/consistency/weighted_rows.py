"""All equations as one triangle, in units of their noise."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..estimation import Estimate
from ..estimation.instruments import gain_places, with_instruments
from ..regression.reduced_equations import ReducedEquations, triangle


def weighted_rows(reduced: ReducedEquations, estimate: Estimate, least: float) -> Array:
    """The triangle (p + 1, p + 1) of [Y | tau] over all joints, in deviations of the noise.

    Args:
        reduced: equations of all data; zero columns for known parameters.
        estimate: without constraints. Equations whose noise is zero or not finite are not used; the
            efforts beside unknown gains are those that it predicts, see `estimation.instruments`.
        least: the least noise, of the torque of the equation.
    """
    size, noise = reduced.layout.size, estimate.noise
    places = gain_places(reduced.layout, reduced.equations, range(size))
    clean = with_instruments(reduced.triangles, estimate.parameters, places)
    rows = [np.zeros((1, size + 1))]
    for j, factor in enumerate(clean):
        if reduced.weights[j] > 0.0 and noise[j] > 0.0 and np.isfinite(noise[j]):
            # Of dependent equations, fewer count.
            share = reduced.independent[j] / max(1.0, reduced.counts[j])
            rows.append(np.sqrt(share) / max(noise[j], least * _magnitude(reduced, j)) * factor)
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
