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

from .gravity_in_efforts import MEMORY, GravityFit
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


class EffortFit(GravityFit):
    """Compares efforts with gravity, and finds the values of `driver_effort` that they fit.

    Efforts of an arm at rest, or of one that moves less what the motion needs, are g(q), -g(q) or
    small; a large multiple of g(q) is a current. A large contact is nothing of this.

    Attributes:
        meaning: value of driver_effort that they are compared with.
        fits: whether they have been found to fit it. Then they are not compared any more.
    """

    def __init__(self, limits: Array, meaning: DriverEffort) -> None:
        """Without a state.

        Args:
            limits: (k,) effort limits of the joints [N m or N]; infinite for none.
            meaning: value of driver_effort.
        """
        finite = limits[np.isfinite(limits)]
        largest = float(finite.max()) if finite.size else UNKNOWN_LIMIT
        # So the limit of a lift, in N, does not decide what tells for the joints that turn.
        self._shares = 1.0 / np.minimum(limits, largest)
        self._telling = TELLING**2 * len(limits)
        self.meaning = meaning
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


class EffortCheck(EffortFit):
    """Compares the efforts of states at rest, whether the arm is commanded or not.

    Attributes:
        commanded: whether the commands held the arm, steadily, at the last state.
    """

    def __init__(self, limits: Array, meaning: DriverEffort) -> None:
        """Arguments as of `EffortFit`."""
        super().__init__(limits, meaning)
        self.commanded = False

    def watch(
        self, effort: Array, v: Array, gravity: Callable[[], Array], now: float, *, commanded: bool
    ) -> None:
        """Take a state.

        Args:
            effort: (k,) the last of each joint, as the driver publishes it [N m or N].
            v: (k,) velocities [rad/s or m/s].
            gravity: gives the gravity torque (k,) at this state [N m or N].
            now: [s], on the clock of the guard.
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
        """What contradicts `meaning`, as a phrase; empty for nothing.

        Of an arm that is not commanded, something else may hold it: a brake leaves nothing of
        gravity in the efforts of its motors, but neither g(q) nor -g(q).
        """
        whatever = self.fitting in (('torque',), ('reversed_torque',))
        return self.doubt if whatever or (self.commanded and self.fitting) else ''
