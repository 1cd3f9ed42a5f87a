"""Where the bodies of a robot are, and how points on them move with the joints."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core import RobotDynamics, RobotModel
from robot_dynamics_ros.core.checks import Array

Indices = npt.NDArray[np.intp]


class BodyMotion:
    """Poses of all frames, and derivatives of points by the joint positions.

    Attributes:
        model: the robot.
    """

    def __init__(self, dynamics: RobotDynamics) -> None:
        """Take the tree of joints of a robot."""
        self.model = dynamics.model
        self._dynamics = dynamics
        joints = self.model.joints
        self._axes = np.array([joint.axis for joint in joints])
        self._turns = np.array([joint.kind != 'prismatic' for joint in joints])
        self._frames = body_frames(self.model)[1:]
        self._spread = np.zeros((len(joints), self.model.size))
        # Whether a joint moves a body; the last row is of the base, index -1.
        self._moves = np.zeros((len(joints) + 1, len(joints)), bool)
        for i, joint in enumerate(joints):
            self._spread[i, joint.coordinate.index] = joint.coordinate.multiplier
            self._moves[i] = self._moves[joint.parent]
            self._moves[i, i] = True

    def poses(self, q: Array) -> Array:
        """[R | p] of every frame in the base, (m, frames, 3, 4), at positions (m, n)."""
        return self._dynamics.frame_poses(q)

    def rates(self, poses: Array, bodies: Indices, points: Array, directions: Array) -> Array:
        """How fast points move along directions, for each joint, (k, n).

        Args:
            poses: (k, frames, 3, 4) of all frames, for each point.
            bodies: (k,) the body that carries each point; -1 is the base.
            points: (k, 3) in the base [m].
            directions: (k, 3).
        """
        joints = poses[:, self._frames]
        axes = np.einsum('kjab,jb->kja', joints[..., :3], self._axes)
        arms = points[:, None] - joints[..., 3]
        motions = np.where(self._turns[:, None], np.cross(axes, arms), axes)
        along = np.einsum('kja,ka->kj', motions, directions)
        rates: Array = np.where(self._moves[bodies], along, 0.0) @ self._spread
        return rates


def body_frames(model: RobotModel) -> list[int]:
    """Index of the frame of the base, then of each body: that of its first link."""
    first: dict[int, int] = {}
    for index, frame in enumerate(model.frames):
        first.setdefault(frame.body, index)
    return [first[body] for body in range(-1, len(model.joints))]
