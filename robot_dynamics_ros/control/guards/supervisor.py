"""The mode of the guarded feedforward: what is commanded in the next cycle."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

OnStale = Literal['hold', 'zero', 'stop']
OnStop = Literal['zero', 'hold']
OnRestart = Literal['automatic', 'fade_from_zero', 'take_over']
OnCollision = Literal['report', 'hold', 'zero', 'stop']


class Mode(Enum):
    """What is commanded.

    SILENT: nothing. FOLLOW: the feedforward at the reference or the measured state. HOLD: gravity
    compensation at the last good state, which may be the present one. ZERO: zero torque.
    """

    SILENT = 'silent'
    FOLLOW = 'follow'
    HOLD = 'hold'
    ZERO = 'zero'


@dataclass(frozen=True)
class Conditions:
    """What the next mode depends on.

    Attributes:
        running: whether torque is wanted: active, enabled and without a fault.
        fresh: whether the last good state is not older than the timeout.
        start_inhibited: whether commands must not start, for example because another publisher
            commands the robot.
        reached_target: whether the last command is the target of the present mode.
        final_command_pending: whether torque has been commanded, and no final command since.
        interrupted: whether commands end at once, because nothing applies them to the robot.
        reaction: HOLD or ZERO after a collision, in place of FOLLOW; None without one.
    """

    running: bool
    fresh: bool
    start_inhibited: bool
    reached_target: bool
    final_command_pending: bool = False
    interrupted: bool = False
    reaction: Mode | None = None


def next_mode(mode: Mode, conditions: Conditions, *, on_stale: OnStale, on_stop: OnStop) -> Mode:
    """The mode of the next cycle.

    Commands start only if torque is wanted, the state is fresh and nothing inhibits the start. A
    robot that is stopped gets its final command (`on_stop`) before silence, also where stale
    states have silenced the commands before.

    After a collision, `reaction` takes the place of FOLLOW. Where it is zero torque, that stays
    zero while states are stale.

    Args:
        mode: the present one.
        conditions: at this cycle.
        on_stale: what to command while no state is fresh; 'stop' for nothing.
        on_stop: the final command of a robot that is stopped.
    """
    if conditions.interrupted:
        return Mode.SILENT
    if not conditions.running:
        last = Mode(on_stop)
        if mode is Mode.SILENT:
            return (
                last
                if conditions.final_command_pending and not conditions.start_inhibited
                else Mode.SILENT
            )
        return Mode.SILENT if mode is last and conditions.reached_target else last
    wanted = conditions.reaction or Mode.FOLLOW
    if mode is Mode.SILENT:
        begins = conditions.fresh and not conditions.start_inhibited
        return wanted if begins else Mode.SILENT
    if conditions.fresh:
        return wanted
    if on_stale == 'stop':
        return Mode.SILENT
    return Mode.ZERO if wanted is Mode.ZERO else Mode(on_stale)
