"""The only place where a command changes: fade, effort limit, rate limit; never by a step."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .settings import torque_rates

# A step is limited as if no more time had passed [s]: after a pause the command goes on from where
# it was, without a leap.
LONGEST_STEP = 0.02
# Fritsch and Carlson, "Monotone piecewise cubic interpolation" (1980).
STEEPEST = 3.0
# A shorter duration of a fade counts as zero [s].
SHORTEST = 1e-6


class Fade:
    """Bumpless transfer: the offset between the last command and the new target decays.

    command(t) = target(t) + (1 - s) (last command - target at the change), with the smooth step
    s = 3 x^2 - 2 x^3 and x from 0 to 1 over the duration. It starts at the last command and ends,
    at rest, on the target, which may move meanwhile.

    A change during a fade keeps the slope at which the offset decays. So a target that changes
    again and again is followed; fades that each began at rest would never reach it. The slope is
    reduced where it would carry the offset beyond zero.
    """

    def __init__(self, size: int) -> None:
        self.duration = 0.0
        self._offset, self._slope = np.zeros((2, size))
        # Share of the duration that has passed.
        self._progress = 1.0
        self._begun = False

    @property
    def running(self) -> bool:
        """Whether an offset is left."""
        return self._progress < 1.0

    @property
    def left(self) -> float:
        """Time until the offset is zero [s]."""
        return max(1.0 - self._progress, 0.0) * self.duration

    def begin(self, last: Array, target: Array, duration: float) -> None:
        """Start from the last command (k,) towards a target (k,) [N m or N], in a time [s]."""
        before, self.duration = self.duration, duration
        if self.running and before > SHORTEST:
            x = self._progress
            self._slope *= (1.0 - x) * (1.0 - 3.0 * x)
            self._slope -= 6.0 * (x - x * x) * self._offset
            # Slopes are with respect to x, which now runs over another duration.
            self._slope *= duration / before
        else:
            self._slope.fill(0.0)
        np.subtract(last, target, out=self._offset)
        # A cubic that ends at rest overshoots zero if its first slope is steeper than this.
        steepest = -STEEPEST * self._offset
        np.clip(self._slope, np.minimum(steepest, 0.0), np.maximum(steepest, 0.0), out=self._slope)
        self._progress = 0.0 if duration > SHORTEST else 1.0
        self._begun = True

    def apply(self, command: Array, elapsed: float) -> None:
        """Add the rest of the offset to a target, in place.

        Args:
            command: (k,) the target, which becomes the command [N m or N].
            elapsed: time since the last call [s]; not counted in the first one after `begin`.
        """
        if not self._begun:
            self._progress += elapsed / self.duration if self.duration else math.inf
        self._begun = False
        if self.running:
            # The cubic that begins with the offset and its slope, and ends at zero, at rest.
            x = self._progress
            command += (1.0 - x * x * (3.0 - 2.0 * x)) * self._offset
            command += x * (1.0 - x) ** 2 * self._slope


class Limiter:
    """Leads the last command to a target that may move.

    The fade comes first, then the effort limits, then the rate limits. These take precedence:
    where the effort limits are lowered below the present command, it decreases at the rate limit.

    Attributes:
        effort: (k,) the last command [N m or N].
        limits: (k,) largest command [N m or N].
        rates: (k,) largest change [N m/s or N/s].
        saturated: (k,) which commands of the last step differ from what was requested.
        counts: (k,) number of steps in which they did.
    """

    def __init__(self, limits: Array, fade_time: float) -> None:
        """At zero torque; arguments as of `use`."""
        size = limits.size
        self.effort, self._command, self._requested, self._clamped = np.zeros((4, size))
        self.saturated = np.zeros(size, dtype=bool)
        self.counts = np.zeros(size, dtype=np.int64)
        self._fade = Fade(size)
        # The duration of the fade that begins with the next step [s]; None if none does.
        self._due: float | None = None
        self.use(limits, fade_time)

    def use(self, limits: Array, fade_time: float) -> None:
        """Limit to these from the next step on; a running fade keeps its duration.

        Args:
            limits: (k,) largest command [N m or N]; infinite where there is no limit.
            fade_time: of the fades for which `request_fade` gives none [s].
        """
        # A command beyond lower limits decreases within 0.1 s, whatever they are.
        largest = np.maximum(limits, np.abs(self.effort))
        self.limits, self.rates, self._fade_time = limits, torque_rates(largest), fade_time
        # A command at the old limits may be short of the new ones.
        self._at_target = False

    @property
    def requested(self) -> Array:
        """A copy of what the last step requested, before the limits (k,) [N m or N]."""
        return self._requested.copy()

    @property
    def fading(self) -> bool:
        """Whether a fade is running."""
        return self._fade.running

    @property
    def fade_left(self) -> float:
        """Time that is left of the fade that is running, or is due [s]."""
        return self._fade.left if self._due is None else self._due

    @property
    def reached_target(self) -> bool:
        """Whether the last command is at its target, or at the limits, and no fade is due."""
        return self._at_target and not self.fading and self._due is None

    def longest_time(self, largest_target: Array) -> float:
        """Upper bound of the time to a target of at most that magnitude (k,) [s]."""
        slowest = float(((np.abs(self.effort) + largest_target) / self.rates).max())
        return max(self._fade.duration, self._due or 0.0, self._fade_time) + slowest

    def request_fade(self, fade_time: float | None = None) -> None:
        """Begin a fade with the next step, of that duration [s]; None: that of the settings."""
        self._due = self._fade_time if fade_time is None else fade_time

    def begin_at(self, effort: Array) -> None:
        """Take this (k,) for the last command [N m or N]; a fade begins.

        Beyond the limits it decreases at the rate limit.
        """
        self.effort[:] = effort
        self._fade = Fade(self.effort.size)
        self.use(self.limits, self._fade_time)
        self.request_fade()

    def step(self, target: Array, elapsed: float) -> None:
        """Compute the next command, in `effort`.

        Args:
            target: (k,) torque that is wanted [N m or N].
            elapsed: time since the last step [s].
        """
        command, last = self._command, self.effort
        if self._due is not None:
            self._fade.begin(last, target, self._due)
            self._due = None
        command[:] = target
        self._fade.apply(command, elapsed)
        self._requested[:] = command
        # In no time the command does not change, even at an infinite rate.
        step = self.rates * min(elapsed, LONGEST_STEP) if elapsed else 0.0
        # Two calls of a ufunc each: np.clip takes three times as long for so few numbers.
        np.minimum(command, self.limits, out=self._clamped)
        np.maximum(self._clamped, -self.limits, out=self._clamped)
        np.minimum(self._clamped, last + step, out=command)
        np.maximum(command, last - step, out=command)
        self._at_target = bool((command == self._clamped).all())
        np.not_equal(command, self._requested, out=self.saturated)
        self.counts += self.saturated
        last[:] = command
