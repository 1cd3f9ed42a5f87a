"""How a recorded robot is watched: friction, observer and thresholds, by joint name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from robot_dynamics_ros.control.external_forces.detection.residual_bands import CUTOFF
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.joint_model import AS_DESCRIBED, JointModel

ByJoint = Mapping[str, float]
CONSTANTS = ('collision_threshold', 'push_threshold')
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
        cutoff: between the bands [Hz].
        thresholds: by name of the parameter, such as `collision_threshold`, and joint name; empty
            where none are given. Without its constant, a band of a joint detects nothing.
        driver_gravity_check: whether efforts without gravity, or in another unit, are recognised.
        joints: that dynamics_node commands, in the order of its lists; empty where it is not said.
    """

    joint_model: JointModel = AS_DESCRIBED
    gravity: tuple[float, ...] | None = None
    bandwidth: ByJoint = field(default_factory=dict)
    usual_bandwidth: float = BANDWIDTH
    cutoff: float = CUTOFF
    thresholds: Mapping[str, ByJoint] = field(default_factory=dict)
    driver_gravity_check: bool = True
    joints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the thresholds.

        Raises:
            ParameterError: a part of a threshold lacks the constant of its joint.
        """
        for name, values in self.thresholds.items():
            for constant in filter(name.startswith, CONSTANTS):
                known = self.thresholds.get(constant, {})
                if lacking := [joint for joint in values if joint not in known]:
                    raise ParameterError(
                        f'{constant} has no value for {", ".join(lacking)}, {name} has: give '
                        'both, or learn them with robot_dynamics thresholds'
                    )

    @property
    def joints_with_thresholds(self) -> set[str]:
        """Names of joints that have a part of a threshold; empty where none are given."""
        return {name for values in self.thresholds.values() for name in values}
