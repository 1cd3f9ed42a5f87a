"""Decides at which torque commands begin that continue no known command.

A controller keeps the last command of a process that has died. The next process does not know that
command. If the arm is being held, the gravity torque of its position is near that command.
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
# A measured effort equals the gravity torque within the larger of these shares: of that torque and
# of the effort limit (of the largest gravity torque where there is no limit) [-].
OF_GRAVITY, OF_LIMIT = 0.1, 0.02


class CommandStart:
    """Begins commands at zero, or at the gravity torque of an arm that is being held.

    Attributes:
        known: whether the last command of the transition is that of the robot; it then continues.
        decision: what was found about the arm, for the log; empty if they begin at zero anyway.
        held: whether the arm was found to be held by its gravity torque.
    """

    def __init__(self, transition: CommandTransition) -> None:
        """Nothing has been commanded yet.

        Args:
            transition: of the commands.
        """
        self._transition = transition
        self.known, self.held, self.decision = False, False, ''
        self._since = self._last = math.nan
        self._q: Array | None = None
        self._effort: Array | None = None

    def continue_from(self, other: CommandStart) -> None:
        """Take over what is known from the guard of another robot with the same joints."""
        self.known, self.held, self.decision = other.known, other.held, other.decision

    def forget(self) -> None:
        """The last command is not that of the robot any more: nothing applies it."""
        if self.known:
            self._transition.begin_at(np.zeros_like(self._transition.effort))
        self.known, self._q = False, None

    def watch(self, q: Array, effort: Array | None, now: float) -> bool:
        """Take a state while nothing is commanded; whether it can be decided where to begin.

        Args:
            q: (k,) positions [rad or m].
            effort: (k,) measured efforts [N m or N]; None if they were not measured.
            now: [s], on a monotonic clock.
        """
        # States with a pause between them say nothing about the pause.
        if self._q is None or now - self._last > WATCHED:
            self._since, self._q, self._moved = now, q.copy(), 0.0
        self._moved = max(self._moved, float(np.abs(q - self._q).max()))
        self._last, self._effort = now, effort
        return now - self._since >= WATCHED

    def begin(self, gravity: Array | None) -> None:
        """Begin to command.

        Args:
            gravity: (k,) gravity torque at the last state that was watched [N m or N]; None to
                begin at zero without a decision.
        """
        self.held, self.decision = False, ''
        if gravity is not None:
            self._decide(gravity)
        begin = (
            gravity
            if gravity is not None and self.held
            else np.zeros_like(self._transition.effort)
        )
        self._transition.begin_at(begin)
        self.known, self._q = True, None

    def _decide(self, gravity: Array) -> None:
        if self._moved > REST:
            self.decision = f'a joint has moved by {self._moved:.2g} rad or m in {WATCHED:g} s'
        elif self._effort is None or not np.isfinite(self._effort).all():
            self.held, self.decision = True, 'the arm is at rest, and efforts are not measured'
        else:
            excess = np.abs(self._effort - gravity) - _tolerance(gravity, self._transition.limiter)
            worst = int(excess.argmax())
            self.held = bool(excess[worst] <= 0.0)
            self.decision = (
                'the measured efforts equal the gravity torque'
                if self.held
                else f'a measured effort is {self._effort[worst]:.3g} where gravity needs '
                f'{gravity[worst]:.3g}: the arm is held by something else'
            )


def _tolerance(gravity: Array, limiter: TorqueLimiter) -> Array:
    """Largest difference (k,) from the gravity torque; at most that of the rate limit."""
    magnitude = np.abs(gravity)
    scale = np.where(np.isfinite(limiter.limits), limiter.limits, magnitude.max())
    equal = np.maximum(OF_GRAVITY * magnitude, OF_LIMIT * scale)
    return np.minimum(equal, limiter.rates * LONGEST_STEP)
