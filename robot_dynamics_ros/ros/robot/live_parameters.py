"""Changes of parameters while the node runs: checked together, then applied between states."""

from __future__ import annotations

import textwrap
import threading
from array import array
from dataclasses import replace

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from robot_dynamics_ros.control.settings import reference_distances, torque_limits
from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError

from ..parameters import node_parameters
from ..parameters.node_table import TABLE
from .commanded_robot import no_effort_limit
from .compilation import compared
from .live_values import LiveValues
from .parameter_warnings import parameter_warnings
from .robot_holder import RobotHolder


class LiveParameters:
    """Checks and applies each change of the parameters of a node."""

    def __init__(self, node: Node, holder: RobotHolder) -> None:
        """Register the callbacks with the node."""
        self._node = node
        self._holder = holder
        self._applying = threading.Lock()
        node.add_on_set_parameters_callback(self._check)
        node.add_post_set_parameters_callback(self._apply)

    def _check(self, changes: list[Parameter]) -> SetParametersResult:
        own = [change for change in changes if TABLE.row_of(change.name)]
        try:
            self._check_each(own)
            self._check_together(own)
        except RobotDynamicsError as error:
            self._restore_types(changes)
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _restore_types(self, changes: list[Parameter]) -> None:
        """Undo that rclpy has written the types of refused values into the descriptors."""
        for change in changes:
            if self._node.has_parameter(change.name):
                present = self._node.get_parameter(change.name)
                self._node.describe_parameter(change.name).type = present.type_.value

    def _check_each(self, changes: list[Parameter]) -> None:
        for change in changes:
            if change.type_ == Parameter.Type.NOT_SET:
                raise ParameterError(f'{change.name} cannot be deleted: set a value')
            node_parameters.checked(change.name, change.value)
            row = TABLE.row_of(change.name)
            if self._holder.current is not None and row is not None and not row.live:
                raise ParameterError(
                    f'{change.name} is read on configure: deactivate and clean up first'
                )

    def _check_together(self, changes: list[Parameter]) -> None:
        """Check that all values, with the changes, fit the configured robot."""
        robot = self._holder.current
        if robot is not None and changes:
            values = node_parameters.read(self._node, {c.name: c.value for c in changes})
            model, joints = robot.dynamics.model, robot.joints
            settings = node_parameters.guard_settings(values)
            torque_limits(model, joints, settings)
            reference_distances(model, joints, settings)
            node_parameters.friction(values, model, joints)
            node_parameters.torque_offset(values, joints)
            node_parameters.external_settings(values, model, joints)
            missing = no_effort_limit(model, joints, settings)
            if robot.guard.supervisor.active and missing:
                raise ParameterError(missing)
            if any(change.name == 'gravity' for change in changes):
                dynamics = robot.dynamics.with_gravity(values['gravity'])
                robot.report = compared(replace(robot.compiled, dynamics=dynamics)).report

    def _apply(self, changes: list[Parameter]) -> None:
        if not any(TABLE.row_of(change.name) for change in changes):
            return
        for change in changes:
            if TABLE.row_of(change.name):
                self._node.get_logger().info(f'{change.name} is now {_shortened(change.value)}')
        # One thread at a time: else values read earlier could be applied after later ones.
        with self._applying:
            self._apply_present_values()
        self._warn({change.name for change in changes})

    def _warn(self, names: set[str]) -> None:
        """Log what is said at the start of such values of the parameters with these names."""
        robot = self._holder.current
        if robot is None:
            return
        warnings = parameter_warnings(robot, node_parameters.read(self._node))
        for concerned, text in warnings.items():
            if names.intersection(concerned):
                self._node.get_logger().warning(text)

    def _apply_present_values(self) -> None:
        """Apply the parameters; the lock that the loop needs is held for the last step only.

        Raises:
            RobotDynamicsError: they do not fit the robot.
        """
        while (robot := self._holder.current) is not None:
            values = node_parameters.read(self._node)
            live = LiveValues.of(values, robot.dynamics.model, robot.joints)
            robot.prepare(live)
            with self._holder.lock:
                # Another thread may have replaced the robot meanwhile.
                if self._holder.current is robot:
                    robot.apply(live)
                    return


def _shortened(value: object) -> str:
    """A value for the log, cut to one line: a description fills pages."""
    # rclpy gives lists of numbers as arrays, which print their type.
    return textwrap.shorten(str(value.tolist() if isinstance(value, array) else value), 200)
