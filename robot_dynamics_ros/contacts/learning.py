"""How thresholds are learned from the largest residuals."""

from __future__ import annotations

from dataclasses import dataclass

from robot_dynamics_ros.control.external.thresholds import ContactThresholds
from robot_dynamics_ros.core.checks import Array

from .kept_peaks import KeptPeaks
from .threshold_learning import learned_thresholds


@dataclass(frozen=True)
class Learning:
    """What is wanted of thresholds; plain data.

    Attributes:
        false_alarms_per_hour: in motion like the recorded one, of both bands and all joints
            together.
        margin: factor of what was learned, for motion unlike that [-].
    """

    false_alarms_per_hour: float = 0.1
    margin: float = 1.0

    def thresholds(self, peaks: KeptPeaks, friction: Array, floor: Array) -> ContactThresholds:
        """Thresholds of a robot, see `learned_thresholds`.

        Args:
            peaks: without a contact.
            friction: (2, k) of the joints, see `JointFriction.bounds`.
            floor: (k,) see `threshold_floor` [N m or N].

        Raises:
            StateError: there is too little time, or a residual is not finite.
        """
        return learned_thresholds(
            peaks,
            self.false_alarms_per_hour,
            friction=friction,
            floor=floor,
            margin=self.margin,
        )
