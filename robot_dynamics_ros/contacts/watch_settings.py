"""How a recorded robot is watched: friction, observer and thresholds, by joint name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel

ByJoint = Mapping[str, float]
# Of the observer [Hz], as of dynamics_node by default.
BANDWIDTH = 20.0


@dataclass(frozen=True)
class WatchSettings:
    """Values of parameters of dynamics_node; joints that are not named have those of the URDF.

    Attributes:
        joint_model: friction, offsets and rotors.
        gravity: acceleration of free fall in the base frame [m/s^2]; None for the standard one.
        bandwidth: of the observer [Hz].
        usual_bandwidth: of joints that are not named there [Hz].
        thresholds: (2, 3) of each joint by name, see `ContactThresholds`; empty where none are
            given.
        driver_gravity_check: whether efforts without gravity, or in another unit, are recognised.
        joints: that dynamics_node commands, in the order of its lists; empty where it is not said.
    """

    joint_model: JointModel = AS_DESCRIBED
    gravity: tuple[float, ...] | None = None
    bandwidth: ByJoint = field(default_factory=dict)
    usual_bandwidth: float = BANDWIDTH
    thresholds: Mapping[str, Array] = field(default_factory=dict)
    driver_gravity_check: bool = True
    joints: tuple[str, ...] = ()

    @property
    def joints_with_thresholds(self) -> set[str]:
        """Names of joints that have thresholds; empty where none are given."""
        return set(self.thresholds)
