"""Hands joint states from the thread that answers them to the one that estimates."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array

# States that are kept at most: a second at 4 kHz.
CAPACITY = 4096


class StateBuffer:
    """Keeps accepted joint states until they are taken out; a state costs a copy.

    Both sides must hold the same lock.

    Attributes:
        lost: states for which there was no room.
        repeated: states whose stamp was that of the state before.
    """

    def __init__(self, size: int) -> None:
        """For robots with so many independent joints."""
        self._rows = np.empty((CAPACITY, 1 + 3 * size))
        self._positions, self._velocities, self._efforts = (
            slice(1 + k * size, 1 + (k + 1) * size) for k in range(3)
        )
        self._size = size
        self._count = 0
        self._stamp = math.nan
        self.lost = self.repeated = 0

    def put(self, stamp: float, q: Array, v: Array, effort: Array | None) -> None:
        """Keep a state; one of a robot with another number of joints is dropped.

        Args:
            stamp: [s].
            q: (n,) positions [rad or m].
            v: (n,) velocities [rad/s or m/s].
            effort: (n,) [N m or N], NaN where not measured; None: none was.
        """
        if stamp == self._stamp:
            self.repeated += 1
            return
        if len(q) != self._size:
            # The node has another robot meanwhile: the estimate says so.
            return
        self._stamp = stamp
        if self._count == CAPACITY:
            self.lost += 1
            return
        row = self._rows[self._count]
        row[0] = stamp
        row[self._positions] = q
        row[self._velocities] = v
        row[self._efforts] = math.nan if effort is None else effort
        self._count += 1

    def take_out(self) -> Array:
        """The states since the last call, (N, 1 + 3 n) rows of stamp, q, v and effort."""
        states = self._rows[: self._count].copy()
        self._count = 0
        return states
