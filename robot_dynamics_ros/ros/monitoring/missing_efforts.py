"""Finds joints whose efforts or velocities are missing in some of the states."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from robot_dynamics_ros.control.external.drive_torques import (
    EFFORT,
    LARGEST,
    STATE,
    VELOCITY,
    DriveTorques,
)
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.findings import listed

from ..robot.commanded_robot import CommandedRobot

# Shares are those of this time [s].
WINDOW = 2.0
# Less of the states does not matter: the estimate takes longer steps there.
LEAST = 0.01
# Rows of `DriveTorques.seen`, and what counts as missing.
KINDS = {'velocity': 'missing', 'effort': f'missing, or beyond {LARGEST:g} times its limit'}


class MissingEfforts:
    """Compares how often the torque of each drive is missing with how often it is measured.

    Attributes:
        text: for log and diagnostics: the joints with the shares; empty for none.
    """

    def __init__(self) -> None:
        """Without a state yet."""
        self.text = ''
        self._sources: DriveTorques | None = None
        self._since = math.nan
        self._counts = np.zeros((3, 0), dtype=np.int64)

    def update(self, robot: CommandedRobot, now: float) -> None:
        """Look at the states that have come; call it now and then, with the lock of the robot.

        Args:
            robot: whose states come.
            now: [s], on the monotonic clock.
        """
        estimate = robot.guard.external
        sources = None if estimate is None else estimate.drives
        known = sources is self._sources
        if sources is None or not known:
            self.text = ''
        elif now - self._since < WINDOW:
            return
        self._sources = sources
        if sources is None:
            return
        counts = sources.seen
        if known:
            new = counts - self._counts
            states = np.maximum(new[STATE], 1)
            missing = 1.0 - new[[VELOCITY, EFFORT]] / states
            self.text = '; '.join(_sentences(robot, np.where(new[STATE], missing, 0.0)))
        self._since, self._counts = now, counts


def _sentences(robot: CommandedRobot, shares: Array) -> Iterator[str]:
    """One for each kind that is missing, by the shares (2, k)."""
    for (kind, when), row in zip(KINDS.items(), shares, strict=True):
        if joints := np.flatnonzero(row >= LEAST).tolist():
            each = listed([f'of {robot.joints[j]} in {100.0 * row[j]:.3g} %' for j in joints])
            yield (
                f'{kind} {each} of the states is {when}: these states count as lost; check the '
                'driver'
            )
