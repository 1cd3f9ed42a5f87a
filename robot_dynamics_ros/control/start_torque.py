"""Decides at which torque commands begin that continue no known command.

While a controller is inactive, the drive may keep the last command or not: measured efforts show
it. A controller keeps the last command of a process that has died, or of another publisher. This
process does not know that command. If the arm is being held, the gravity torque of its position is
near that command.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .limiter import LONGEST_STEP, Limiter
from .settings import OnRestart
from .supervisor import Inhibition

# Time over which states are watched before commands begin [s].
WATCHED = 0.3
# A joint that moves less than this in that time is at rest [rad or m].
REST = 0.002
# Efforts hold no arm whose share of its gravity torque is smaller [-].
UNLOADED = 0.2
# A measured effort equals an expected torque within the larger of these shares: of that torque and
# of the effort limit (of the largest expected torque where there is no limit) [-].
OF_TORQUE, OF_LIMIT = 0.1, 0.02

ZERO = 'zero torque'
HELD = Inhibition(
    'when commands were to begin, the measured efforts held the arm against gravity, and it '
    'is not known who commands them: set on_restart to take_over if the controller still '
    'applies the last torque of a process that was killed, to fade_from_zero if a position '
    'loop holds the arm beside this node; or remove gravity from terms if the driver adds it. '
    'Close the brake before if the arm moves',
    'when on_restart or terms say who holds the arm',
)
PARTLY = 'set the payload that it carries, or support the arm and set on_restart to fade_from_zero'


class StartTorque:
    """Begins commands at zero, at what the drive has kept, or at the gravity torque of a held arm.

    An arm is held if the measured efforts equal its gravity torque, or, where they are not
    measured, if it is at rest. Then commands begin, by `on_restart`,

    - 'fade_from_zero': at zero;
    - 'take_over': at the gravity torque;
    - 'automatic': at the gravity torque if the controller may have kept the command of a publisher
      that was seen. Otherwise not at all where efforts hold the arm, because the driver may add
      gravity, and at zero where they are not measured.

    Elsewhere they begin at zero, but not with 'automatic' where the efforts are a part of the
    gravity torque, or more. What has been refused stays so until `reconsider`, however the arm is
    touched meanwhile.

    Attributes:
        known: whether the last command of the limiter is that of the robot; it then continues.
        torque: at which commands have begun, as a phrase for the log.
        decision: what was found about the arm, for the log; empty if they begin at zero anyway.
    """

    def __init__(self, limiter: Limiter) -> None:
        """Nothing has been commanded yet.

        Args:
            limiter: of the commands.
        """
        self._limiter = limiter
        self.known, self.torque, self.decision = False, ZERO, ''
        size = limiter.effort.size
        self._since = math.nan
        self._moved, self._changed = 0.0, True
        self._q: Array | None = None
        # Of each joint: when it was in a state, in how many watched states its effort was
        # measured, the sum of these efforts, and whether it was in one of them.
        self._times, self._measured, self._efforts = np.zeros((3, size))
        self._watched = np.zeros(size, dtype=bool)
        # The last command before an interruption; None if there was none, or it is not trusted.
        self._kept: Array | None = None
        # Whether the controller may have kept a command.
        self._commanded = False
        # Why commands do not begin.
        self._refusal: Inhibition | None = None
        self._begin = np.zeros(size)

    def continue_from(self, other: StartTorque) -> None:
        """Take over what is known from the guard of another robot with the same joints."""
        self.known, self.torque, self.decision = other.known, other.torque, other.decision
        self._kept, self._commanded = other._kept, other._commanded
        self._refusal = other._refusal

    def may_have_commanded(self, *, trusted: bool) -> bool:
        """Whether the controller may have kept a command; arguments as of `forget`."""
        return self._commanded or self._kept is not None or (self.known and trusted)

    def forget(self, *, trusted: bool = True) -> None:
        """The last command may not be that of the robot any more: its controller is inactive.

        Args:
            trusted: whether to begin there again if the drive has kept it.
        """
        if self.known:
            self._kept = self._limiter.effort.copy() if trusted else None
            self._commanded = trusted
            self.decision = (
                ''
                if trusted
                else 'whether the driver adds gravity was not known before the interruption, so '
                'the last command is not continued'
            )
            self._limiter.begin_at(np.zeros_like(self._limiter.effort))
            self.revoke()
        self.known, self._q = False, None

    def another_commanded(self) -> None:
        """Another publisher has commanded the robot: its command is not known."""
        self.forget(trusted=False)
        # One that comes while commands are refused need not be who holds the arm.
        self._kept, self._commanded, self.decision = None, self._refusal is None, ''

    def reconsider(self) -> None:
        """Decide anew with the next states: somebody has acted."""
        self._refusal = None

    def needs_states(self, measured: bool, rule: OnRestart) -> bool:
        """Whether states are watched before commands begin.

        Args:
            measured: whether states contain efforts.
            rule: parameter on_restart.
        """
        if self._kept is not None or rule == 'take_over':
            return True
        return rule == 'automatic' and (self._commanded or measured)

    def watch(
        self,
        q: Array,
        effort: Array | None,
        held: npt.NDArray[np.bool_],
        now: float,
        *,
        timeout: float,
        rule: OnRestart,
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
            rule: parameter on_restart.
        """
        # States with a pause between them say nothing about the pause, nor does what was long ago
        # about the present arm; a drive that has changed its effort once has not kept the command.
        longest = max(WATCHED, timeout)
        paused = self._q is None or bool((now - self._times[held] > longest).any())
        if self._q is None or paused or now - self._since > 2.0 * longest:
            self._since, self._q, self._moved = now, q.copy(), 0.0
            self._changed &= not paused
            self._times.fill(now)
            for figures in (self._watched, self._measured, self._efforts):
                figures.fill(0)
        np.copyto(self._q, q, where=~self._watched)
        self._moved = max(self._moved, float(np.abs(q - self._q).max()))
        self._times[held] = now
        self._watched |= held
        present = np.full(q.size, math.nan) if effort is None else effort
        measured = held & ~np.isnan(present)
        self._efforts[measured] += present[measured]
        self._measured[measured] += 1.0
        if self._kept is not None:
            self._changed |= not self._equal(present, self._kept)[held].all()
        decided = now - self._since >= WATCHED and bool(self._watched.all())
        return decided or (self._changed and rule == 'fade_from_zero')

    def decide(self, gravity: Array, rule: OnRestart) -> Inhibition | None:
        """Decide where to begin, from the states that were watched.

        Args:
            gravity: (k,) gravity torque at the last state [N m or N].
            rule: parameter on_restart.

        Returns:
            Why commands must not begin; None if they may. Then call `begin`.
        """
        self.revoke()
        if rule != 'automatic':
            self.reconsider()
        if self._refusal is not None:
            return self._refusal
        if self._kept is not None and not self._changed:
            self._begin[:], self.torque = self._kept, 'the last command'
            self.decision = 'the measured efforts show that the drive has kept it'
        elif rule == 'fade_from_zero':
            self.decision = 'no measured efforts show that the drive has kept the last command'
        elif (small := self._equal(np.zeros_like(gravity), gravity)).all():
            self.decision = 'gravity is small at this position'
        else:
            self._judge(gravity, ~small, rule)
        return self._refusal

    def revoke(self) -> None:
        """Begin at zero, where the next state does not decide otherwise."""
        self._begin.fill(0.0)
        self.torque = ZERO

    def begin(self) -> None:
        """Begin to command: where that was decided with the last state, or at zero."""
        self._limiter.begin_at(self._begin)
        self._begin.fill(0.0)
        self.known, self._q, self._kept, self._commanded = True, None, None, False

    def _judge(self, gravity: Array, loaded: npt.NDArray[np.bool_], rule: OnRestart) -> None:
        """Decide by who holds the arm against a gravity torque (k,) that is not small.

        Args:
            gravity: (k,) [N m or N].
            loaded: (k,) of which joints it is not small: efforts of others tell nothing alone.
            rule: parameter on_restart.
        """
        counted = self._measured > 0.0
        if not (counted & loaded).any():
            self.decision = 'the arm is at rest, and efforts are not measured'
            if self._moved > REST:
                self.decision = f'a joint has moved by {self._moved:.2g} rad or m in {WATCHED:g} s'
            held = self._moved <= REST and (rule == 'take_over' or self._commanded)
        else:
            effort = self._efforts[counted] / self._measured[counted]
            needed = gravity[counted]
            away = np.abs(effort - needed) - _tolerance(gravity, self._limiter)[counted]
            held, worst = bool((away <= 0.0).all()), int(away.argmax())
            self.decision = 'the measured efforts equal the gravity torque'
            if held and rule == 'automatic' and not self._commanded:
                self._refusal = HELD
            elif not held:
                holder = 'the arm moves' if self._moved > REST else 'something else holds the arm'
                self.decision = (
                    f'a measured effort is {effort[worst]:.3g} where gravity needs '
                    f'{needed[worst]:.3g}: {holder}'
                )
                share = effort @ needed / (needed @ needed)
                if rule == 'automatic' and abs(share) > UNLOADED:
                    self._refusal = Inhibition(f'{self.decision}; {PARTLY}', PARTLY)
        if held and self._refusal is None:
            limits = self._limiter.limits
            np.clip(gravity, -limits, limits, out=self._begin)
            self.torque = 'the gravity torque'

    def _equal(self, effort: Array, torque: Array) -> npt.NDArray[np.bool_]:
        """(k,) whether an effort was measured, and equals this torque (k,)."""
        return np.abs(effort - torque) <= _tolerance(torque, self._limiter)


def _tolerance(torque: Array, limiter: Limiter) -> Array:
    """Largest difference (k,) from an expected torque; at most that of the rate limit."""
    magnitude = np.abs(torque)
    scale = np.where(np.isfinite(limiter.limits), limiter.limits, magnitude.max())
    equal = np.maximum(OF_TORQUE * magnitude, OF_LIMIT * scale)
    return np.minimum(equal, limiter.rates * LONGEST_STEP)
