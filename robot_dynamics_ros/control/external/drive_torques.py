"""The states that an observer is given: new, whole, and with efforts that fit gravity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array, all_finite
from robot_dynamics_ros.core.model.robot import RobotModel

from ..torque_text import torque_text, units_of

NO_STATE = 'no joint state yet'
# An effort counts as not measured beyond this multiple of its limit [-].
LARGEST = 10.0
# Of the time since the last step: stamps of joints that lie so far apart are of two states. What
# lies further apart are the clocks of two drivers.
APART = (0.5, 1.5)
# What each message holds of each joint: rows of `DriveTorques.seen`.
STATE, VELOCITY, EFFORT = 0, 1, 2


class GivenState(NamedTuple):
    """What one joint state holds.

    Attributes:
        q: (n,) positions [rad or m]; NaN for joints that it does not hold.
        v: (n,) velocities [rad/s or m/s], NaN where not measured; None if none was.
        effort: (n,) efforts [N m or N], likewise.
    """

    q: Array
    v: Array | None
    effort: Array | None


def choice(indices: npt.NDArray[np.intp]) -> slice | npt.NDArray[np.intp]:
    """What chooses the entries with these indices: as a view, where that is possible.

    A view takes a tenth of the time of a copy.
    """
    count_up = np.array_equal(indices, np.arange(len(indices)))
    return slice(len(indices)) if count_up else indices


class DriveTorques:
    """Collects the commanded joints of joint states, until each has come anew and as a whole.

    A joint counts as soon as a message has its position, its velocity and its effort, with a stamp
    of its own: a step with a joint of the last time would take its motion, and its effort, for
    standing still. Where the joints that have come are of two states, after a message was lost,
    the rest of the later one is waited for.

    Attributes:
        q: (n,) positions of the last step [rad or m].
        v: (n,) velocities of the last step [rad/s or m/s].
        effort: (n,) of the last step [N m or N]; 0 of joints that are not commanded.
        stamp: of the last state that held the first commanded joint [s]; NaN before. Stamps of
            one joint are of one clock, those of several drivers may not be.
        seen: (3, k) how many states have held each joint, its velocity, and its effort.
    """

    def __init__(
        self, model: RobotModel, joints: Sequence[str], indices: npt.NDArray[np.intp]
    ) -> None:
        """Without a state.

        Args:
            model: of the robot, with n independent joints.
            joints: names of the commanded joints, k of them.
            indices: (k,) of these among the independent joints.
        """
        self._joints, self._units, size = tuple(joints), units_of(model, joints), len(joints)
        self._limits = model.effort_bounds[indices]
        # No NaN is below, and no infinity.
        self._bounds = np.minimum(LARGEST * self._limits, np.finfo(float).max)
        self._chosen = choice(indices)
        self.q, self.v, self.effort = np.zeros((3, model.size))
        # q, v and effort of each joint as it came last as a whole, with its stamp.
        self._whole, self._stamps = np.zeros((3, size)), np.empty(size)
        self._size, self._within = np.empty(size), np.empty(size, bool)
        self._all_seen, self._part_seen = 0, np.zeros((3, size), dtype=np.int64)
        # Which came as a whole since the last step.
        self._new = np.empty(size, bool)
        # What the last state of each joint held; and whether states have held its velocity without
        # its effort, and the other way round, since one was whole.
        self._had, self._apart = np.empty((3, size), bool), np.empty((2, size), bool)
        # Why an effort is not taken that is beyond its bound, empty while none is; of which joint.
        self._beyond, self._worst = '', 0
        self.reset()

    @property
    def seen(self) -> npt.NDArray[np.int64]:
        """See the attributes of the class."""
        return self._part_seen + np.int64(self._all_seen)

    def reset(self) -> None:
        """Forget all states."""
        self.stamp = self._stepped = math.nan
        self._stamps.fill(math.nan)
        # Whether the last state was whole: `_stamps` is of the one before then.
        self._was_whole, self._waits, self._beyond = False, False, ''
        for flags in (self._new, self._had, self._apart):
            flags.fill(False)

    def take(self, stamp: float, q: Array, v: Array, given: GivenState) -> bool:
        """Take a state; whether a step is due.

        Args:
            stamp: of the state [s].
            q: (n,) last positions of all joints [rad or m].
            v: (n,) last velocities of all joints [rad/s or m/s].
            given: what the state itself holds.
        """
        effort = None if given.effort is None else given.effort[self._chosen]
        if effort is not None and given.v is not None:
            np.less_equal(np.absolute(effort, self._size), self._bounds, self._within)
            # A tenth of the time that all() takes.
            within = 0 not in self._within.tobytes()
            if within and all_finite(given.q[self._chosen]) and all_finite(given.v[self._chosen]):
                self._all_seen += 1
                if stamp == self.stamp:
                    return False
                # The fast way of most drivers.
                self.stamp = self._stepped = stamp
                self.q[:], self.v[:] = q, v
                self.effort[self._chosen] = effort
                self._was_whole, self._waits = True, False
                return True
        return self._take_part(stamp, q, v, given)

    def missing(self) -> str:
        """Why no step is due, as a phrase: what has not come of which joints."""
        held, moves, drives = self._had
        if not held.all():
            return NO_STATE
        if names := self._named(np.logical_and(*self._apart)):
            return (
                f'velocity and effort of {names} come in different joint states: external torques '
                'need both in one'
            )
        if names := self._named(~moves):
            return (
                f'velocity of {names} is not measured: external torques need measured velocities'
            )
        if self._beyond:
            return self._beyond
        if names := self._named(~drives):
            return f'effort of {names} is not measured: external torques need measured efforts'
        return NO_STATE

    def _take_part(self, stamp: float, q: Array, v: Array, given: GivenState) -> bool:
        """As `take`, of a state that does not hold all of each joint."""
        if self._was_whole:
            self._was_whole, self._beyond = False, ''
            self._stamps.fill(self.stamp)
            self._new.fill(False)
            self._had.fill(True)
            self._apart.fill(False)
        nothing = np.full(len(self._joints), math.nan)
        own = given.q[self._chosen]
        moves = nothing if given.v is None else given.v[self._chosen]
        drives = nothing if given.effort is None else given.effort[self._chosen]
        beyond = np.abs(drives) > self._bounds
        held = ~np.isnan(own)
        if held[self._worst] and not beyond[self._worst]:
            self._beyond = ''
        if beyond.any() and not self._beyond:
            # The next state has another number, and the log has each reason once.
            self._worst = int(beyond.argmax())
            self._beyond = self._excess(self._worst, drives)
        moving, driven = held & np.isfinite(moves), held & np.isfinite(drives) & ~beyond
        had = np.array([held, moving, driven])
        self._had[:, held] = had[:, held]
        self._part_seen += had
        self._apart |= (moving & ~driven, driven & ~moving)
        self._apart &= ~(moving & driven)
        whole = moving & driven & (self._stamps != stamp)
        if held[0]:
            self.stamp = stamp
        self._new |= whole
        for row, values in enumerate((own, moves, drives)):
            self._whole[row, whole] = values[whole]
        self._stamps[whole] = stamp
        if not self._new.all():
            return False
        # Once in a row: else drivers with unlike rates might never complete it.
        self._waits = not self._waits and self._of_two_states()
        if self._waits:
            return False
        self.q[:], self.v[:] = q, v
        self.q[self._chosen], self.v[self._chosen], self.effort[self._chosen] = self._whole
        self._stepped = self.stamp
        self._new.fill(False)
        return True

    def _of_two_states(self) -> bool:
        elapsed = self.stamp - self._stepped
        return APART[0] * elapsed < float(np.ptp(self._stamps)) < APART[1] * elapsed

    def _excess(self, index: int, effort: Array) -> str:
        name, unit = self._joints[index], self._units[index]
        return (
            f'effort of {name} is {torque_text(effort[index], unit)}, more than {LARGEST:g} '
            f'times its limit of {torque_text(self._limits[index], unit)}, and counts as not '
            f'measured: is it in {unit}, and is the limit of the description right?'
        )

    def _named(self, chosen: npt.NDArray[np.bool_]) -> str:
        """The names of these joints (k,)."""
        return ', '.join(compress(self._joints, chosen))


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


class GravityCheck:
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
        self.distrust()

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
        share = self._shares * gravity
        products = residual @ gravity, gravity @ gravity, residual @ residual, share @ share
        self._products = kept * self._products + products
        self._weight = kept * self._weight + 1.0
        self._seen += elapsed
        if self._seen < MEMORY:
            return
        mixed, weight, square, needed = (self._products / self._weight).tolist()
        if needed < self._telling:
            return
        ratio = math.sqrt(square / weight)
        absent = SHARE[0] <= mixed / weight <= SHARE[1]
        if ratio < FITS:
            self.fits, self.reason = True, ''
        elif absent and mixed * mixed > EXPLAINED * weight * square:
            self.reason = ABSENT
        elif self.reason in ('', ABSENT):
            # The first figure stays: it changes with each state, and the log has each reason once.
            self.reason = (
                f'leave a residual of {ratio:.2g} times gravity: are they in N m (or N), not in A '
                'or %, is the payload set, and does nothing touch the arm?'
            )
