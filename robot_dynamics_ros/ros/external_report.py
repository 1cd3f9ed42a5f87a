"""What log, diagnostics and answers say of external torques and contacts."""

from __future__ import annotations

import math
import time as clock
from collections.abc import Sequence

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus

from robot_dynamics_ros.control.external.contact import COLLISION
from robot_dynamics_ros.control.external.contact_detector import CUTOFF
from robot_dynamics_ros.control.external.drive_torques import EFFORT, LARGEST, STATE, VELOCITY
from robot_dynamics_ros.control.external.estimate import PASSING, ExternalForceEstimate
from robot_dynamics_ros.control.external.thresholds import BANDS
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward
from robot_dynamics_ros.control.torque_text import joint_torques, units_of, without_rounding
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.findings import listed

from .robot import CommandedRobot

OK, WARN, STALE = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.STALE
# Above this share of the rate of the states, the observer passes on what single samples err.
LARGEST_SHARE = 0.2
# The rate of the states is not constant.
TOLERANCE = 1.05
# Less of the states without an effort does not matter: the estimate takes longer steps there.
LEAST = 0.01


def dropped_tare(estimate: ExternalForceEstimate) -> str:
    """What has become of what was taken off; empty where nothing was lost."""
    dropped = estimate.tare.dropped
    if not dropped:
        return ''
    return (
        f'{dropped} was changed after ~/zero_external: nothing is taken off any more, call it '
        'again at rest'
    )


def external_entry(robot: CommandedRobot) -> tuple[bytes, str, dict[str, object]]:
    """Level, text and values: whether external torques are estimated, and what touches the arm.

    What is wrong with them is said by the table of conditions. The caller holds the lock of the
    robot.
    """
    guard, estimate = robot.guard, robot.guard.external
    if estimate is None:
        return OK, 'off: parameter external_observer is false', {}
    values: dict[str, object] = {'on_collision': guard.settings.on_collision}
    supervisor = guard.supervisor
    if supervisor.collision:
        values['reaction'] = supervisor.policy
    if not guard.fresh(clock.monotonic()):
        return STALE, 'no valid joint state', values
    if estimate.reason:
        passing = (
            f'no external torques are estimated: {estimate.reason}'
            if estimate.reason in PASSING
            else ''
        )
        return (STALE if passing else OK), passing, values
    values |= _figures(robot, estimate)
    if supervisor.collision:
        text = (
            f'reaction {supervisor.policy} until ~/enable is called: {supervisor.collision}; now: '
            f'{estimate.touch() or "no contact"}'
        )
        return WARN, text, values
    if estimate.contact.state:
        return WARN, f'{estimate.touch()}{missing_reaction(guard)}', values
    if estimate.settings.thresholds is None:
        return OK, 'estimated; contacts are not detected: set contact_thresholds', values
    return OK, 'no contact', values


def contact_doubts(robot: CommandedRobot, rate: float = math.nan) -> dict[str, str]:
    """Why contacts may not be found, or be found where there is none: a sentence for each code.

    Args:
        robot: the configured robot.
        rate: of the joint states [Hz]; NaN if it is not known.
    """
    estimate, policy = robot.guard.external, robot.guard.settings.on_collision
    found: dict[str, str] = {}
    if estimate is None:
        if policy != 'report':
            found['no_observer'] = (
                f'on_collision is {policy}, but external_observer is false: no collision is '
                'found; set external_observer to true'
            )
        return found
    thresholds = estimate.settings.thresholds
    collisions = thresholds is not None and thresholds.detects[0]
    if policy != 'report' and not collisions:
        found['no_collision_threshold'] = (
            f'on_collision is {policy} and acts on collisions alone, but collision_threshold is '
            'empty: set it, or contact_thresholds'
        )
    bandwidths = np.array(estimate.settings.external_bandwidth)
    lowest, highest = bandwidths.min(), bandwidths.max()
    if collisions and lowest < CUTOFF:
        name = robot.joints[int(bandwidths.argmin())]
        found['slow_observer'] = (
            f'external_bandwidth is {lowest:.4g} Hz for {name}, below {CUTOFF:g} Hz: a hit is '
            f'hardly found as a collision; set external_bandwidth above {CUTOFF:g} Hz'
        )
    if highest > TOLERANCE * LARGEST_SHARE * rate:
        found['fast_observer'] = (
            f'external_bandwidth is {highest:.3g} Hz, joint states come at {rate:.3g} Hz: set '
            f'external_bandwidth to at most a fifth of that, {LARGEST_SHARE * rate:.2g} Hz'
        )
    model = robot.dynamics.model
    limits = model.effort_bounds[model.indices_of(robot.joints)]
    if thresholds is not None and (above := thresholds.above(limits)):
        band, index = above[0]
        value = thresholds.coefficients[0 if band == COLLISION else 1, 0, index]
        found['high_threshold'] = (
            f'{band} threshold {value:.3g} of {robot.joints[index]} is above its effort limit, '
            f'{limits[index]:.3g}: check its unit, N m or N'
        )
    return found


def no_estimate(robot: CommandedRobot) -> str:
    """Why no external torques are estimated; empty where they are, or are about to be."""
    estimate = robot.guard.external
    if estimate is None or estimate.reason in ('', *PASSING):
        return ''
    return f'no external torques are estimated: {estimate.reason}'


def missing_drive_values(joints: Sequence[str], seen: Array) -> str:
    """The joints whose velocity or effort is missing in some of the states; empty for none.

    Args:
        joints: names of the commanded joints, k of them.
        seen: (3, k) how many states have held each joint, its velocity, and its effort.
    """
    found = []
    for kind, row in (('velocity', VELOCITY), ('effort', EFFORT)):
        shares = 1.0 - seen[row] / np.maximum(seen[STATE], 1)
        shares[seen[STATE] == 0] = 0.0
        if missing := np.flatnonzero(shares >= LEAST).tolist():
            each = listed([f'of {joints[j]} in {100.0 * shares[j]:.3g} %' for j in missing])
            beyond = f', or beyond {LARGEST:g} times its limit' if kind == 'effort' else ''
            found.append(f'{kind} {each} of the states is missing{beyond}')
    return f'{"; ".join(found)}: these states count as lost; check the driver' if found else ''


def missing_reaction(guard: GuardedFeedforward) -> str:
    """That no reaction follows the present collision, as a clause; empty where one may follow.

    Call it where no reaction to that collision is in force. The caller holds the lock of the
    robot.
    """
    estimate, policy = guard.external, guard.settings.on_collision
    # A push may still become a collision.
    if estimate is None or policy == 'report' or estimate.contact.state.kind != COLLISION:
        return ''
    return f'; on_collision={policy} does not act again before this contact has ended'


def touch_text(guard: GuardedFeedforward) -> str:
    """The contact with its thresholds; empty where none is known.

    The caller holds the lock of the robot.
    """
    estimate = guard.external
    if estimate is None or estimate.reason or not guard.fresh(clock.monotonic()):
        return ''
    contact, joints = estimate.contact, guard.feedforward.joints
    bounds = '; '.join(
        f'{joints[index]} {_threshold_text(contact.limits[:, index].tolist())}'
        for index in contact.state.joints
    )
    return estimate.touch() + (f' (thresholds: {bounds})' if bounds else '')


def _figures(robot: CommandedRobot, estimate: ExternalForceEstimate) -> dict[str, object]:
    figures: dict[str, object] = {}
    limits, units = estimate.contact.limits, units_of(robot.dynamics.model, robot.joints)
    for index, (name, unit) in enumerate(zip(robot.joints, units, strict=True)):
        torque = without_rounding(estimate.torque[index])
        bounds = _threshold_text(limits[:, index].tolist())
        text = f'{torque:.3g} (thresholds: {bounds})' if bounds else f'{torque:.3g}'
        figures[f'external torque of {name} [{unit}]'] = text
    if estimate.tare.torque.any():
        taken = estimate.tare.torque.tolist()
        figures['taken off'] = joint_torques(robot.joints, taken, units)
    if dropped := dropped_tare(estimate):
        figures['zero_external'] = dropped
    force = without_rounding(float(np.linalg.norm(estimate.wrench()[:3])))
    figures[f'force at {estimate.frame} [N]'] = f'{force:.3g}'
    remarks = estimate.felt_directions().remarks()
    figures[f'not felt at {estimate.frame}'] = '; '.join(remarks) or 'nothing'
    return figures


def _threshold_text(limits: Sequence[float]) -> str:
    """The thresholds (2,) of a joint by their band; empty where there are none."""
    each = zip(BANDS, limits, strict=True)
    return ', '.join(f'{band} {limit:.3g}' for band, limit in each if math.isfinite(limit))
