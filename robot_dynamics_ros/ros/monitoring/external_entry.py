"""The entry of the diagnostics about external forces."""

from __future__ import annotations

import time as clock

import numpy as np

from robot_dynamics_ros.control.external_forces.detection.blind_settings import (
    above_half_the_rate,
)
from robot_dynamics_ros.control.external_forces.external_estimate import (
    NO_STATE,
    SETTLING,
    ExternalForceEstimate,
)
from robot_dynamics_ros.control.external_forces.external_settings import ExternalSettings
from robot_dynamics_ros.control.external_forces.live_contact import threshold_text
from robot_dynamics_ros.control.torque_text import (
    joint_torques,
    units_of,
    without_rounding,
)

from ..robot.commanded_robot import CommandedRobot
from ..robot.parameter_warnings import contact_warnings
from ..robot.touched_arm import missing_reaction
from .check_entries import OK, STALE, WARN, Entry

# Above this share of the rate of the states, the observer passes on what single samples err.
LARGEST_SHARE = 0.2
OFF = 'off: parameter external_observer is false'
# The rate of the states is not constant.
TOLERANCE = 1.05


def external_entry(robot: CommandedRobot, rate: float, missing: str) -> Entry:
    """Whether external torques are estimated, what they are, and what touches the arm.

    The caller holds the lock of the robot.

    Args:
        robot: the configured robot.
        rate: of the joint states [Hz]; NaN if it is not known yet.
        missing: see `MissingEfforts.text`.
    """
    guard, estimate = robot.guard, robot.guard.external
    if estimate is None:
        warnings = contact_warnings(robot).values()
        return WARN if warnings else OK, '; '.join([OFF, *warnings]), {}
    values: dict[str, object] = {'on_collision': guard.settings.on_collision}
    supervisor = guard.supervisor
    if supervisor.collision:
        values['reaction'] = supervisor.policy
    if not guard.fresh(clock.monotonic()):
        return STALE, 'no valid joint state', values
    if estimate.reason:
        text = f'no external torques: {estimate.reason}'
        if estimate.reason not in (NO_STATE, SETTLING):
            return WARN, text, values
        return (WARN, f'{text}; {missing}', values) if missing else (STALE, text, values)
    values |= _figures(robot, estimate)
    if supervisor.collision:
        now = estimate.contact.sentence(estimate.torque) or 'no contact'
        text = (
            f'reaction {supervisor.policy} until ~/enable is called: {supervisor.collision}; '
            f'now: {now}'
        )
        return WARN, text, values
    if estimate.contact.state:
        text = estimate.contact.sentence(estimate.torque)
        return WARN, f'{text}{missing_reaction(guard)}', values
    if doubts := _doubts(robot, estimate, rate, missing):
        return WARN, '; '.join(doubts), values
    if not estimate.contact.detects:
        text = 'estimated; contacts are not detected without thresholds: call ~/learn_thresholds'
        return OK, text, values
    return OK, 'no contact', values


def _doubts(
    robot: CommandedRobot, estimate: ExternalForceEstimate, rate: float, missing: str
) -> list[str]:
    """Why contacts may not be found, or be found where there is none."""
    settings = estimate.settings
    texts = missing, _too_fast(settings, rate), above_half_the_rate(settings, rate)
    return [*filter(None, texts), *contact_warnings(robot).values()]


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
