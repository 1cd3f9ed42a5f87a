"""By how much the efforts of a recording come later than its states.

To first order, efforts that come later by d are tau(t) - d tau'(t), so that d is one more unknown
of the equations, with tau' as its column. A delay looks like viscous friction and inertia, which
take nearly all of it, so all parameters are fitted anew with it: what their columns leave of tau'
shows the delay. The efforts are shifted by what is found, and the rest is found again (Gauss and
Newton), until the shift has the largest likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .equations import Equations
from .friction import fast_weights
from .identify import IdentifiedParameters
from .moving_samples import dead_bands

# Delays that can be given, and those that are looked for [s]: no driver delivers efforts later.
LARGEST, LATEST = 0.2, 0.1
# Less has no effect that matters [s].
SMALL = 2e-3
# Standard deviations of a delay that is certain.
DEVIATIONS = 5.0
# Steps of the search, and the change at which it ends [s].
STEPS, CHANGE = 20, 1e-5
# No driver delivers efforts more samples than this ahead of their states: such a shift makes good
# for something else that the model lacks.
EARLIEST = 2.0
# A joint is fast from so many dead bands on: 0.5 rad/s, 0.125 m/s. Friction that lags behind a
# reversal is another delay at slow speeds; fast motion shows a real one, at least this share of
# it, and not more than it by that.
FAST_BANDS, KEPT = 25.0, 0.8
# Share of the equations of a joint that must be fast, or its fast motion shows nothing.
LEAST_FAST = 0.5


@dataclass(frozen=True)
class EffortDelay:
    """A delay of efforts.

    Attributes:
        value: of the efforts behind the states; 0 where none is certain [s].
        is_fast: whether fast motion shows it, and not only slow motion, where friction that lags
            behind reversals is another one.
    """

    value: float
    is_fast: bool = True

    def is_credible(self, interval: float) -> bool:
        """Whether a driver has such a delay, and it is more than a law of friction.

        Args:
            interval: between two samples [s].
        """
        early = self.value >= -EARLIEST * interval
        return self.is_fast and early and interval < abs(self.value) < LATEST


def effort_delay(equations: Equations, found: IdentifiedParameters) -> EffortDelay:
    """The delay that is certain in all motion, and in fast motion too where there is any.

    Args:
        equations: of the recording.
        found: what they tell without a delay: what is left out, base parameters and gains.
    """
    weights = np.where(equations.used, equations.outside(found.left_out), 0.0)
    delay = _certain(equations, weights, found)
    if not delay:
        return EffortDelay(0.0)
    limits = FAST_BANDS * dead_bands(equations.layout.model)
    fast = fast_weights(equations, weights, limits)
    is_fast = fast.sum(axis=0) > LEAST_FAST * weights.sum(axis=0)
    if not is_fast.any():
        return EffortDelay(delay, is_fast=False)
    share = _certain(equations, np.where(is_fast, fast, 0.0), found) / delay
    return EffortDelay(delay if KEPT < share < 1.0 / KEPT else 0.0)


def _certain(equations: Equations, weights: Array, found: IdentifiedParameters) -> float:
    """The delay of the efforts behind the states, if it is certain; else 0 [s]."""
    fine, parameters = equations.fine, found.final.parameters
    # Those whose efforts are known with every shift.
    for end in (-LATEST, LATEST):
        weights = np.where(equations.shifted(end).used, weights, 0.0)
    counts = weights.sum(axis=0)
    if not counts.any():
        return 0.0
    layout = equations.layout
    gains = layout.columns('gain').tolist()
    columns = [column for column in found.base.columns if column not in gains]
    triangles = equations.reduced(weights).triangles[:, :, columns]
    known = equations.predicted(np.where(layout.is_known, layout.nominal(), 0.0))
    step = float(np.min(fine.interval))

    def torques(delay: float) -> Array:
        return replace(equations, efforts=fine.at(delay)[0]).measured(parameters)

    delay, noise = 0.0, np.zeros(0)
    for _ in range(STEPS):
        slopes = (torques(delay + step) - torques(delay - step)) / (2.0 * step)
        both = np.stack([torques(delay) - known, slopes], axis=2)
        # Of the efforts and their slopes: products with the columns, and with one another.
        mixed = equations.mixed_products(weights[:, :, None] * both)[:, columns]
        squares = np.einsum('Nj,Nja,Njb->jab', weights, both, both)
        if not noise.size:
            noise = squares[:, 0, 0] / np.maximum(counts, 1.0)
        shares = np.where(noise > 0.0, 1.0 / np.where(noise > 0.0, noise, 1.0), 0.0)
        rows = (np.sqrt(shares)[:, None, None] * triangles).reshape(-1, len(columns))
        values = np.linalg.pinv(rows.T @ rows, hermitian=True) @ np.tensordot(shares, mixed, 1)
        # What least squares with the columns leave.
        explained = np.swapaxes(mixed, 1, 2) @ values
        fitted = triangles @ values
        squares += np.swapaxes(fitted, 1, 2) @ fitted - explained - np.swapaxes(explained, 1, 2)
        slope, information = np.tensordot(shares, squares, 1)[1]
        if not information > 0.0:
            return 0.0
        change = -slope / information
        noise = squares[:, 0, 0] + 2.0 * change * squares[:, 0, 1] + change**2 * squares[:, 1, 1]
        noise = noise / np.maximum(counts, 1.0)
        delay = float(np.clip(delay + change, -LATEST, LATEST))
        if abs(change) < CHANGE:
            break
    deviation = np.sqrt(max(1.0, found.inflation) / (equations.independence.mean() * information))
    return delay if max(SMALL, DEVIATIONS * deviation) < abs(delay) < LATEST else 0.0
