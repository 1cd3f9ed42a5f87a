"""What `effort` in joint states means (parameter `driver_effort`), and whether the data fit that.

Nothing else knows what the values of `driver_effort` mean. Two torques follow from an effort: what
the drives apply of commands, for whoever compares it with commands, and the torque that holds and
moves the links, with gravity, for the observer of external forces.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .settings import UNKNOWN_LIMIT, DriverEffort

# Torque of the drives on the links = sign * effort + share * g(q): sign and share. What has no
# row is not a torque.
MEANINGS: dict[DriverEffort, tuple[float, float]] = {
    'torque': (1.0, 0.0),
    'reversed_torque': (-1.0, 0.0),
    'torque_without_gravity': (1.0, 1.0),
}
# Gravity must have this share of the effort limits, by the root mean square of the joints, to tell
# anything of efforts [-].
TELLING = 0.07
# Efforts equal a multiple of gravity if the difference is below this share of it, by the norm [-].
FITS = 0.5
# A joint moves from this speed on [rad/s or m/s].
SLOWEST = 0.02
# Time constant of the fading memory [s].
MEMORY = 0.5
# An excess is gravity if its fitted share of the gravity torque lies between these, and the fit
# explains at least this part of its sum of squares.
SHARE = (0.7, 1.3)
EXPLAINED = 0.95


def applied_torque(effort: Array | None, meaning: DriverEffort) -> Array | None:
    """What the drives apply of the commands, positive along the axes of the joints.

    An arm that the commands alone hold has its gravity torque here. Gravity that the driver adds
    is in it too, but not with 'torque_without_gravity' (see `shows_added_gravity`).

    Args:
        effort: as the driver publishes it [N m or N]; None if it does not.
        meaning: parameter driver_effort.

    Returns:
        Of the same shape [N m or N]; None if it was not measured, as with 'current' and 'none'.
    """
    if effort is None or meaning not in MEANINGS:
        return None
    return effort if MEANINGS[meaning][0] > 0.0 else -effort


def shows_added_gravity(meaning: DriverEffort) -> bool:
    """Whether the efforts of a driver that adds gravity to commands exceed these by g(q)."""
    return meaning in MEANINGS and MEANINGS[meaning][1] == 0.0


def link_torque(effort: Array, gravity: Callable[[], Array], meaning: DriverEffort) -> Array:
    """The torque of the drives that holds and moves the links, with gravity [N m or N].

    Args:
        effort: as the driver publishes it [N m or N].
        gravity: gives the gravity torque at this state, of the same shape [N m or N].
        meaning: parameter driver_effort, one of `MEANINGS`.
    """
    sign, share = MEANINGS[meaning]
    return sign * effort + share * gravity() if share else sign * effort


def effort_of(torque: Array, gravity: Array, meaning: DriverEffort) -> Array:
    """The effort of which a torque is the `link_torque`; gravity is of the same shape."""
    sign, share = MEANINGS[meaning]
    return sign * (torque - share * gravity)


class GravityFit:
    """Fits an excess of torque by a multiple of g(q), by least squares with a fading memory.

    An unknown payload or friction differs from g(q) in shape or size.

    Attributes:
        share: of the gravity torque, by the fit [-]; NaN before the states cover `MEMORY`.
        seen: time that the states cover [s].
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Drop all states."""
        self.share, self.seen = math.nan, 0.0
        # When the last state came [s].
        self._time = math.nan
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

    def elapsed(self, now: float) -> float:
        """The time since the last call [s], on the clock of the node; 0 for the first one."""
        before, self._time = self._time, now
        return 0.0 if math.isnan(before) else now - before

    @property
    def is_gravity(self) -> bool:
        """Whether the excess has the size and the shape of the gravity torque."""
        return SHARE[0] <= self.share <= SHARE[1] and self.has_its_shape

    @property
    def has_its_shape(self) -> bool:
        """Whether the excess is a multiple of the gravity torque."""
        mixed, weight, square = self._products
        return bool(mixed * mixed > EXPLAINED * weight * square)


class EffortFit(GravityFit):
    """Compares efforts with gravity, and finds the values of `driver_effort` that they fit.

    Efforts of an arm at rest, or of one that moves less what the motion needs, are g(q), -g(q) or
    small; a large multiple of g(q) is a current. A large contact is nothing of this.

    Attributes:
        meaning: value of driver_effort that they are compared with.
        fits: whether they have been found to fit it. Then they are not compared any more.
        commanded: whether the commands held the arm, steadily, at the last state of `watch`.
    """

    def __init__(self, limits: Array, meaning: DriverEffort) -> None:
        """With the effort limits (k,) of the joints [N m or N]; infinite for none."""
        finite = limits[np.isfinite(limits)]
        largest = float(finite.max()) if finite.size else UNKNOWN_LIMIT
        # So the limit of a lift, in N, does not decide what tells for the joints that turn.
        self._shares = 1.0 / np.minimum(limits, largest)
        self._telling = TELLING**2 * len(limits)
        self.meaning, self.commanded = meaning, False
        self.distrust()

    def use(self, meaning: DriverEffort) -> None:
        """Compare with another value of driver_effort from now on."""
        if meaning != self.meaning:
            self.meaning = meaning
            self.distrust()

    def distrust(self) -> None:
        """Forget what was found: the efforts come from another device."""
        self.fits = False
        self.reset()

    def step(self, effort: Array, gravity: Array, elapsed: float) -> bool:
        """Take a state, if gravity is large enough there.

        Args:
            effort: (k,) at rest, as the driver publishes it [N m or N].
            gravity: (k,) gravity torque at this state [N m or N].
            elapsed: time since the last state [s].

        Returns:
            Whether there has been the time to find out, or gravity is too small for that.
        """
        share = self._shares * gravity
        if share @ share < self._telling:
            return True
        self.observe(effort, gravity, elapsed)
        self.fits = self.meaning in self.fitting
        return self.seen >= MEMORY

    def watch(
        self, effort: Array, v: Array, gravity: Callable[[], Array], now: float, *, commanded: bool
    ) -> None:
        """Take a state, if the arm rests, whether it is commanded or not.

        Args:
            effort: (k,) the last of each joint, as the driver publishes it [N m or N].
            v: (k,) velocities [rad/s or m/s].
            gravity: gives the gravity torque (k,) at this state [N m or N].
            now: [s], on the clock of the node.
            commanded: whether the commands hold the arm: gravity is among the terms, and no fade
                is going on.
        """
        if commanded is not self.commanded:
            self.commanded = commanded
            self.distrust()
        if self.fits or self.meaning not in MEANINGS:
            return
        if np.abs(v).max() > SLOWEST:
            self._time = math.nan
            return
        self.step(effort, gravity(), self.elapsed(now))

    @property
    def contradiction(self) -> str:
        """What contradicts `meaning` by the states of `watch`, as a phrase; empty for nothing.

        Of an arm that is not commanded, something else may hold it: a brake leaves nothing of
        gravity in the efforts of its motors, but neither g(q) nor -g(q).
        """
        whatever = self.fitting in (('torque',), ('reversed_torque',))
        return self.doubt if whatever or (self.commanded and self.fitting) else ''

    @property
    def fitting(self) -> tuple[DriverEffort, ...]:
        """The values that the efforts fit; empty if none is known."""
        if self.seen < MEMORY:
            return ()
        if self._distance(1.0) < FITS:
            return ('torque',)
        if self._distance(-1.0) < FITS:
            return ('reversed_torque',)
        if self._distance(0.0) < FITS:
            return 'torque_without_gravity', 'current', 'none'
        return ('current',) if self.has_its_shape else ()

    @property
    def doubt(self) -> str:
        """What contradicts `meaning`, as a phrase; empty for nothing."""
        if self.fits or self.seen < MEMORY:
            return ''
        if self.fitting:
            return (
                f'measured efforts are {self.share:.2g} times gravity: driver_effort is '
                f'{self.meaning}, {" or ".join(self.fitting)} fits'
            )
        return (
            'measured efforts fit no value of driver_effort: are they in N m (or N), is the '
            'payload set, and does nothing touch the arm?'
        )

    def _distance(self, multiple: float) -> float:
        """Of the efforts from this multiple of gravity, by the norm, as a share of gravity [-]."""
        _, weight, square = self._products
        return math.sqrt(max(square / weight - 2.0 * multiple * self.share + multiple**2, 0.0))
