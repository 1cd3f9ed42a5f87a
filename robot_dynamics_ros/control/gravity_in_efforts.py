"""Gravity in measured efforts: of a driver that adds it to commands, or that takes it out.

Both are found by one fit: of what is measured beyond what is expected, by a multiple of g(q).
"""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array, all_finite

from .settings import UNKNOWN_LIMIT

# Time constant of the fading memory [s].
MEMORY = 0.5
# An excess is gravity if its fitted share of the gravity torque lies between these, and the fit
# explains at least this part of its sum of squares.
SHARE = (0.7, 1.3)
EXPLAINED = 0.95
# Gravity must have this share of the effort limits, by the root mean square of the joints, to tell
# anything of efforts [-].
TELLING = 0.07
# A residual below this share of gravity, by the norm, is one of a fitting model [-].
FITS = 0.5

ABSENT = (
    'contain no gravity: the driver takes it out or adds it itself, or they are not in N m (or N)'
)


class GravityFit:
    """Fits an excess of torque by a multiple of g(q), by least squares with a fading memory.

    An unknown payload or friction differs from g(q) in shape or size.

    Attributes:
        share: of the gravity torque, by the fit [-]; NaN before the states cover `MEMORY`.
        seen: time that the states cover [s].
    """

    def reset(self) -> None:
        """Drop all states."""
        self.share, self.seen = math.nan, 0.0
        # Excess times gravity, gravity squared, excess squared.
        self._products = np.zeros(3)

    def observe(self, excess: Array, gravity: Array, elapsed: float) -> None:
        """Take a state into the fit.

        Args:
            excess: (k,) what is measured beyond what is expected [N m or N].
            gravity: (k,) gravity torque at this state [N m or N].
            elapsed: time since the last state [s].
        """
        self._products *= math.exp(-elapsed / MEMORY)
        self._products += excess @ gravity, gravity @ gravity, excess @ excess
        self.seen += elapsed
        mixed, weight, _ = self._products
        self.share = float(mixed / weight) if self.seen >= MEMORY and weight > 0.0 else math.nan

    @property
    def is_gravity(self) -> bool:
        """Whether the excess has the size and the shape of the gravity torque."""
        mixed, weight, square = self._products
        fits = mixed * mixed > EXPLAINED * weight * square
        return bool(SHARE[0] <= self.share <= SHARE[1] and fits)


class DoubleCompensation(GravityFit):
    """Whether a driver adds gravity: the measured effort then exceeds the command by g(q)."""

    def __init__(self, size: int) -> None:
        """Without a state yet.

        Args:
            size: number of commanded joints, k.
        """
        # The last measured effort of each joint.
        self._measured = np.zeros(size)
        self.reset()

    def reset(self) -> None:
        """Drop all states: what is commanded has changed."""
        super().reset()
        self._measured.fill(math.nan)
        # When the last state came [s].
        self._time = math.nan

    def compare(self, measured: Array, command: Array, gravity: Array, now: float) -> None:
        """Take a state, once the effort of each joint has been measured.

        Args:
            measured: (k,) efforts of the state [N m or N]; NaN for joints that it does not hold.
            command: (k,) the last command [N m or N].
            gravity: (k,) gravity torque at this state [N m or N].
            now: [s], on the clock of the node.
        """
        elapsed = 0.0 if math.isnan(self._time) else now - self._time
        self._time = now
        if not all_finite(measured):
            np.copyto(self._measured, measured, where=~np.isnan(measured))
            measured = self._measured
            if not all_finite(measured):
                return
        self.observe(measured - command, gravity, elapsed)


class GravityCheck(GravityFit):
    """Compares the residual of an observer with gravity, until efforts have once fitted.

    An effort without the gravity torque leaves the residual g(q); one in ampere or percent leaves
    a large share of it. So does a large contact: it is taken for neither once the efforts have
    fitted, and if it is there from the start, until it ends.

    Attributes:
        fits: whether the efforts have been found to fit. Then they are not compared any more.
        reason: why the efforts cannot be used, as a phrase; empty if they can, or if nothing is
            known yet because gravity is too small in this pose.
        known: whether there has been the time to find that out.
    """

    def __init__(self, limits: Array) -> None:
        """Without a state.

        Args:
            limits: (k,) effort limits of the joints [N m or N]; infinite for none.
        """
        finite = limits[np.isfinite(limits)]
        largest = float(finite.max()) if finite.size else UNKNOWN_LIMIT
        # So the limit of a lift, in N, does not decide what tells for the joints that turn.
        self._shares = 1.0 / np.minimum(limits, largest)
        self._telling = TELLING**2 * len(limits)
        self.distrust()

    @property
    def known(self) -> bool:
        """See the attributes of the class."""
        return self.fits or self.seen >= MEMORY

    def reset(self) -> None:
        """Drop all states after a discontinuity; what was found stays."""
        super().reset()
        # The shares of the effort limits that gravity needs, squared; and the weight of the
        # states.
        self._needed = self._weight = 0.0

    def distrust(self) -> None:
        """Forget what was found too: the efforts come from another device."""
        self.fits, self.reason = False, ''
        self.reset()

    def step(self, residual: Array, gravity: Array, elapsed: float) -> None:
        """Take a state.

        Args:
            residual: (k,) external torque by the observer, nothing taken off [N m or N].
            gravity: (k,) gravity torque at this state [N m or N].
            elapsed: time since the last state [s].
        """
        kept, share = math.exp(-elapsed / MEMORY), self._shares * gravity
        self._needed = kept * self._needed + float(share @ share)
        self._weight = kept * self._weight + 1.0
        self.observe(residual, gravity, elapsed)
        if self.seen < MEMORY or self._needed < self._telling * self._weight:
            return
        _, weight, square = self._products
        ratio = math.sqrt(square / weight)
        if ratio < FITS:
            self.fits, self.reason = True, ''
        elif self.is_gravity:
            self.reason = ABSENT
        elif self.reason in ('', ABSENT):
            # The first figure stays: it changes with each state, and the log has each reason once.
            self.reason = (
                f'leave a residual of {ratio:.2g} times gravity: are they in N m (or N), not in A '
                'or %, is the payload set, and does nothing touch the arm?'
            )
