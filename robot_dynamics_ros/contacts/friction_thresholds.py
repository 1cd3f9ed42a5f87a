"""Thresholds that friction alone does not exceed."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Largest deviation of the friction from the model, as a share of it [-]: five standard deviations
# of a friction that varies by 5 %.
VARIATION = 0.25


def friction_thresholds(bounds: Array) -> Array:
    """Coefficients (2, 3, n) of thresholds that friction within `VARIATION` does not exceed.

    The friction of a joint at rest has any value up to its Coulomb friction F_s, and the model
    takes zero there: the residual is up to (1 + E) F_s, E being the variation. In motion the
    friction is that of the model but for a share of at most E: the residual is up to
    E (F_s + F_v |v|). So it is in every motion: also where joints stop, creep and turn back,
    however rarely a recording has that. The slow band, a low pass, has the same bound with the
    low-passed speed. The fast band is how much the residual has changed of late: at most the sum
    of both bounds, where a joint starts or stops. It can be more where rest, motion and rest again
    follow each other faster than the low pass; and the lag of the observer is left out.

    Source: the friction of `core.model.friction.JointFriction`, and the bands of `ResidualBands`.

    Args:
        bounds: rows F_s [N m or N] and F_v [N m s/rad or N s/m], (2, n); see
            `JointFriction.bounds`.
    """
    coulomb, viscous = bounds
    none = np.zeros_like(coulomb)
    push = np.stack([(1.0 + VARIATION) * coulomb, VARIATION * viscous, none])
    moving = VARIATION * np.stack([coulomb, viscous, none])
    return np.stack([push + moving, push])
