"""The samples of one joint, as plots need them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robot_dynamics_ros.comparison import Comparison, JointComparison, Samples

from .panel import Array


@dataclass(frozen=True)
class JointColumns:
    """The samples of one joint, and its figures.

    Attributes:
        figures: of the joint.
        samples: of all joints.
        column: of the joint.
        times: (K,) [s]; recordings lie one after another.
    """

    figures: JointComparison
    samples: Samples
    column: int
    times: Array

    def of(self, name: str) -> Array:
        """(K,) one quantity of `Samples`, such as 'gravity'."""
        values: Array = getattr(self.samples, name)[:, self.column]
        return values

    @cached_property
    def residual(self) -> Array:
        """(K,) measured effort minus torque of the model [N m or N]."""
        return self.of('residual')

    @property
    def unit(self) -> str:
        """Of the effort."""
        return self.figures.unit

    @property
    def position_unit(self) -> str:
        """Of the position."""
        return 'm' if self.unit == 'N' else 'rad'

    @property
    def effort(self) -> str:
        """What the effort is called."""
        return 'force' if self.unit == 'N' else 'torque'

    def interrupted(self, values: Array) -> Array:
        """The values with a NaN before each sample that follows a gap."""
        return np.insert(values, self._gaps, np.nan)

    @property
    def _gaps(self) -> np.ndarray:
        rows = np.flatnonzero(self.samples.begins)
        return rows[rows > 0]


def joint_columns(comparison: Comparison) -> dict[str, JointColumns]:
    """The samples of each joint, by its name."""
    samples = comparison.samples
    times = consecutive_times(samples)
    return {
        name: JointColumns(figures, samples, samples.joints.index(name), times)
        for name, figures in comparison.joints.items()
        if name in samples.joints
    }


def consecutive_times(samples: Samples) -> Array:
    """(K,) times of all recordings, one after another [s]."""
    times = np.array(samples.times, dtype=np.float64)
    end = 0.0
    for recording in np.unique(samples.recording):
        rows = samples.recording == recording
        if len(np.unique(samples.recording)) > 1:
            times[rows] += end - times[rows].min()
        end = times[rows].max()
    return times
