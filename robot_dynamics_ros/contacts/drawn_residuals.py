"""Residuals and thresholds of a recording, reduced to what a plot can show."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.control.external.thresholds import NEVER
from robot_dynamics_ros.core.checks import Array

from .marked_contacts import DetectedPart

# Stretches of a recording: the pixels of a wide screen.
STRETCHES = 1500


@dataclass(frozen=True)
class DrawnResiduals:
    """The extremes of stretches of states, S of them; plain data.

    Attributes:
        times: (S,) of the first state of each [s].
        begins: (S,) whether the observer begins there.
        least: (S, 2, k) of collision and push [N m or N].
        largest: (S, 2, k) likewise.
        limits: (S, 2, k) the lowest thresholds [N m or N]; NaN where nothing is detected.
    """

    times: Array
    begins: Array
    least: Array
    largest: Array
    limits: Array

    @classmethod
    def of(cls, parts: Iterable[DetectedPart], states: int) -> DrawnResiduals:
        """Those of a recording.

        Args:
            parts: of it, one at least.
            states: how many there are, about.
        """
        length = max(1, -(-states // STRETCHES))
        reduced: list[tuple[Array, ...]] = []
        for each in parts:
            starts = np.arange(0, len(each.part), length)
            begins = np.zeros(len(starts), bool)
            begins[:1] = each.part.begins
            reduced.append(
                (
                    each.part.times[starts],
                    begins,
                    np.minimum.reduceat(each.values, starts),
                    np.maximum.reduceat(each.values, starts),
                    _shown(np.minimum.reduceat(each.limits, starts)),
                )
            )
        return cls(*(np.concatenate(column) for column in zip(*reduced, strict=True)))

    @property
    def mean_limits(self) -> Array:
        """Thresholds of collision and push (2, k), on average [N m or N]; 0 for none."""
        known = np.isfinite(self.limits)
        sums: Array = np.where(known, self.limits, 0.0).sum(axis=0)
        return sums / np.maximum(1, known.sum(axis=0))


def _shown(limits: Array) -> Array:
    """The thresholds, without those of a band in which nothing is detected."""
    return np.where(limits < NEVER, limits, np.nan)
