"""Changes of parameters while the node runs: checked as a whole, then applied between states."""

from __future__ import annotations

import textwrap

from rcl_interfaces.msg import SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from robot_dynamics_ros.control.guards.settings import torque_limits, torque_rates
from robot_dynamics_ros.core.errors import RobotDynamicsError

from ..parameters import node_parameters
from ..parameters.node_table import TABLE
from .robot_in_use import RobotInUse


class LiveParameters:
    """Hears of changes of the parameters of a node."""

    def __init__(self, node: Node, in_use: RobotInUse) -> None:
        """Begin to hear."""
        self._node = node
        self._in_use = in_use
        node.add_on_set_parameters_callback(self._check)
        node.add_post_set_parameters_callback(self._apply)

    def _check(self, changes: list[Parameter]) -> SetParametersResult:
        ours = [change for change in changes if change.name in TABLE.rows]
        try:
            reason = self._structural(ours) or self._unfit(ours)
        except RobotDynamicsError as error:
            reason = str(error)
        return SetParametersResult(successful=not reason, reason=reason)

    def _structural(self, changes: list[Parameter]) -> str:
        for change in changes:
            if change.type_ == Parameter.Type.NOT_SET:
                return f'{change.name} cannot be deleted'
            node_parameters.checked(change.name, change.value)
            if self._in_use.present is not None and not TABLE.rows[change.name].live:
                return f'{change.name} is read on configure: deactivate and clean up first'
        return ''

    def _unfit(self, changes: list[Parameter]) -> str:
        """Empty, or raises: whether the changes fit the robot in use."""
        commanded = self._in_use.present
        if commanded is not None and changes:
            values = node_parameters.read(self._node, {c.name: c.value for c in changes})
            model, joints = commanded.robot.dynamics.model, commanded.joints
            settings = node_parameters.guard_settings(values)
            torque_rates(torque_limits(model, joints, settings), joints, settings)
            node_parameters.friction(values, model, joints)
        return ''

    def _apply(self, changes: list[Parameter]) -> None:
        if not any(change.name in TABLE.rows for change in changes):
            return
        for change in changes:
            if change.name in TABLE.rows:
                self._node.get_logger().info(f'{change.name} is now {_shortened(change.value)}')
        with self._in_use.lock:
            if self._in_use.present is not None:
                self._in_use.present.apply(node_parameters.read(self._node))


def _shortened(value: object) -> str:
    """For the log: a description fills pages."""
    return textwrap.shorten(str(value), 200)
