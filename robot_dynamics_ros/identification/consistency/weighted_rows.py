"""All equations as one triangle, in units of their noise."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..observability.whitened import usual_torques
from ..regression.reduced_equations import ReducedEquations, triangle


def weighted_rows(reduced: ReducedEquations, noise: Array, least: float) -> Array:
    """The triangle (p + 1, p + 1) of [Y | tau] over all joints, in deviations of the noise.

    Args:
        reduced: equations of all data; zero columns for known parameters.
        noise: (r,) standard deviation of each equation; zero or not finite where it is not known:
            that equation is not used.
        least: the least noise, of the torque of the equation.
    """
    size = reduced.layout.size
    rows = [np.zeros((1, size + 1))]
    floors = least * usual_torques(reduced)
    for j, factor in enumerate(reduced.triangles):
        if reduced.weights[j] > 0.0 and noise[j] > 0.0 and np.isfinite(noise[j]):
            rows.append(np.sqrt(reduced.independence[j]) / max(noise[j], floors[j]) * factor)
    return triangle(np.concatenate(rows))
