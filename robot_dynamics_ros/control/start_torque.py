"""Decides at which torque commands begin: what the drive applies then is not known.

Silence forgets: the drive may keep the last command or not, another publisher may have commanded,
the driver may hold the arm. Measured efforts show which: they equal the last command, the gravity
torque, neither, or they are not measured.
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
    'loop, or a closed brake under link-side torque sensors, holds the arm; or remove gravity '
    'from terms if the driver adds it. Close the brake before if the arm moves'
)


class StartTorque:
    """Begins commands at zero, at the last command, or at the gravity torque of a held arm.

    Where the measured efforts equal the last command, the drive has kept it: commands begin there.
    Otherwise `on_restart` decides. An arm is held if the measured efforts equal its gravity
    torque, or, where they are not measured, if it is at rest.

    - 'fade_from_zero': at zero;
    - 'take_over': at the gravity torque of a held arm, else at zero;
    - 'automatic': at the gravity torque of a held arm that another publisher has commanded. Not at
      all where efforts hold the arm without one, because the driver may add gravity, or where they
      are a part of the gravity torque, or more. Else at zero.

    What has been refused stays so until `watch_anew`, however the arm is touched meanwhile.

    Attributes:
        torque: at which commands have begun, as a phrase for the log.
    """

    def __init__(self, limiter: Limiter) -> None:
        self._limiter, size = limiter, limiter.effort.size
        self.torque = ZERO
        # What may be kept: the last command (k,), or that of another publisher; None if none has
        # come. One that came while commands were refused need not be who holds the arm.
        self._last: Array | None = None
        self._another: bool | None = None
        # Why commands do not begin.
        self._refusal: Inhibition | None = None
        self._q: Array | None = None
        # Of each joint: when it was in a state, in how many watched states its effort was
        # measured, the sum of these efforts, and whether it was in one of them.
        self._times, self._measured, self._efforts = np.zeros((3, size))
        self._watched = np.zeros(size, dtype=bool)
        self._begin = np.zeros(size)
        self.watch_anew()

    def continue_from(self, other: StartTorque) -> None:
        """Take over what is known from the guard of another robot with the same joints."""
        self._last, self._another, self._refusal = other._last, other._another, other._refusal

    def forget(self, last: Array | None, *, another: bool = False) -> None:
        """What the drive applies is not known any more.

        It may be the last command (k,), None if that was not of this process, or that of another.
        """
        if not another:
            self._another = None
        elif self._another is None:
            self._another = self._refusal is None
        self._last = None if last is None or not last.any() else last.copy()
        self.watch_anew()

    def watch_anew(self) -> None:
        """Decide by the states that come from now on: somebody has acted."""
        self._refusal, self._q = None, None
        self._since, self._moved, self._changed = math.nan, 0.0, False
        self._begin_at(None)

    def needs_states(self, measured: bool, rule: OnRestart, gravity: bool) -> bool:
        """Whether states, in which efforts are measured or not, are watched before the begin.

        `gravity`: whether that is commanded.
        """
        if self._last is not None and measured:
            return True
        asks = rule == 'take_over' or (rule == 'automatic' and bool(self._another or measured))
        return gravity and asks

    def watch(
        self,
        q: Array,
        effort: Array | None,
        held: npt.NDArray[np.bool_],
        now: float,
        *,
        timeout: float,
    ) -> bool:
        """Take a state while nothing is commanded; whether it can be decided where to begin.

        The joints may come in several states.

        Args:
            q: (k,) last positions of all joints [rad or m].
            effort: (k,) measured efforts [N m or N], NaN where they were not measured; None if
                none was.
            held: (k,) which joints the state holds.
            now: [s], on the clock of the node.
            timeout: the longest time between two states of a joint that is no pause [s].
        """
        # States with a pause between them say nothing about the pause, nor does what was long ago
        # about the present arm.
        longest = max(WATCHED, timeout)
        paused = self._q is None or bool((now - self._times[held] > longest).any())
        if self._q is None or paused or now - self._since > 2.0 * longest:
            self._since, self._q, self._moved, self._changed = now, q.copy(), 0.0, False
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
        if self._last is not None:
            self._changed |= not self.equal(present, self._last)[held].all()
        return now - self._since >= WATCHED and bool(self._watched.all())

    def decide(self, gravity: Array, rule: OnRestart) -> Inhibition | None:
        """Decide where to begin, from the states that were watched.

        Args:
            gravity: (k,) torque that holds the arm at the last state [N m or N].
            rule: parameter on_restart.

        Returns:
            Why commands must not begin; None if they may. Then call `begin`.
        """
        if self._refusal is not None:
            return self._refusal
        self._begin_at(None)
        small = self.equal(np.zeros_like(gravity), gravity)
        if self._last is not None and not self._changed:
            self._begin_at(self._last, 'the last command')
        elif rule != 'fade_from_zero' and not small.all():
            self._judge(gravity, ~small, rule)
        return self._refusal

    def begin(self) -> None:
        """Begin to command: where that was decided with the last state, or at zero."""
        self._limiter.begin_at(self._begin)
        self._last = self._another = self._q = None

    def _begin_at(self, torque: Array | None, name: str = ZERO) -> None:
        self._begin[:] = 0.0 if torque is None else torque
        self.torque = name

    def _judge(self, gravity: Array, loaded: npt.NDArray[np.bool_], rule: OnRestart) -> None:
        """Decide by who holds the arm against a gravity torque (k,) that is not small.

        `loaded` (k,): of which joints it is not small; efforts of others tell nothing alone.
        """
        counted = self._measured > 0.0
        if not (counted & loaded).any():
            held = self._moved <= REST and (rule == 'take_over' or bool(self._another))
        else:
            effort = self._efforts[counted] / self._measured[counted]
            needed = gravity[counted]
            away = np.abs(effort - needed) - _tolerance(gravity, self._limiter)[counted]
            held, worst = bool((away <= 0.0).all()), int(away.argmax())
            if held and rule == 'automatic' and not self._another:
                self._refusal = HELD
            elif not held and rule == 'automatic':
                share = effort @ needed / (needed @ needed)
                if abs(share) > UNLOADED:
                    self._refusal = Inhibition(
                        f'a measured effort is {effort[worst]:.3g} where gravity needs '
                        f'{needed[worst]:.3g}; set the payload that it carries, or support the '
                        'arm and set on_restart to fade_from_zero'
                    )
        if held and self._refusal is None:
            limits = self._limiter.limits
            self._begin_at(np.clip(gravity, -limits, limits), 'the gravity torque')

    def equal(self, effort: Array, torque: Array) -> npt.NDArray[np.bool_]:
        """(k,) whether an effort was measured, and equals this torque (k,)."""
        return np.abs(effort - torque) <= _tolerance(torque, self._limiter)


def _tolerance(torque: Array, limiter: Limiter) -> Array:
    """Largest difference (k,) from an expected torque; at most that of the rate limit."""
    magnitude = np.abs(torque)
    scale = np.where(np.isfinite(limiter.limits), limiter.limits, magnitude.max())
    equal = np.maximum(OF_TORQUE * magnitude, OF_LIMIT * scale)
    return np.minimum(equal, limiter.rates * LONGEST_STEP)
