"""What the limits of the joints say of positions: how far one moves, and which are far outside."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.robot import RobotModel

# A joint this far outside its position limits is reported [rad or m]: a wrong offset or a soft
# limit gives less, degrees sent as radians give more.
LIMIT_MARGIN = 0.5
# So many joints far outside their limits cannot be a wrong limit in the description.
SEVERAL = 2


def joint_reach(model: RobotModel, time: float, share: float) -> Array:
    """How far each independent joint moves in a time at its velocity limit, (n,) [rad or m].

    At most a share of its range; that of a joint without ends is a turn, or a metre.

    Args:
        model: of the robot.
        time: [s].
        share: of the range [-].
    """
    ranges = [
        joint.limits.upper - joint.limits.lower
        if joint.kind != 'continuous' and joint.limits.lower < joint.limits.upper
        else 1.0
        if joint.kind == 'prismatic'
        else 2.0 * math.pi
        for joint in model.independent_joints
    ]
    return np.minimum(time * model.velocity_bounds, share * np.array(ranges))


class PositionLimits:
    """Finds the joints of a robot that are far outside their position limits.

    Continuous joints, and joints whose lower limit is not below the upper one, have none.
    """

    def __init__(self, model: RobotModel) -> None:
        """Take the limits of the independent joints of a model."""
        self._names = model.joint_names
        limits = [
            (joint.limits.lower, joint.limits.upper)
            if joint.kind != 'continuous' and joint.limits.lower < joint.limits.upper
            else (-math.inf, math.inf)
            for joint in model.independent_joints
        ]
        self._lower, self._upper = np.array(limits).reshape(-1, 2).T

    def beyond(self, q: Array) -> Array:
        """(n,) which positions (n,) [rad or m] are far outside; NaN is not.

        Args:
            q: (n,) positions [rad or m]; NaN where they are not known.
        """
        outside = (q < self._lower - LIMIT_MARGIN) | (q > self._upper + LIMIT_MARGIN)
        return np.asarray(outside)

    def phrase(self, q: Array) -> str:
        """For a message: these joints, their positions and limits; empty if there are none.

        Args:
            q: (n,) positions [rad or m]; NaN where they are not known.
        """
        return ', '.join(
            f'{self._names[index]} is at {q[index]:.4g}, allowed are {self._lower[index]:.4g} to '
            f'{self._upper[index]:.4g}'
            for index in np.flatnonzero(self.beyond(q))
        )

    def question(self, q: Array) -> str:
        """What to ask where several joints are far outside; empty where fewer are.

        Args:
            q: (n,) positions [rad or m]; NaN where they are not known.
        """
        if np.count_nonzero(self.beyond(q)) < SEVERAL:
            return ''
        return f'{self.phrase(q)}: is the unit rad (or m), not degrees (or mm)?'
