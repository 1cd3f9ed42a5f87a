"""Changes of parameters while the node runs: checked together, then applied between states."""

from __future__ import annotations

from dataclasses import replace

from rclpy.node import Node

from robot_dynamics_ros.control.settings import reference_distances, torque_limits
from robot_dynamics_ros.core.errors import ParameterError

from .compilation import compared
from .live_values import LiveValues
from .parameter_table import TABLE
from .parameters import Changes, ParameterFiles, accept_changes, read
from .robot import RobotHolder, no_effort_limit


class LiveParameters:
    """Checks and applies each change of the parameters of a node."""

    def __init__(self, node: Node, holder: RobotHolder, files: ParameterFiles) -> None:
        """Register the callbacks with the node; paths are relative to these files."""
        self._node = node
        self._holder, self._files = holder, files
        accept_changes(node, TABLE, self._check, self._apply)

    def _check(self, changes: Changes) -> None:
        """Check that all values, with the changes, fit the configured robot."""
        robot = self._holder.current
        if robot is None or not changes:
            return
        for name in changes:
            row = TABLE.row_of(name)
            if row is not None and not row.live:
                raise ParameterError(f'{name} is read on configure: deactivate and clean up first')
        values = read(self._node, TABLE, changes, files=self._files)
        model, joints = robot.dynamics.model, robot.joints
        settings = LiveValues.of(values, model, joints).settings
        torque_limits(model, joints, settings)
        reference_distances(model, joints, settings)
        missing = no_effort_limit(model, joints, settings)
        if robot.guard.supervisor.active and missing:
            raise ParameterError(missing)
        if 'gravity' in changes:
            dynamics = robot.dynamics.with_gravity(values['gravity'])
            robot.report = compared(replace(robot.compiled, dynamics=dynamics)).report

    def _apply(self) -> None:
        """Apply the parameters; the lock that the loop needs is held for the last step only."""
        robot = self._holder.current
        if robot is None:
            return
        values = read(self._node, TABLE, files=self._files)
        live = LiveValues.of(values, robot.dynamics.model, robot.joints)
        robot.prepare(live)
        with self._holder.lock:
            if self._holder.current is robot:
                robot.apply(live)
