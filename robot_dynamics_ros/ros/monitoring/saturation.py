"""Warns of joints that stay at their effort limit: velocities in deg/s are one cause."""

from __future__ import annotations

import time as clock

import numpy as np
from rclpy.node import Node

from robot_dynamics_ros.control.supervisor import Mode
from robot_dynamics_ros.control.torque_text import torque_text, units_of
from robot_dynamics_ros.core.checks import Array

from ..endpoints import STEADY, WARNING_PERIOD
from ..robot.commanded_robot import CommandedRobot
from ..robot.robot_holder import RobotHolder

PERIOD = 0.1
# How long a joint must be at its effort limit before that is reported [s].
PATIENCE = 0.5


class Saturation:
    """Finds the joints whose wanted torque is beyond the effort limit, and warns in the log.

    Attributes:
        text: for diagnostics: joints, wanted torques and limits; empty if there are none.
    """

    def __init__(self, node: Node, holder: RobotHolder) -> None:
        """Look at the commands on a timer of the node."""
        self._node = node
        self._holder = holder
        self.text = ''
        self._logged: list[str] = []
        self._robot: CommandedRobot | None = None
        # Since when each joint is at its limit [s]; NaN if it is not.
        self._since = np.zeros(0)
        node.create_timer(PERIOD, self.update, clock=STEADY)

    def update(self) -> None:
        """Find the joints, and log each set of them once."""
        with self._holder.lock:
            robot = self._holder.current
            if robot is None or robot.guard.mode is Mode.SILENT:
                self._robot, self._logged, self.text = None, [], ''
                return
            wanted, limits = robot.guard.limiter.requested, robot.guard.limiter.limits
            velocities = robot.guard.state.v[robot.feedforward.indices]
        if robot is not self._robot:
            self._robot, self._since = robot, np.full(wanted.size, np.nan)
        now = clock.monotonic()
        started = np.where(np.isnan(self._since), now, self._since)
        self._since = np.where(np.abs(wanted) > limits, started, np.nan)
        # No comparison with NaN holds.
        long = np.flatnonzero(now - self._since >= PATIENCE)
        names = [robot.joints[index] for index in long]
        self.text = _text(robot, long, wanted, velocities) if names else ''
        if names and names != self._logged:
            self._node.get_logger().warning(self.text, throttle_duration_sec=WARNING_PERIOD)
        self._logged = names


def _text(robot: CommandedRobot, indices: Array, wanted: Array, velocities: Array) -> str:
    """For log and diagnostics: these joints, and what to ask about their velocities."""
    limits = robot.guard.limiter.limits
    units = units_of(robot.dynamics.model, robot.joints)
    joints = ', '.join(
        f'{robot.joints[index]} (wanted {torque_text(wanted[index], units[index], 4)}, limit '
        f'{torque_text(limits[index], units[index], 4)})'
        for index in indices
    )
    return (
        f'at the effort limit for more than {PATIENCE:g} s: {joints}{_question(robot, velocities)}'
    )


def _question(robot: CommandedRobot, velocities: Array) -> str:
    """What to ask where velocities are beyond their limits; empty where none is."""
    limits = robot.dynamics.model.velocity_bounds[robot.feedforward.indices]
    fast = ', '.join(
        f'{name} {v:.4g} (limit {limit:.4g})'
        for name, v, limit in zip(robot.joints, velocities, limits, strict=True)
        if abs(v) > limit
    )
    if not fast:
        return ''
    return f'; velocity of {fast}: is the unit rad/s (or m/s), not deg/s (or mm/s)?'
