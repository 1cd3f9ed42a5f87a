"""What may be commanded now: the decision, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

OnStale = Literal['hold', 'zero', 'stop']
OnStop = Literal['zero', 'hold']


class Mode(Enum):
    """What is commanded."""

    SILENT = 'silent'
    FOLLOW = 'follow'
    HOLD = 'hold'
    ZERO = 'zero'


@dataclass(frozen=True)
class Conditions:
    """What the decision depends on.

    Attributes:
        running: whether the torque is wanted: active, enabled, and nothing found wrong.
        fresh: whether the last good state is recent enough.
        blocked: whether commands must not begin: another publisher commands the robot.
        reached_target: whether the last command is the target of the present mode.
        final_command_pending: whether the robot has been given torque, and no final command
            since.
    """

    running: bool
    fresh: bool
    blocked: bool
    reached_target: bool
    final_command_pending: bool = False


def next_mode(mode: Mode, conditions: Conditions, *, on_stale: OnStale, on_stop: OnStop) -> Mode:
    """The mode of the next cycle.

    Silence ends only where the torque is wanted, the state is fresh and nobody else commands.
    What must stop goes to its last command first, and falls silent there; so does a robot that
    stale states have left with some other command.
    """
    if not conditions.running:
        last = Mode(on_stop)
        if mode is Mode.SILENT:
            return (
                last
                if conditions.final_command_pending and not conditions.blocked
                else Mode.SILENT
            )
        return Mode.SILENT if mode is last and conditions.reached_target else last
    if mode is Mode.SILENT:
        begins = conditions.fresh and not conditions.blocked
        return Mode.FOLLOW if begins else Mode.SILENT
    if conditions.fresh:
        return Mode.FOLLOW
    return Mode.SILENT if on_stale == 'stop' else Mode(on_stale)
