"""Efforts that no drive has: they count as not measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.control.external_forces.detection.threshold_floor import UNKNOWN_LIMIT
from robot_dynamics_ros.control.torque_text import torque_text
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.model.findings import counted

from .joint_samples import JointSamples

# Times the effort limit that no number of a drive reaches, in whatever unit: one in mN m reaches
# a thousand times its limit.
IMPLAUSIBLE = 1e4


@dataclass(frozen=True)
class ImplausibleEfforts:
    """Those of one joint.

    Attributes:
        count: how many.
        largest: the largest absolute one [N m or N].
        bound: absolute effort beyond which they are implausible [N m or N].
        unit: 'N m' or 'N'.
    """

    count: int
    largest: float
    bound: float
    unit: str

    def joined(self, other: ImplausibleEfforts) -> ImplausibleEfforts:
        """These and others of the same joint."""
        largest = max(self.largest, other.largest)
        return replace(self, count=self.count + other.count, largest=largest)

    def sentence(self, joint: str) -> str:
        """What is said of them."""
        return (
            f'{counted(self.count, "effort")} of {joint} above '
            f'{torque_text(self.bound, self.unit)}, up to {torque_text(self.largest, self.unit)}: '
            'taken as not measured, because no drive has that'
        )


class EffortBounds:
    """What the efforts of a recording cannot exceed."""

    def __init__(self, model: RobotModel, joints: Sequence[str]) -> None:
        """Of the joints of a recording; those that a robot has not are unbounded.

        Args:
            model: of the robot.
            joints: names, in the order of the columns.
        """
        limits = model.effort_limits
        known = (limits > 0.0) & np.isfinite(limits)
        bounds = (IMPLAUSIBLE * np.where(known, limits, UNKNOWN_LIMIT)).tolist()
        rows = zip(model.joint_names, bounds, model.effort_units, strict=True)
        by_name = {name: (bound, unit) for name, bound, unit in rows}
        self._joints = [(name, *by_name.get(name, (np.inf, ''))) for name in joints]
        self._bounds = np.array([bound for _, bound, _ in self._joints])

    def applied(
        self, samples: JointSamples
    ) -> tuple[JointSamples, Mapping[str, ImplausibleEfforts]]:
        """The samples with NaN for each implausible effort, and these by joint."""
        sizes = np.abs(samples.efforts)
        beyond = sizes > self._bounds
        if not beyond.any():
            return samples, {}
        found = {
            name: ImplausibleEfforts(int(which.sum()), float(column[which].max()), bound, unit)
            for (name, bound, unit), which, column in zip(
                self._joints, beyond.T, sizes.T, strict=True
            )
            if which.any()
        }
        return replace(samples, efforts=np.where(beyond, np.nan, samples.efforts)), found
