"""Entries of the diagnostics about the checks that run beside the commands."""

from __future__ import annotations

import math

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.node import Node

from ..robot.commanded_robot import CommandedRobot
from .live_cross_check import LiveCrossCheck

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


def cross_check_entry(robot: CommandedRobot, check: LiveCrossCheck) -> Entry:
    """What the comparison of the commanded torque with Pinocchio has found."""
    values: dict[str, object] = {
        'comparisons': check.checks,
        'worst relative error [-]': f'{check.worst:.2e}',
    }
    if robot.compiled.pinocchio is None:
        return WARN, 'off: parameter cross_check is false', values
    if not check.rate:
        return WARN, 'off: parameter cross_check_rate is 0', values
    if check.report is None:
        return STALE, 'no comparison yet: no torque is commanded', values
    if not check.report.agrees:
        return ERROR, str(check.report), values
    # Two periods, and the time that a compilation in between may take.
    if check.age > 2.0 / check.rate + 1.0:
        return STALE, f'no comparison for {check.age:.1f} s; last: {check.report}', values
    return OK, str(check.report), values
