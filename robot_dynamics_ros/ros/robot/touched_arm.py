"""What touches the arm, in words, for answers, the log and diagnostics."""

from __future__ import annotations

import time as clock

from robot_dynamics_ros.control.external_forces.live_contact import COLLISION
from robot_dynamics_ros.control.guarded_feedforward import GuardedFeedforward


def touch_text(guard: GuardedFeedforward) -> str:
    """The contact with its thresholds; empty where none is known.

    The caller holds the lock of the robot.
    """
    estimate = guard.external
    if estimate is None or estimate.reason or not guard.fresh(clock.monotonic()):
        return ''
    contact = estimate.contact
    bounds = contact.bounds()
    return contact.sentence(estimate.torque) + (f' ({bounds})' if bounds else '')


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
