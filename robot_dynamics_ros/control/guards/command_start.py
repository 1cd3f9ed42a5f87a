"""Decides at which torque commands begin that continue no known command.

While a controller is inactive, the drive may keep the last command or not: measured efforts show
it. A controller keeps the last command of a process that has died. The next process does not know
that command. If the arm is being held, the gravity torque of its position is near that command.
"""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .command_transition import CommandTransition
from .limiter import LONGEST_STEP, TorqueLimiter

# Time over which states are watched before commands begin [s].
WATCHED = 0.3
# A joint that moves less than this in that time is at rest [rad or m].
REST = 0.002
# A measured effort equals an expected torque within the larger of these shares: of that torque and
# of the effort limit (of the largest expected torque where there is no limit) [-].
OF_TORQUE, OF_LIMIT = 0.1, 0.02

ZERO = 'zero torque'


class CommandStart:
    """Begins commands at zero, at what the drive has kept, or at the gravity torque of a held arm.

    Attributes:
        known: whether the last command of the transition is that of the robot; it then continues.
        torque: at which commands have begun, as a phrase for the log.
        decision: what was found about the arm, for the log; empty if they begin at zero anyway.
    """

    def __init__(self, transition: CommandTransition) -> None:
        """Nothing has been commanded yet.

        Args:
            transition: of the commands.
        """
        self._transition = transition
        self.known, self.torque, self.decision = False, ZERO, ''
        self._since = self._last = math.nan
        self._moved, self._changed = 0.0, True
        self._q: Array | None = None
        self._effort: Array | None = None
        # The last command before an interruption; None if there was none, or it is not trusted.
        self._kept: Array | None = None
        self._distrusted = False

    def continue_from(self, other: CommandStart) -> None:
        """Take over what is known from the guard of another robot with the same joints."""
        self.known, self.torque, self.decision = other.known, other.torque, other.decision
        self._kept, self._distrusted = other._kept, other._distrusted

    @property
    def may_be_kept(self) -> bool:
        """Whether there was a command that the drive may have kept."""
        return self._kept is not None

    def forget(self, *, trusted: bool = True) -> None:
        """The last command may not be that of the robot any more: its controller is inactive.

        Args:
            trusted: whether to begin there again if the drive has kept it.
        """
        if self.known:
            self._kept = self._transition.effort.copy() if trusted else None
            self._distrusted = not trusted
            self._transition.begin_at(np.zeros_like(self._transition.effort))
        self.known, self._q = False, None

    def watch(
        self, q: Array, effort: Array | None, now: float, *, timeout: float, take_over: bool
    ) -> bool:
        """Take a state while nothing is commanded; whether it can be decided where to begin.

        Args:
            q: (k,) positions [rad or m].
            effort: (k,) measured efforts [N m or N]; None if they were not measured.
            now: [s], on a monotonic clock.
            timeout: the longest time between two states that is no pause [s].
            take_over: whether commands may begin at the gravity torque.
        """
        # States with a pause between them say nothing about the pause.
        if self._q is None or now - self._last > max(WATCHED, timeout):
            self._since, self._q, self._moved, self._changed = now, q.copy(), 0.0, False
        self._moved = max(self._moved, float(np.abs(q - self._q).max()))
        if self._kept is not None:
            self._changed = self._changed or effort is None or not self._equal(effort, self._kept)
        self._last, self._effort = now, effort
        return now - self._since >= WATCHED or (self._changed and not take_over)

    def begin(self, gravity: Array | None, *, take_over: bool) -> None:
        """Begin to command.

        Args:
            gravity: (k,) gravity torque at the last state that was watched [N m or N]; None to
                begin at zero without a decision.
            take_over: whether commands may begin at the gravity torque.
        """
        self.torque, self.decision = ZERO, ''
        begin = np.zeros_like(self._transition.effort)
        if gravity is not None:
            if self._kept is not None and not self._changed:
                begin, self.torque = self._kept, 'the last command'
                self.decision = 'the measured efforts show that the drive has kept it'
            elif take_over and self._held_by(gravity):
                limits = self._transition.limiter.limits
                begin, self.torque = np.clip(gravity, -limits, limits), 'the gravity torque'
            elif not take_over:
                self.decision = 'no measured efforts show that the drive has kept the last command'
        elif self._distrusted:
            self.decision = (
                'whether the driver adds gravity was not known before the interruption, so the '
                'last command is not continued'
            )
        self._transition.begin_at(begin)
        self.known, self._q, self._kept, self._distrusted = True, None, None, False

    def _held_by(self, gravity: Array) -> bool:
        """Whether the gravity torque (k,) holds the arm; the reason is the decision."""
        if self._moved > REST:
            self.decision = f'a joint has moved by {self._moved:.2g} rad or m in {WATCHED:g} s'
            return False
        if self._effort is None or not np.isfinite(self._effort).all():
            self.decision = 'the arm is at rest, and efforts are not measured'
            return True
        if self._equal(self._effort, gravity):
            self.decision = 'the measured efforts equal the gravity torque'
            return True
        excess = np.abs(self._effort - gravity) - _tolerance(gravity, self._transition.limiter)
        worst = int(excess.argmax())
        self.decision = (
            f'a measured effort is {self._effort[worst]:.3g} where gravity needs '
            f'{gravity[worst]:.3g}: the arm is held by something else'
        )
        return False

    def _equal(self, measured: Array, torque: Array) -> bool:
        """Whether all efforts (k,) were measured, and equal this torque (k,)."""
        tolerance = _tolerance(torque, self._transition.limiter)
        return bool((np.abs(measured - torque) <= tolerance).all())


def _tolerance(torque: Array, limiter: TorqueLimiter) -> Array:
    """Largest difference (k,) from an expected torque; at most that of the rate limit."""
    magnitude = np.abs(torque)
    scale = np.where(np.isfinite(limiter.limits), limiter.limits, magnitude.max())
    equal = np.maximum(OF_TORQUE * magnitude, OF_LIMIT * scale)
    return np.minimum(equal, limiter.rates * LONGEST_STEP)
