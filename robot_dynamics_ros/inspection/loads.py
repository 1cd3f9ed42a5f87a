"""What the joints of a robot hold at rest, over poses drawn within its limits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from robot_dynamics_ros.core.algorithms import kinematics, rnea
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.core.model.robot import RobotModel
from robot_dynamics_ros.core.model.sampling import random_positions
from robot_dynamics_ros.core.scalar import Scalar, cos, sin
from robot_dynamics_ros.core.task import ROUNDING, largest_mass, weight_torque, without_rounding

# An array of angles is a scalar too: one value for each pose.
sin.register(np.ndarray, np.sin)
cos.register(np.ndarray, np.cos)

POSES = 1000


@dataclass(frozen=True)
class SampledPoses:
    """Poses of a robot; the first one is zero, or next to it. Nothing is compiled."""

    model: RobotModel  #: the robot
    q: Array  #: (N, n) positions [rad or m]
    gravity: tuple[float, ...] = STANDARD_GRAVITY  #: in the frame of the root link [m/s^2]

    @classmethod
    def of(
        cls,
        model: RobotModel,
        count: int = POSES,
        gravity: tuple[float, ...] = STANDARD_GRAVITY,
    ) -> SampledPoses:
        """Zero, and that many poses within the position limits, the same each time.

        Where a joint cannot be at zero, its limit next to zero stands for it.
        """
        # Of limits that are reversed none is next.
        allowed = np.where(model.lower <= model.upper, [model.lower, model.upper], 0.0)
        zero = np.clip(0.0, *allowed)
        return cls(model, np.vstack([zero, random_positions(model, count)]), gravity)

    @cached_property
    def gravity_torque(self) -> Array:
        """g(q), shape (N, n) [N m or N]; equivalent to `gravity_torque` of each pose."""
        return self._stacked(rnea.gravity_torque(self.model, list(self.q.T.copy()), self.gravity))

    def never_held(self, limits: Array) -> int | None:
        """The joint that is beyond its limit (n,) at most poses, if no random pose is held."""
        beyond = np.abs(self.gravity_torque[1:]) > limits
        return int(beyond.sum(axis=0).argmax()) if beyond.any(axis=1).all() else None

    def jacobian(self, frame: str) -> Array:
        """J(q) of a link in the axes of the base, [linear; angular], shape (N, 6, n)."""
        columns, placed = list(self.q.T.copy()), self.model.frame(frame)
        rows = kinematics.jacobian(self.model, columns, placed, 'LOCAL_WORLD_ALIGNED')
        return np.stack([self._stacked(row) for row in rows], axis=1)

    def _stacked(self, entries: list[Scalar]) -> Array:
        """Entries (n) that each hold for all poses, or have one value for each: (N, n)."""
        columns = np.empty((len(entries), len(self.q)))
        for column, entry in zip(columns, entries, strict=True):
            column[:] = entry
        return columns.T


@dataclass(frozen=True)
class GravityLoad:
    """The gravity torque of one joint against its effort limit."""

    at_zero: float  #: at the first pose [N m or N]
    worst: float  #: the largest magnitude over the sampled poses, with its sign [N m or N]
    worst_at: Array  #: (n,) the pose of the worst one [rad or m]
    limit: float  #: of the effort, infinite where there is none that is positive [N m or N]
    beyond: float  #: share of the poses at which the torque exceeds the limit [-]

    @property
    def used(self) -> float:
        """The worst torque as a share of the limit [-]; NaN without a limit."""
        return abs(self.worst) / self.limit if self.limit < math.inf else math.nan


def gravity_loads(poses: SampledPoses) -> dict[str, GravityLoad]:
    """The load of each joint by its name, in the order of q."""
    torque, limits, found = poses.gravity_torque, poses.model.effort_bounds.tolist(), {}
    # Torques of joints that lift nothing are 0, and not 1e-15 N m.
    least = ROUNDING * np.abs(torque).max(initial=0.0)
    for joint, (name, limit) in enumerate(zip(poses.model.joint_names, limits, strict=True)):
        own = np.where(np.abs(torque[:, joint]) > least, torque[:, joint], 0.0)
        worst, beyond = int(np.abs(own).argmax()), float((np.abs(own) > limit).mean())
        found[name] = GravityLoad(float(own[0]), float(own[worst]), poses.q[worst], limit, beyond)
    return found


@dataclass(frozen=True)
class PayloadMargin:
    """The largest point mass at the origin of a link, see `RobotDynamics.payload_margin`."""

    frame: str  #: name of the link
    at_zero: float  #: at the first pose [kg]
    least: float  #: at the worst of the sampled poses [kg]
    least_at: Array  #: (n,) that pose [rad or m]
    median: float  #: over the sampled poses [kg]
    holding: float  #: share of the poses at which the joints hold the robot itself [-]


def payload_margin(poses: SampledPoses, frame: str) -> PayloadMargin:
    """The margin of a link; UnknownNameError: no link has that name."""
    model, gravity = poses.model, np.array(poses.gravity)
    lifted = weight_torque(without_rounding(poses.jacobian(frame), model.reach), gravity)
    margins = largest_mass(poses.gravity_torque, lifted, model.effort_bounds)
    least, holding = int(margins.argmin()), float((margins >= 0.0).mean())
    # The mean of two infinities of different signs is no number: take one of the values.
    median = float(np.sort(margins)[len(margins) // 2])
    at_zero, worst = float(margins[0]), float(margins[least])
    return PayloadMargin(frame, at_zero, worst, poses.q[least], median, holding)
