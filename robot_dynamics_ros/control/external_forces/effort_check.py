"""Finds efforts that cannot be the torques of the drives: without gravity, or in another unit."""

from __future__ import annotations

import math

import numpy as np

from robot_dynamics_ros.core.checks import Array

# Time constant of the fading memory [s].
MEMORY = 0.5
# Gravity must have this share of the effort limits, by the root mean square of the joints, to tell
# anything [-].
TELLING = 0.07
# Stands for the limits of a robot without any [N m or N].
UNKNOWN_LIMIT = 10.0
# A residual below this share of gravity, by the norm, is one of a fitting model [-].
FITS = 0.5
# The residual is gravity if its fitted share lies between these, and the fit explains at least
# this part of its sum of squares.
SHARE = (0.7, 1.3)
EXPLAINED = 0.95

ABSENT = (
    'contain no gravity: the driver takes it out or adds it itself, or they are not in N m (or N)'
)


class EffortCheck:
    """Compares the residual with gravity, until efforts have once been found to fit.

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
        self.fits, self.reason = False, ''
        self.reset()

    @property
    def known(self) -> bool:
        """See the attributes of the class."""
        return self.fits or self._seen >= MEMORY

    def reset(self) -> None:
        """Drop all states after a discontinuity; what was found stays."""
        # Residual times gravity, gravity squared, residual squared, and the shares of the effort
        # limits that gravity needs, squared; and the weight of the states.
        self._products = np.zeros(4)
        self._weight = self._seen = 0.0

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
        kept = math.exp(-elapsed / MEMORY)
        self._products *= kept
        share = self._shares * gravity
        self._products += (
            residual @ gravity, gravity @ gravity, residual @ residual, share @ share
        )  # fmt: skip
        self._weight = kept * self._weight + 1.0
        self._seen += elapsed
        if self._seen < MEMORY:
            return
        mixed, weight, square, needed = (self._products / self._weight).tolist()
        if needed < self._telling:
            return
        ratio = math.sqrt(square / weight)
        if ratio < FITS:
            self.fits, self.reason = True, ''
        elif (
            SHARE[0] <= mixed / weight <= SHARE[1] and mixed * mixed > EXPLAINED * weight * square
        ):
            self.reason = ABSENT
        elif self.reason in ('', ABSENT):
            # The first figure stays: it changes with each state, and the log has each reason once.
            self.reason = (
                f'leave a residual of {ratio:.2g} times gravity: are they in N m (or N), not in A '
                'or %, is the payload set, and does nothing touch the arm?'
            )
