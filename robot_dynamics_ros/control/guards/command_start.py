"""Decides at which torque commands begin that continue no known command.

While a controller is inactive, the drive may keep the last command or not: measured efforts show
it. A controller keeps the last command of a process that has died. The next process does not know
that command. If the arm is being held, the gravity torque of its position is near that command.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

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
        size = transition.effort.size
        self._since = math.nan
        self._moved, self._changed = 0.0, True
        self._q: Array | None = None
        # Of each joint: when it was in a state, its effort there (NaN: not measured), and whether
        # that was while states were watched.
        self._times, self._effort = np.zeros(size), np.full(size, math.nan)
        self._shown = np.zeros(size, dtype=bool)
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
        self,
        q: Array,
        effort: Array | None,
        held: npt.NDArray[np.bool_],
        now: float,
        *,
        timeout: float,
        take_over: bool,
    ) -> bool:
        """Take a state while nothing is commanded; whether it can be decided where to begin.

        The joints may come in several states.

        Args:
            q: (k,) last positions of all joints [rad or m].
            effort: (k,) measured efforts [N m or N], NaN where they were not measured; None if
                none was.
            held: (k,) which joints the state holds.
            now: [s], on a monotonic clock.
            timeout: the longest time between two states of a joint that is no pause [s].
            take_over: whether commands may begin at the gravity torque.
        """
        # States with a pause between them say nothing about the pause.
        if self._q is None or (now - self._times[held] > max(WATCHED, timeout)).any():
            self._since, self._q, self._moved, self._changed = now, q.copy(), 0.0, False
            self._times.fill(now)
            self._shown.fill(False)
        np.copyto(self._q, q, where=~self._shown)
        self._moved = max(self._moved, float(np.abs(q - self._q).max()))
        self._times[held], self._shown[held] = now, True
        self._effort[held] = math.nan if effort is None else effort[held]
        if self._kept is not None:
            self._changed |= not self._equals(self._kept)[held].all()
        decided = now - self._since >= WATCHED and bool(self._shown.all())
        return decided or (self._changed and not take_over)

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
        if np.isnan(self._effort).any():
            self.decision = 'the arm is at rest, and efforts are not measured'
            return True
        if self._equals(gravity).all():
            self.decision = 'the measured efforts equal the gravity torque'
            return True
        excess = np.abs(self._effort - gravity) - _tolerance(gravity, self._transition.limiter)
        worst = int(excess.argmax())
        self.decision = (
            f'a measured effort is {self._effort[worst]:.3g} where gravity needs '
            f'{gravity[worst]:.3g}: the arm is held by something else'
        )
        return False

    def _equals(self, torque: Array) -> npt.NDArray[np.bool_]:
        """(k,) whether the effort of a joint was measured, and equals this torque (k,)."""
        tolerance = _tolerance(torque, self._transition.limiter)
        return np.asarray(np.abs(self._effort - torque) <= tolerance)


def _tolerance(torque: Array, limiter: TorqueLimiter) -> Array:
    """Largest difference (k,) from an expected torque; at most that of the rate limit."""
    magnitude = np.abs(torque)
    scale = np.where(np.isfinite(limiter.limits), limiter.limits, magnitude.max())
    equal = np.maximum(OF_TORQUE * magnitude, OF_LIMIT * scale)
    return np.minimum(equal, limiter.rates * LONGEST_STEP)
