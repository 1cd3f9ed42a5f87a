"""The states that an observer is given: new and whole, of the commanded joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.robot import RobotModel

from ..torque_text import torque_text, units_of

NO_STATE = 'no joint state yet'
# An effort counts as not measured beyond this multiple of its limit [-].
LARGEST = 10.0
# Of the time since the last step: stamps of joints that lie so far apart are of two states. What
# lies further apart are the clocks of two drivers.
APART = (0.5, 1.5)
# What each message holds of each joint.
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
    """

    def __init__(
        self, model: RobotModel, joints: Sequence[str], indices: npt.NDArray[np.intp]
    ) -> None:
        """Without a state, of the commanded joints (k) with these indices in the model (n)."""
        self._joints, self._units, size = tuple(joints), units_of(model, joints), len(joints)
        self._limits, self._indices = model.effort_bounds[indices], indices
        # No NaN is below, and no infinity.
        self._bounds = np.minimum(LARGEST * self._limits, np.finfo(float).max)
        self.q, self.v, self.effort = np.zeros((3, model.size))
        # q, v and effort of each joint as it came last as a whole, with its stamp.
        self._whole, self._nothing = np.zeros((3, size)), np.full(size, math.nan)
        self.reset()

    def reset(self) -> None:
        """Forget all states."""
        self.stamp = self._stepped = math.nan
        self._stamps = self._nothing.copy()
        # Which came as a whole since the last step; what the last state of each joint held; and
        # whether states have held velocity without effort, and effort without velocity, since one
        # was whole.
        self._new, self._had = np.zeros_like(self._stamps, bool), np.zeros_like(self._whole, bool)
        self._apart = np.zeros_like(self._whole[:2], bool)
        # Why an effort is not taken that is beyond its bound, empty while none is. It stays until
        # the next step: each state has another number, and the log has each reason once.
        self._waits, self._beyond = False, ''

    def take(self, stamp: float, q: Array, v: Array, given: GivenState) -> bool:
        """Take a state; whether a step is due.

        Args:
            stamp: of the state [s].
            q: (n,) last positions of all joints [rad or m].
            v: (n,) last velocities of all joints [rad/s or m/s].
            given: what the state itself holds.
        """
        own = np.array([self._nothing if each is None else each[self._indices] for each in given])
        beyond, had = np.abs(own[EFFORT]) > self._bounds, np.isfinite(own)
        had &= had[STATE]
        had[EFFORT] &= ~beyond
        if beyond.any() and not self._beyond:
            self._beyond = self._excess(int(beyond.argmax()), own[EFFORT])
        np.copyto(self._had, had, where=had[STATE])
        whole = had[VELOCITY] & had[EFFORT]
        self._apart = (self._apart | (had[VELOCITY:] & ~whole)) & ~whole
        # A repeated stamp is no new state.
        whole &= self._stamps != stamp
        if had[STATE, 0]:
            self.stamp = stamp
        np.copyto(self._whole, own, where=whole)
        self._stamps[whole] = stamp
        self._new |= whole
        if not self._new.all():
            return False
        # Once in a row: else drivers with unlike rates might never complete it.
        self._waits = not self._waits and self._of_two_states()
        if self._waits:
            return False
        self.q[:], self.v[:] = q, v
        for values, row in zip((self.q, self.v, self.effort), self._whole, strict=True):
            values[self._indices] = row
        self._stepped, self._beyond = self.stamp, ''
        self._new.fill(False)
        return True

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
