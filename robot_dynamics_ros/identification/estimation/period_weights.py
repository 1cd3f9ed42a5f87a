"""Weights of equations that leave periods of recordings out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array

from ..regression.equations import EquationBlock
from .disturbances import Period
from .huber import HuberWeights
from .outlying_windows import outlying_windows
from .window_sums import WindowSums


@dataclass(frozen=True)
class PeriodWeights:
    """Weights of others, and zero in some periods; plain data, for any process.

    Attributes:
        periods: that are left out.
        others: weights outside; None for equal ones.
    """

    periods: tuple[Period, ...]
    others: HuberWeights | None = None

    def __call__(self, block: EquationBlock) -> Array:
        """The weights (m, r) of a block."""
        weights = np.ones(block.used.shape) if self.others is None else self.others(block)
        for period in self.periods:
            if period.recording == block.recording:
                inside = (block.times >= period.begin) & (block.times <= period.end)
                weights[inside] = 0.0
        return weights


def outlying_periods(sums: WindowSums) -> tuple[Period, ...]:
    """The periods in which something else than the robot made the efforts, in their order.

    Args:
        sums: of windows of all recordings.
    """
    periods: list[Period] = []
    before = -2
    for index in np.flatnonzero(outlying_windows(sums)).tolist():
        name, begin, end = sums.recordings[index], sums.begins[index], sums.ends[index]
        if index == before + 1 and periods[-1].recording == name:
            begin = periods.pop().begin
        periods.append(Period(name, float(begin), float(end)))
        before = index
    return tuple(periods)
