"""All equations as one triangle, in units of their noise."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..estimation import Estimate
from ..estimation.instruments import gain_places, with_instruments
from ..observability.whitened import usual_torques
from ..regression.reduced_equations import ReducedEquations, triangle


def weighted_rows(reduced: ReducedEquations, estimate: Estimate, least: float) -> Array:
    """The triangle (p + 1, p + 1) of [Y | tau] over all joints, in deviations of the noise.

    Args:
        reduced: equations of all data; zero columns for known parameters.
        estimate: without constraints. Equations whose noise is zero or not finite are not used;
            the efforts beside unknown gains are those that it predicts, see
            `estimation.instruments`.
        least: the least noise, of the torque of the equation.
    """
    size, noise = reduced.layout.size, estimate.noise
    places = gain_places(reduced.layout, reduced.equations, range(size))
    clean = with_instruments(reduced.triangles, estimate.parameters, places)
    rows = [np.zeros((1, size + 1))]
    floors = least * usual_torques(reduced)
    for j, factor in enumerate(clean):
        if reduced.weights[j] > 0.0 and noise[j] > 0.0 and np.isfinite(noise[j]):
            rows.append(np.sqrt(reduced.independence[j]) / max(noise[j], floors[j]) * factor)
    return triangle(np.concatenate(rows))
