"""Entries of the diagnostics about the checks that run beside the commands."""

from __future__ import annotations

import math

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from ..robot.commanded_robot import CommandedRobot

OK, WARN = DiagnosticStatus.OK, DiagnosticStatus.WARN
ERROR, STALE = DiagnosticStatus.ERROR, DiagnosticStatus.STALE

# The status of a concern: its level, its message, and its values.
Entry = tuple[bytes, str, dict[str, object]]


def driver_gravity_entry(robot: CommandedRobot, node: Node) -> Entry:
    """Whether the driver appears to add gravity torque itself; also a warning in the log."""
    seen = robot.guard.double_compensation
    values: dict[str, object] = {'measured excess / gravity [-]': f'{seen.share:.3f}'}
    if not node.get_parameter('driver_gravity_check').value:
        return OK, 'not checked: parameter driver_gravity_check is false', values
    if 'gravity' not in robot.feedforward.selected_terms:
        return OK, 'not checked: parameter terms does not contain gravity', values
    if math.isnan(seen.share):
        return OK, 'not known: joint states have no effort, or not for long enough', values
    if seen.suspected:
        text = (
            f'the measured effort exceeds the command by {seen.share:.2f} times gravity: the '
            'driver appears to add gravity too; remove gravity from parameter terms'
        )
        node.get_logger().warning(text, throttle_duration_sec=5.0)
        return WARN, text, values
    late = '' if seen.excluded else ', but not for long enough to continue a kept command'
    return OK, f'driver does not appear to add gravity{late}', values


def cross_check_entry(robot: CommandedRobot) -> Entry:
    """What the last comparison of the robot with Pinocchio has found."""
    report = robot.report
    if report is None:
        return WARN, 'off: parameter cross_check is false', {}
    values = {'worst relative error [-]': f'{report.worst.worst_relative:.2e}'}
    return OK if report.agrees else ERROR, str(report), values
