"""Efforts that are too large to be meant: they count as not measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robot_dynamics_ros.control.settings import UNKNOWN_LIMIT
from robot_dynamics_ros.control.torque_text import torque_text
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.core.model.findings import counted

from .joint_samples import JointSamples

# Times the effort limit that no number of a drive reaches, in whatever unit: one in mN m reaches
# a thousand times its limit.
IMPLAUSIBLE = 1e4
NO_DRIVE = 'because no drive has that'


@dataclass(frozen=True)
class ImplausibleEfforts:
    """Those of one joint.

    Attributes:
        count: how many.
        largest: the largest absolute one [N m or N].
        bound: absolute effort beyond which they are implausible [N m or N].
        unit: 'N m' or 'N'.
        why: why they are, as a clause.
    """

    count: int
    largest: float
    bound: float
    unit: str
    why: str

    def joined(self, other: ImplausibleEfforts) -> ImplausibleEfforts:
        """These and others of the same joint."""
        largest = max(self.largest, other.largest)
        return replace(self, count=self.count + other.count, largest=largest)

    def sentence(self, joint: str) -> str:
        """What is said of them."""
        return (
            f'{counted(self.count, "effort")} of {joint} above '
            f'{torque_text(self.bound, self.unit)}, up to {torque_text(self.largest, self.unit)}: '
            f'taken as not measured, {self.why}'
        )


class EffortBounds:
    """What the efforts of a recording cannot exceed."""

    def __init__(
        self,
        model: RobotModel,
        joints: Sequence[str],
        largest: float = IMPLAUSIBLE,
        why: str = NO_DRIVE,
    ) -> None:
        """Of the joints of a recording; those that a robot has not are unbounded.

        Args:
            model: of the robot.
            joints: names, in the order of the columns.
            largest: times the effort limit of a joint; without a limit, its bound is
                `IMPLAUSIBLE` times `UNKNOWN_LIMIT`.
            why: why efforts beyond that are implausible, as a clause.
        """
        rows = zip(model.joint_names, model.effort_bounds, model.effort_units, strict=True)
        by_name = {
            name: (largest * limit, unit, why)
            if np.isfinite(limit)
            else (IMPLAUSIBLE * UNKNOWN_LIMIT, unit, NO_DRIVE)
            for name, limit, unit in rows
        }
        self._joints = [(name, *by_name.get(name, (np.inf, '', ''))) for name in joints]
        self._bounds = np.array([bound for _, bound, _, _ in self._joints])

    def applied(
        self, samples: JointSamples
    ) -> tuple[JointSamples, Mapping[str, ImplausibleEfforts]]:
        """The samples with NaN for each implausible effort, and these by joint."""
        sizes = np.abs(samples.efforts)
        beyond = sizes > self._bounds
        if not beyond.any():
            return samples, {}
        found = {
            name: ImplausibleEfforts(
                int(which.sum()), float(column[which].max()), bound, unit, why
            )
            for (name, bound, unit, why), which, column in zip(
                self._joints, beyond.T, sizes.T, strict=True
            )
            if which.any()
        }
        return replace(samples, efforts=np.where(beyond, np.nan, samples.efforts)), found
