"""The states that an observer is given: new and whole, of the commanded joints."""

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
