"""The lowest threshold that means something for a joint, whatever was recorded."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Share of the effort limit that no external torque is more exact than [-].
ACCURACY = 0.01
# Stands for the limit of a joint without any [N m or N].
UNKNOWN_LIMIT = 10.0


def threshold_floor(limits: Array) -> Array:
    """The least constant part (n,) of the thresholds of both bands [N m or N].

    A recording shows the errors of its own poses and loads alone: at rest, the residual of an arm
    without noise is constant, or zero. Elsewhere the error is `ACCURACY` times the effort limit
    for each of these: efforts in steps of 2 % of the limit; masses of the model that are wrong by
    2 % where gravity takes half of the limit; efforts that err by 1 % of their range.

    Args:
        limits: (n,) effort limits of the description [N m or N]; infinite for none.
    """
    floor: Array = ACCURACY * np.where(np.isfinite(limits), limits, UNKNOWN_LIMIT)
    return floor
