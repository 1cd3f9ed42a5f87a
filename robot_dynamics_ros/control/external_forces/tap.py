"""What may learn from the estimates of external torques while they come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from robot_dynamics_ros.core.checks import Array


class Tap(Protocol):
    """Such as `ResidualPeaks` and `ResidualAverage`."""

    def step(self, r: Array, v: Array, time: float) -> None:
        """Take an estimate (k,), velocities (k,) and their time [s]."""

    def reset(self) -> None:
        """Begin anew, after a discontinuity."""


class Collection:
    """A tap, and whether all that it gets is of one model and one source of torques.

    Attributes:
        tap: gets each estimate; None for nothing.
        changed: what has changed since it began, as a noun; empty for nothing.
    """

    def __init__(self) -> None:
        """Without a tap."""
        self.tap: Tap | None = None
        self.changed = ''
        self._settings: dict[str, Array] = {}

    def begin(self, tap: Tap, settings: Mapping[str, Array]) -> None:
        """Give estimates to a tap from now on, in place of another one.

        Args:
            tap: to give them to.
            settings: on which they depend, by name.
        """
        self.tap, self.changed = tap, ''
        self._settings = {name: value.copy() for name, value in settings.items()}

    def reset(self) -> None:
        """Begin anew, after a discontinuity."""
        if self.tap is not None:
            self.tap.reset()

    def compare(self, settings: Mapping[str, Array]) -> None:
        """Look which settings are others than at the begin; as for `begin`."""
        for name, before in self._settings.items():
            if not np.array_equal(before, settings[name]):
                self.doubt(name)

    def doubt(self, changed: str) -> None:
        """Say that estimates from now on are of another kind; the first reason stays.

        Args:
            changed: what has changed, as a noun.
        """
        self.changed = self.changed or changed
