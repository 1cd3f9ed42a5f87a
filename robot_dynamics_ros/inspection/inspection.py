"""Everything that `robot_dynamics inspect` says of a robot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.model.findings import Finding
from robot_dynamics_ros.core.model.robot import RobotModel

from .gravity_load import GravityLoad, gravity_loads
from .link_payload import PayloadMargin, payload_margin
from .sampled_poses import SampledPoses
from .validation import findings_of, total_mass


@dataclass(frozen=True)
class Inspection:
    """Facts about a robot.

    Attributes:
        model: the robot.
        mass: of all links [kg].
        poses: number of poses over which the worst was looked for.
        loads: gravity torque of each joint, in the order of q.
        margin: of a link; None if none was asked for.
        findings: those of severity error first.
    """

    model: RobotModel
    mass: float
    poses: int
    loads: tuple[GravityLoad, ...]
    margin: PayloadMargin | None
    findings: tuple[Finding, ...]

    @property
    def moving_mass(self) -> float:
        """Of all that is not fixed to the base [kg]."""
        return float(sum(joint.inertia.mass for joint in self.model.joints))


def inspect_robot(model: RobotModel, frame: str | None = None) -> Inspection:
    """Look at a robot.

    Args:
        model: the robot.
        frame: link whose payload margin to give; None for none.

    Raises:
        UnknownNameError: no link has that name.
    """
    # What overflows shows as a value that is not finite.
    with np.errstate(all='ignore'):
        poses = SampledPoses.of(model)
        return Inspection(
            model,
            total_mass(model),
            len(poses.q),
            gravity_loads(poses),
            None if frame is None else payload_margin(poses, frame),
            findings_of(poses),
        )
