"""The torque that holds a robot still, against the effort limits of its joints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.findings import Finding, Severity

from .sampled_poses import SampledPoses

# Share of the largest torque [-].
ROUNDING = 1e-12
# Share of the poses beyond which the arm cannot do its work; below, some poses are out of reach.
MOST = 0.5


@dataclass(frozen=True)
class GravityLoad:
    """The gravity torque of one joint.

    Attributes:
        joint: its name.
        at_zero: with all joints at zero [N m or N].
        worst: the largest magnitude over the sampled poses, with its sign [N m or N].
        worst_at: (n,) the pose of the worst one [rad or m].
        limit: of the effort, infinite where there is none that is positive [N m or N].
        beyond: share of the poses at which the torque exceeds the limit [-].
    """

    joint: str
    at_zero: float
    worst: float
    worst_at: Array
    limit: float
    beyond: float

    @property
    def used(self) -> float:
        """The worst torque as a share of the limit [-]; NaN without a limit."""
        return abs(self.worst) / self.limit if self.limit < math.inf else math.nan


def gravity_loads(poses: SampledPoses) -> tuple[GravityLoad, ...]:
    """The load of each joint, in the order of q.

    Args:
        poses: the first one is zero.
    """
    limits = poses.model.effort_bounds
    torque = _without_rounding(poses.gravity_torque)
    largest = np.abs(torque).argmax(axis=0)
    beyond = (np.abs(torque) > limits).mean(axis=0)
    return tuple(
        GravityLoad(
            joint=name,
            at_zero=float(torque[0, index]),
            worst=float(torque[largest[index], index]),
            worst_at=poses.q[largest[index]],
            limit=float(limits[index]),
            beyond=float(beyond[index]),
        )
        for index, name in enumerate(poses.model.joint_names)
    )


def overloads(poses: SampledPoses, loads: tuple[GravityLoad, ...]) -> Iterator[Finding]:
    """Findings about joints that cannot hold the robot."""
    model = poses.model
    for load in loads:
        if load.beyond == 0.0:
            continue
        body = [joint.name for joint in model.joints].index(load.joint)
        link = next(frame.name for frame in model.frames if frame.body == body)
        severity: Severity = 'warning' if load.beyond > MOST else 'info'
        unit = 'N' if model.joints[body].kind == 'prismatic' else 'N m'
        yield Finding(
            link,
            'gravity_exceeds_effort',
            f'its joint {load.joint!r} cannot hold the arm at {load.beyond:.0%} of '
            f'{len(poses.q)} poses',
            f'gravity torque up to {abs(load.worst):.3g}, effort limit {load.limit:.3g} {unit}',
            'check the masses beyond the joint and the unit of the effort limit; springs and '
            'counterweights are not described; otherwise keep the arm out of these poses',
            severity,
            joints=(load.joint,),
        )


def _without_rounding(torque: Array) -> Array:
    """Torques of joints that lift nothing are 0, and not 1e-15 N m."""
    largest = np.abs(torque).max(initial=0.0)
    return np.where(np.abs(torque) > ROUNDING * largest, torque, 0.0)
