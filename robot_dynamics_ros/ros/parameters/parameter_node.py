"""A lifecycle node that refuses to set unknown parameters by their names."""

from __future__ import annotations

from typing import Any

from rcl_interfaces.msg import SetParametersResult
from rclpy.lifecycle import LifecycleNode
from rclpy.parameter import Parameter

from . import declaration
from .node_table import TABLE


class ParameterNode(LifecycleNode):
    """Answers `ros2 param set` of an unknown parameter with its name and the nearest one."""

    # Not a callback before each change: with one, rclpy refuses an empty list of changes.
    def set_parameters_atomically(
        self, parameter_list: list[Parameter[Any]]
    ) -> SetParametersResult:
        """Set parameters all at once; the services of rclpy call this.

        Raises:
            UndeclaredParameterError: the node does not have one of them.
        """
        declaration.require_declared(self, TABLE, parameter_list)
        return super().set_parameters_atomically(parameter_list)
