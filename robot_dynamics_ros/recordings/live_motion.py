"""Filtered motion of joint states that are still coming."""

from __future__ import annotations

from collections import deque

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

from .joint_samples import JointSamples
from .low_pass import MOST_OF_RATE, half_length
from .motion import Motion, filtered
from .quality import Quality
from .segments import cut

# Time of the states that are kept until they are enough for the filter [s].
LONGEST = 20.0


class LiveMotion:
    """Keeps joint states as they come, and filters those that have come as a recording is.

    One thread may put states while another one takes motions.

    Attributes:
        received: number of states that were put.
        doubt: why the last states were no motion; empty where they were.
    """

    def __init__(self, joints: tuple[str, ...], cutoff: float) -> None:
        """For joints of these names; with this cutoff [Hz], or a quarter of the rate."""
        self._joints, self._cutoff = joints, cutoff
        self._coming: deque[Array] = deque()
        self._rows = np.empty((0, 1 + 3 * len(joints)))
        self.received, self.doubt = 0, ''

    def put(self, time: float, q: Array, v: Array, effort: Array | None) -> None:
        """Keep a copy of a state.

        Args:
            time: stamp [s].
            q: (n,) positions [rad or m].
            v: (n,) velocities, NaN where not measured [rad/s or m/s].
            effort: (n,) measured, NaN where not; None: none was [N m or N].
        """
        effort = np.full(len(q), np.nan) if effort is None else effort
        self._coming.append(np.concatenate(([time], q, v, effort)))
        self.received += 1

    def take(self) -> list[Motion]:
        """The motion that the states determine since the last call; empty for too few."""
        coming = [self._coming.popleft() for _ in range(len(self._coming))]
        # At once: a list of arrays would stop all other threads for some milliseconds.
        new = np.concatenate(coming or [np.empty(0)]).reshape(-1, self._rows.shape[1])
        rows = np.concatenate([self._rows, new])
        if (backward := np.flatnonzero(np.diff(rows[:, 0]) < 0.0)).size:
            # The clock was set back.
            rows = rows[backward[-1] + 1 :]
        self._rows = rows
        samples = JointSamples(self._joints, rows[:, 0], *np.hsplit(rows[:, 1:], 3))
        steps = np.diff(rows[:, 0])
        interval = float(np.median(steps[steps > 0.0])) if (steps > 0.0).any() else np.nan
        cutoff = float(np.fmin(self._cutoff, MOST_OF_RATE / interval))
        quality = Quality('header', interval)
        quality.count(samples)
        try:
            parts = cut([samples], quality)
            found = list(filtered(parts, quality, 'the joint states', cutoff=cutoff))
        except RecordingError as error:
            self.doubt = str(error)
            self._rows = rows[rows[:, 0] > rows[:, 0].max(initial=0.0) - LONGEST]
            return []
        self.doubt = ''
        # The next motion begins one interval after this one.
        lost = (half_length(cutoff, 1.0 / interval) - 0.5) * interval
        self._rows = rows[rows[:, 0] > found[-1].times[-1] - lost]
        return found
