"""When joints move, and when they rest.

A joint that is slower than its dead band for longer than a reversal lasts rests: its friction is
then anything up to Coulomb's, which no model can know.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.friction import SLIDING_BAND, TURNING_BAND

Flags = npt.NDArray[np.bool_]

# A joint that is slow for less time turns [s].
REST = 0.5
# Over which the speed of raw positions is averaged, against the noise of encoders [s].
AVERAGED = 0.1
# Stamps that are nearer to each other are the same [s].
SHORTEST = 1e-9


def dead_bands(model: RobotModel) -> Array:
    """Speeds (n,) below which the independent joints may stick [rad/s or m/s]."""
    kinds = [joint.kind for joint in model.independent_joints]
    return np.where(np.equal(kinds, 'prismatic'), SLIDING_BAND, TURNING_BAND)


def at_rest(slow: Flags, interval: float) -> Flags:
    """Which samples (N, n) are parts of a rest.

    Args:
        slow: (N, n) which samples are slower than the dead band; consecutive in time.
        interval: between two samples [s].
    """
    least = max(1.0, REST / interval)
    resting = np.zeros_like(slow)
    for column, flags in enumerate(slow.T):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
        for start, stop in edges.reshape(-1, 2).tolist():
            resting[start:stop, column] = stop - start >= least
    return resting


class RawSpeeds:
    """Speeds of raw positions, as chunks of a recording come.

    The speed at a sample is that of the straight line from the first sample of the last
    `AVERAGED` seconds. It does not depend on how a recording is divided into chunks.
    """

    def __init__(self) -> None:
        """Have seen no sample."""
        self._times: Array = np.empty(0)
        self._positions: Array | None = None

    def of(self, times: Array, positions: Array) -> Array:
        """Speeds (N, n) of samples that follow those before; 0 at the first one [rad/s or m/s].

        Args:
            times: (N,) [s].
            positions: (N, n), NaN where not known [rad or m].
        """
        new = len(times)
        if self._positions is not None:
            times = np.concatenate([self._times, times])
            positions = np.concatenate([self._positions, positions])
        # Stamps may go back where a clock was set.
        ordered = np.maximum.accumulate(times)
        begins = np.searchsorted(ordered, ordered - AVERAGED)
        steps = np.maximum(ordered - ordered[begins], SHORTEST)[:, None]
        speeds: Array = np.abs(positions - positions[begins]) / steps
        kept = int(np.searchsorted(ordered, ordered[-1] - AVERAGED))
        self._times, self._positions = ordered[kept:], positions[kept:]
        return speeds[len(times) - new :]
