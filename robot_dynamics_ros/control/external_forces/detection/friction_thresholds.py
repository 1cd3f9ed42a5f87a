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
    takes zero there. In motion it is that of the model but for a share e, |e| <= E. So the
    residual is r = d(t) F_s + e(t) F_v v with |d| <= 1 + E, at every motion: also at stops and
    where joints turn back, however rarely a recording has these. The slow band, a low pass, has
    the same bound with the low-passed speed. The fast band is r less the slow one, and has twice
    that. The lag of the observer is left out: a joint that brakes has had a larger speed.

    Source: the friction of `core.model.friction.JointFriction`, and the bands of `ResidualBands`.

    Args:
        bounds: rows F_s [N m or N] and F_v [N m s/rad or N s/m], (2, n); see
            `JointFriction.bounds`.
    """
    coulomb, viscous = bounds
    push = np.stack([(1.0 + VARIATION) * coulomb, VARIATION * viscous, np.zeros_like(coulomb)])
    return np.stack([2.0 * push, push])
