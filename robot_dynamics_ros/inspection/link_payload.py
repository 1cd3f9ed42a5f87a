"""The largest mass that the joints can hold at a link, over sampled poses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.task import largest_mass, weight_torque, without_rounding

from .sampled_poses import SampledPoses


@dataclass(frozen=True)
class PayloadMargin:
    """The largest point mass at the origin of a link that the joints hold at rest.

    Infinite where no joint with an effort limit lifts it, negative where the joints cannot hold
    the robot itself; see `RobotDynamics.payload_margin`.

    Attributes:
        frame: name of the link.
        at_zero: with all joints at zero [kg].
        least: at the worst of the sampled poses [kg].
        least_at: (n,) that pose [rad or m].
        median: over the sampled poses [kg].
        holding: share of the poses at which the joints hold the robot itself [-].
    """

    frame: str
    at_zero: float
    least: float
    least_at: Array
    median: float
    holding: float


def payload_margin(poses: SampledPoses, frame: str) -> PayloadMargin:
    """The margin of a link over the poses, the first of which is zero.

    Raises:
        UnknownNameError: no link has that name.
    """
    model, gravity = poses.model, np.array(STANDARD_GRAVITY)
    lifted = weight_torque(without_rounding(poses.jacobian(frame), model.reach), gravity)
    margins = largest_mass(poses.gravity_torque, lifted, model.effort_bounds)
    least = int(margins.argmin())
    # The mean of two infinities of different signs is no number: take one of the values.
    median = float(np.sort(margins)[len(margins) // 2])
    return PayloadMargin(
        frame,
        float(margins[0]),
        float(margins[least]),
        poses.q[least],
        median,
        float((margins >= 0.0).mean()),
    )
