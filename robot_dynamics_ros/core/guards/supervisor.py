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
        hindered: whether it must not begin: another publisher commands the robot.
        arrived: whether the last command is the target of the present mode.
    """

    running: bool
    fresh: bool
    hindered: bool
    arrived: bool


def next_mode(mode: Mode, conditions: Conditions, *, on_stale: OnStale, on_stop: OnStop) -> Mode:
    """The mode of the next cycle.

    Silence ends only where the torque is wanted, the state is fresh and nobody else commands.
    What must stop goes to its last command first, and falls silent there.
    """
    if not conditions.running:
        last = Mode(on_stop)
        stopped = mode is Mode.SILENT or (mode is last and conditions.arrived)
        return Mode.SILENT if stopped else last
    if mode is Mode.SILENT:
        begins = conditions.fresh and not conditions.hindered
        return Mode.FOLLOW if begins else Mode.SILENT
    if conditions.fresh:
        return Mode.FOLLOW
    return Mode.SILENT if on_stale == 'stop' else Mode(on_stale)
