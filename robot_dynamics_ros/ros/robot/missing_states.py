"""What is missing of the joint states, in words, for the log and for diagnostics."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.control.supervisor import Mode
from robot_dynamics_ros.core.checks import Array

from .commanded_robot import CommandedRobot


def stale_text(robot: CommandedRobot, now: float) -> str:
    """For log and diagnostics: since when states are stale, and what is commanded meanwhile.

    Args:
        robot: whose states they are.
        now: time of the monotonic clock [s].
    """
    guard, on_stale = robot.guard, robot.guard.settings.on_stale
    ages = now - guard.state.times
    old = ages > guard.state.timeouts(guard.settings)
    # States may have come since `now`: then none is old.
    if old[robot.feedforward.indices].all() or not old.any():
        what = f'no valid joint state for {guard.age(now):.2g} s'
    else:
        names = _named(robot, old)
        what = f'no valid position of {names} for {ages[old].max():.2g} s'
    if reason := repeated_stamps(robot, now):
        what = f'{what}, {reason}'
    if guard.mode is Mode.SILENT and on_stale != 'stop':
        return f'{what}: no torque is commanded'
    if guard.supervisor.fault:
        return f'{what}: stopping (on_stop={guard.settings.on_stop})'
    if on_stale == 'stop':
        return f'{what}: publishing no commands (on_stale=stop)'
    terms = [term for term in ('gravity', 'friction') if term in robot.feedforward.selected_terms]
    held = f'holding {" and ".join(terms)} of the last one'
    if on_stale == 'zero' or not terms:
        held = 'commanding zero torque'
    return f'{what}: {held} (on_stale={on_stale})'


def repeated_stamps(robot: CommandedRobot, now: float) -> str:
    """For log and diagnostics: that states come, but with the stamp of the ones before.

    Args:
        robot: whose states they are.
        now: time of the monotonic clock [s].

    Returns:
        Empty where no joint is stale for that reason.
    """
    state = robot.guard.state
    timeouts = state.timeouts(robot.guard.settings)
    stale = (now - state.times > timeouts) & (now - state.repeated <= timeouts)
    return 'header.stamp of the states that come stands still' if stale.any() else ''


def never_measured(robot: CommandedRobot) -> str:
    """For log and diagnostics: the joints that no state has contained, and what to do.

    Args:
        robot: whose joints they are.

    Returns:
        Empty if there are none, or if no state has come.
    """
    missing = np.isinf(robot.guard.state.times)
    if not missing.any() or missing.all():
        return ''
    model = robot.dynamics.model
    text = f'never in joint_states: {_named(robot, missing)}'
    missing[robot.feedforward.indices] = False
    if not missing.any():
        return f'{text}: commanded joints (parameter joints) must be measured'
    entries = ', '.join(
        f'{model.joint_names[index]}: {_allowed_position(robot, index):g}'
        for index in np.flatnonzero(missing)
    )
    return (
        f'{text}: start what publishes its position, or set parameter locked_joints: '
        f'{{{entries}}} (with the position where it stands)'
    )


def _allowed_position(robot: CommandedRobot, index: int) -> float:
    """Zero, or the position limit that is nearest to it [rad or m]."""
    limits = robot.dynamics.model.independent_joints[index].limits
    return min(max(0.0, limits.lower), limits.upper) if limits.lower < limits.upper else 0.0


def _named(robot: CommandedRobot, chosen: Array) -> str:
    names = robot.dynamics.model.joint_names
    return ', '.join(names[index] for index in np.flatnonzero(chosen))
