"""The entry of the diagnostics about external forces."""

from __future__ import annotations

import time as clock
from collections.abc import Sequence

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus

from robot_dynamics_ros.control.external_forces.detection.blind_settings import (
    above_half_the_rate,
    below_cutoff,
    excessive_thresholds,
    without_observer,
    without_reaction,
)
from robot_dynamics_ros.control.external_forces.drive_torques import LARGEST
from robot_dynamics_ros.control.external_forces.external_estimate import (
    NO_STATE,
    SETTLING,
    ExternalForceEstimate,
)
from robot_dynamics_ros.control.external_forces.external_settings import ExternalSettings
from robot_dynamics_ros.control.external_forces.live_contact import (
    contact_thresholds,
    threshold_text,
)
from robot_dynamics_ros.control.torque_text import (
    joint_torques,
    units_of,
    without_rounding,
)
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.findings import listed

from ..robot.commanded_robot import CommandedRobot
from ..robot.touched_arm import missing_reaction

OK, WARN, STALE = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.STALE
# The status of a concern: its level, its message, and its values.
Entry = tuple[bytes, str, dict[str, object]]

# Above this share of the rate of the states, the observer passes on what single samples err.
LARGEST_SHARE = 0.2
OFF = 'off: parameter external_observer is false'
# The rate of the states is not constant.
TOLERANCE = 1.05
# Less of the states without an effort does not matter: the estimate takes longer steps there.
LEAST = 0.01


def external_entry(robot: CommandedRobot) -> Entry:
    """Whether external torques are estimated, what they are, and what touches the arm.

    The caller holds the lock of the robot.

    Args:
        robot: the configured robot.
    """
    guard, estimate = robot.guard, robot.guard.external
    if estimate is None:
        return OK, OFF, {}
    values: dict[str, object] = {'on_collision': guard.settings.on_collision}
    reaction = guard.reaction
    if reaction.reason:
        values['reaction'] = reaction.policy
    if not guard.fresh(clock.monotonic()):
        return STALE, 'no valid joint state', values
    if estimate.reason:
        text = f'no external torques: {estimate.reason}'
        if estimate.reason not in (NO_STATE, SETTLING):
            return WARN, text, values
        return STALE, text, values
    values |= _figures(robot, estimate)
    if reaction.reason:
        now = estimate.contact.sentence(estimate.torque) or 'no contact'
        text = (
            f'reaction {reaction.policy} until ~/enable is called: {reaction.reason}; now: {now}'
        )
        return WARN, text, values
    if estimate.contact.state:
        text = estimate.contact.sentence(estimate.torque)
        return WARN, f'{text}{missing_reaction(guard)}', values
    if not estimate.contact.detects:
        text = 'estimated; contacts are not detected without thresholds: call ~/learn_thresholds'
        return OK, text, values
    return OK, 'no contact', values


def doubts(robot: CommandedRobot, rate: float) -> list[str]:
    """Settings with which contacts are not found, or are found where there is none.

    Args:
        robot: to which they have been applied.
        rate: of the joint states [Hz]; NaN if it is not known yet.
    """
    estimate, policy = robot.guard.external, robot.guard.settings.on_collision
    if estimate is None:
        return [*filter(None, [without_observer(policy)])]
    settings = estimate.settings
    thresholds = contact_thresholds(settings, len(robot.joints))
    texts = (
        _too_fast(settings, rate),
        above_half_the_rate(settings, rate),
        without_reaction(settings, policy),
        below_cutoff(settings, robot.joints),
        excessive_thresholds(thresholds, robot.joints, robot.dynamics.model),
    )
    return [*filter(None, texts)]


def missing_drive_values(joints: Sequence[str], shares: Array) -> str:
    """The joints whose velocity or effort is missing in some of the states; empty for none.

    Args:
        joints: names of the commanded joints, k of them.
        shares: (2, k) of the states without a velocity, and without an effort [-].
    """
    found = []
    for kind, row in zip(('velocity', 'effort'), shares, strict=True):
        if missing := np.flatnonzero(row >= LEAST).tolist():
            each = listed([f'of {joints[j]} in {100.0 * row[j]:.3g} %' for j in missing])
            beyond = f', or beyond {LARGEST:g} times its limit' if kind == 'effort' else ''
            found.append(f'{kind} {each} of the states is missing{beyond}')
    return f'{"; ".join(found)}: these states count as lost; check the driver' if found else ''


def _too_fast(settings: ExternalSettings, rate: float) -> str:
    bandwidth = max(settings.external_bandwidth)
    if not bandwidth > TOLERANCE * LARGEST_SHARE * rate:
        return ''
    return (
        f'external_bandwidth is {bandwidth:.3g} Hz, joint states come at {rate:.3g} Hz: set '
        f'external_bandwidth to at most a fifth of that, {LARGEST_SHARE * rate:.2g} Hz'
    )


def _figures(robot: CommandedRobot, estimate: ExternalForceEstimate) -> dict[str, object]:
    figures: dict[str, object] = {}
    limits, units = estimate.contact.limits, units_of(robot.dynamics.model, robot.joints)
    for index, (name, unit) in enumerate(zip(robot.joints, units, strict=True)):
        torque = without_rounding(estimate.torque[index])
        bounds = threshold_text(limits[:, index].tolist())
        text = f'{torque:.3g} (thresholds: {bounds})' if bounds else f'{torque:.3g}'
        figures[f'external torque of {name} [{unit}]'] = text
    if estimate.tare.torque.any():
        taken = estimate.tare.torque.tolist()
        figures['taken off'] = joint_torques(robot.joints, taken, units)
    if estimate.tare.remark:
        figures['zero_external'] = estimate.tare.remark
    force = without_rounding(float(np.linalg.norm(estimate.wrench()[:3])))
    figures[f'force at {estimate.frame} [N]'] = f'{force:.3g}'
    remarks = estimate.felt_directions().remarks()
    figures[f'not felt at {estimate.frame}'] = '; '.join(remarks) or 'nothing'
    return figures
