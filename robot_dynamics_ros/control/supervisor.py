"""What is commanded: ONE state, and one table of transitions.

docs/safety.md shows the table; `scripts/transitions.py` writes it from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from .settings import OnCollision, Settings

# Time for which the state may be stale until the torque ends, as a fault [s].
LONGEST_STALE = 5.0
# How often the final command is repeated: controllers receive with best effort.
REPEATS = 5
# Duration of the fade to the reaction to a collision [s].
COLLISION_FADE = 0.1


class State(Enum):
    """What the supervisor does, with the target of each state."""

    SILENT = 'nothing is published, and what the drive applies is not known'
    TRACKING = 'the terms, at the reference or at the measured state'
    HOLDING = '`on_stale`: gravity at the last good state, or zero'
    REACTING = '`on_collision`, or a velocity limit: gravity, or zero'
    STOPPING = '`on_stop`: zero, or gravity at the last good state; repeated, then silence'


class Event(Enum):
    """What a cycle finds: the first of these that holds."""

    INTERRUPTED = 'the controller is inactive or has ended'
    INHIBITED = 'nothing is commanded, and commands must not begin'
    FINISHED = 'the final command has been repeated'
    MISAPPLIED = 'the controller has other joints'
    DOUBLE_GRAVITY = 'gravity is compensated twice'
    STOPPED = 'disable, deactivate, shutdown, or a fault'
    LOST = f'states stale for {LONGEST_STALE:g} s'
    SILENCED = 'states stale, and `on_stale` is stop'
    STALE = 'states stale'
    REACTION = 'a collision, or a joint beyond its velocity limit, that is not acknowledged'
    READY = 'all conditions hold'


_S, _T, _H, _R, _E = State
# What follows in SILENT, TRACKING, HOLDING, REACTING and STOPPING.
_TABLE = {
    Event.INTERRUPTED: (_S, _S, _S, _S, _S),
    Event.INHIBITED: (_S, _T, _H, _R, _E),
    Event.FINISHED: (_S, _T, _H, _R, _S),
    Event.MISAPPLIED: (_S, _E, _E, _E, _E),
    Event.DOUBLE_GRAVITY: (_S, _E, _E, _E, _E),
    Event.STOPPED: (_S, _E, _E, _E, _E),
    Event.LOST: (_S, _E, _E, _E, _E),
    Event.SILENCED: (_S, _S, _S, _S, _S),
    Event.STALE: (_S, _H, _H, _H, _H),
    Event.REACTION: (_R, _R, _R, _R, _R),
    Event.READY: (_T, _T, _T, _T, _T),
}
TRANSITIONS: Mapping[State, Mapping[Event, State]] = {
    state: {event: row[column] for event, row in _TABLE.items()}
    for column, state in enumerate(State)
}


# These lead to zero at the rate limit.
AT_ONCE = (Event.MISAPPLIED, Event.DOUBLE_GRAVITY)


class Target(Enum):
    """What a state leads the command to.

    NOTHING: there is no command. TERMS: the selected terms, at the reference or at the measured
    state. GRAVITY: what holds the last good state, which may be the present one. ZERO: no torque.
    """

    NOTHING = 'nothing'
    TERMS = 'terms'
    GRAVITY = 'gravity'
    ZERO = 'zero'


# What the values of `on_stale`, `on_stop` and `on_collision` lead to.
TARGETS = {'hold': Target.GRAVITY, 'zero': Target.ZERO}


@dataclass(frozen=True)
class Inhibition:
    """Why commands must not start.

    Attributes:
        reason: a phrase for log, diagnostics and `~/enable`.
        interrupts: whether commands that have started end too, at once and without a final
            command, because nothing applies them to the robot.
        misapplied: whether commands reach other joints than those that they are for: the final
            command is zero then.
    """

    reason: str
    interrupts: bool = False
    misapplied: bool = False


class Inhibitions(dict[str, Inhibition]):
    """The present inhibitions, by what each concerns.

    Commands that have started go on, unless one interrupts them.
    """

    def put(self, concern: str, inhibition: Inhibition | None) -> None:
        """Set the inhibition of a concern; None removes it."""
        if inhibition is None:
            self.pop(concern, None)
        else:
            self[concern] = inhibition

    @property
    def interrupting(self) -> bool:
        """Whether one of them ends commands that have started."""
        return any(inhibition.interrupts for inhibition in self.values())

    def first(self) -> Inhibition | None:
        """The one to name where only one is named: one that interrupts, if any; None for none."""
        return min(self.values(), key=lambda inhibition: not inhibition.interrupts, default=None)


class Supervisor:
    """Decides what is commanded.

    Attributes:
        state: the present one.
        event: that led to it, or keeps it.
        active: torque is wanted while this and `enabled` are true.
        enabled: torque is wanted while this and `active` are true.
        fault: why there is no torque although it is wanted, until `acknowledge`; else empty.
        double_gravity: why gravity is compensated twice; empty if it is not known to be.
        inhibitions: why commands must not start.
        reaction: to what the robot reacts until `acknowledge`; else empty.
    """

    def __init__(self) -> None:
        """Silent and not active."""
        self.state, self.event = State.SILENT, Event.STOPPED
        self.active, self.enabled, self.fault, self.double_gravity = False, True, '', ''
        self.inhibitions = Inhibitions()
        self.reaction = ''
        # The target of a reaction, and the duration of the fade to it [s]; None: the usual one.
        self._reacting = Target.GRAVITY
        self._fade_time: float | None = None

    @property
    def running(self) -> bool:
        """Whether torque is wanted: active, enabled and without a fault."""
        return self.active and self.enabled and not self.fault

    def target(self, settings: Settings, state: State | None = None) -> Target:
        """The target of a state, None for the present one; `on_stale` and `on_stop` count."""
        state = state or self.state
        if state is State.SILENT:
            return Target.NOTHING
        if state is State.TRACKING:
            return Target.TERMS
        if state is State.REACTING:
            return self._reacting
        # Zero after a collision stays zero: gravity compensation would move the arm again.
        if self.reaction and self._reacting is Target.ZERO:
            return Target.ZERO
        if state is State.STOPPING:
            at_once = self._misapplied or self.double_gravity
            return Target.ZERO if at_once else TARGETS[settings.on_stop]
        return Target.ZERO if settings.on_stale == 'zero' else Target.GRAVITY

    def react(self, reaction: str, policy: OnCollision) -> None:
        """React to something until `acknowledge`, unless that is done already, or not wanted.

        The policy is that of `on_collision`; 'stop' makes it a fault.
        """
        if self.reaction or policy == 'report':
            return
        self.reaction, self._fade_time = reaction, COLLISION_FADE
        self._reacting = TARGETS.get(policy, Target.GRAVITY)
        if policy == 'stop':
            self.fault = reaction

    def continue_from(self, other: Supervisor) -> None:
        """Take over, from that of the robot before, what nothing but `~/enable` ends."""
        self.enabled, self.fault, self.double_gravity = (
            other.enabled, other.fault, other.double_gravity
        )  # fmt: skip
        self.reaction, self._reacting = other.reaction, other._reacting

    def acknowledge(self) -> None:
        """End a fault and a reaction."""
        self.fault = self.double_gravity = self.reaction = ''

    def find(
        self, settings: Settings, *, fresh: bool, lost: bool = False, finished: bool = False
    ) -> Event:
        """What this cycle finds.

        Args:
            settings: of the robot.
            fresh: whether each commanded joint was measured, and not too long ago.
            lost: whether that has not been so for `LONGEST_STALE`.
            finished: whether the target has been reached and commanded `REPEATS` times.
        """
        commanding = self.state is not State.SILENT
        found = {
            Event.INTERRUPTED: self.inhibitions.interrupting,
            Event.INHIBITED: bool(self.inhibitions) and not commanding,
            Event.FINISHED: finished and self.state is State.STOPPING and not self.running,
            Event.MISAPPLIED: self._misapplied,
            Event.DOUBLE_GRAVITY: bool(self.double_gravity),
            Event.STOPPED: not self.running,
            Event.LOST: lost and commanding,
            Event.SILENCED: not fresh and settings.on_stale == 'stop',
            Event.STALE: not fresh,
            Event.REACTION: bool(self.reaction),
        }
        return next((event for event, holds in found.items() if holds), Event.READY)

    def enter(self, event: Event) -> float | None:
        """Go over to the state that follows from an event.

        Returns:
            Duration of the fade to its target [s]; None for that of the settings.
        """
        fade_time, self._fade_time = self._fade_time, None
        self.event, self.state = event, TRANSITIONS[self.state][event]
        if self.running and self.state is State.STOPPING:
            if event is Event.MISAPPLIED:
                self.fault = next(i.reason for i in self.inhibitions.values() if i.misapplied)
            elif event is Event.DOUBLE_GRAVITY:
                self.fault = self.double_gravity
            else:
                self.fault = f'joint states have been stale for {LONGEST_STALE:g} s'
        return 0.0 if event in AT_ONCE else fade_time

    @property
    def _misapplied(self) -> bool:
        return any(inhibition.misapplied for inhibition in self.inhibitions.values())
