"""Between which values the efforts of a recording are."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.recordings import Recording


def effort_range(recording: Recording) -> Array:
    """The smallest and the largest measured effort (2, n) of each joint; NaN without one."""
    result: Array = np.full((2, len(recording.joints)), np.nan)
    for samples in recording.chunks():
        measured = np.where(np.isfinite(samples.efforts), samples.efforts, np.nan)
        for side, further in enumerate((np.fmin, np.fmax)):
            result[side] = further(result[side], further.reduce(measured, axis=0))
    return result
