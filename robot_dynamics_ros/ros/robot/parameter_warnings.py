"""Values of parameters that are allowed, and that have consequences nobody may expect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .commanded_robot import CommandedRobot


def parameter_warnings(
    robot: CommandedRobot, values: Mapping[str, Any]
) -> dict[tuple[str, ...], str]:
    """What the log says of such values, by the names of the parameters.

    Args:
        robot: to which the values have been applied.
        values: of the parameters, by name.
    """
    warnings: dict[tuple[str, ...], str] = {}
    limits, joints = robot.guard.limiter.limits, np.array(robot.joints)
    if np.isinf(limits).any() and not robot.missing_limits():
        names = ', '.join(joints[np.isinf(limits)])
        warnings['effort_limits',] = f'commands of {names} are not clamped: effort_limits is .inf'
    elif (limits == 0.0).any():
        names = ', '.join(joints[limits == 0.0])
        warnings['effort_limits',] = f'commands of {names} are zero: effort_limits is 0'
    offset = np.abs(robot.feedforward.offset)
    if 'friction' in values['terms'] and (offset > limits).any():
        names = ', '.join(joints[offset > limits])
        warnings['joint_model',] = (
            f'torque_offset of {names} is larger than the effort limit: check its unit, N m or N'
        )
    if not values['terms']:
        warnings['terms',] = 'parameter terms is empty: every command is zero'
    elif 'gravity' in values['terms'] and not np.any(values['gravity']):
        warnings['gravity',] = (
            'parameter gravity is zero: gravity is not compensated, an arm without brakes falls; '
            'on Earth it is [0.0, 0.0, -9.81] for a base that stands upright'
        )
    supervisor, policy = robot.guard.supervisor, values['on_collision']
    if supervisor.collision and policy != supervisor.policy:
        warnings['on_collision',] = (
            f'on_collision={policy} acts from the next collision on: the reaction '
            f'{supervisor.policy} to the last one stays until ~/enable with true; ~/enable with '
            'false ends the commands'
        )
    return warnings
