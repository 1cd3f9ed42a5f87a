"""Whether the motion of a recording is in rad and m, with velocities that belong to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from robot_dynamics_ros.comparison.comparison import Finding
from robot_dynamics_ros.comparison.evidence.excerpts import Excerpts
from robot_dynamics_ros.comparison.unit_findings import doubt_of, other_unit
from robot_dynamics_ros.comparison.velocity_findings import velocity_findings
from robot_dynamics_ros.core import RobotModel
from robot_dynamics_ros.recordings import Motion
from robot_dynamics_ros.recordings.quality import Quality

EFFECT = 'The torques are wrong.'


class MotionReach:
    """The largest position and velocity of each joint, and windows of the motion."""

    def __init__(self, model: RobotModel) -> None:
        """Have seen no motion.

        Args:
            model: whose joints are those of the motion, in the same order.
        """
        self._model = model
        self._positions, self._speeds = np.zeros(model.size), np.zeros(model.size)
        self._excerpts = Excerpts()

    def take(self, motion: Motion) -> None:
        """Take a motion into account."""
        self._positions = np.maximum(self._positions, np.abs(motion.positions).max(axis=0))
        self._speeds = np.maximum(self._speeds, np.abs(motion.velocities).max(axis=0))
        self._excerpts.add(motion)

    def findings(self, quality: Quality) -> list[Finding]:
        """What `compare` says of the motion, and what it means for torques.

        Args:
            quality: of the recording, which has been read to the end.
        """
        positions = self._positions
        if quality.jumps_often:
            # Also what was cut out.
            names = self._model.joint_names
            cut = [quality.largest.get(name, 0.0) for name in names]
            positions = np.maximum(positions, cut)
        wrong = list(velocity_findings(self._model, self._excerpts))
        joints = [name for one in wrong for name in one.joints]
        speeds = np.where(np.isin(self._model.joint_names, joints), 0.0, self._speeds)
        unit = other_unit(self._model, positions, speeds) or doubt_of(quality)
        found = wrong if unit is None else [unit, *wrong]
        return [replace(one, message=f'{one.message} {EFFECT}') for one in found]
