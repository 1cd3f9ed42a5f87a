"""What an observer needs of each joint state: torques of the drives, and measured velocities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array, all_finite
from robot_dynamics_ros.core.model.robot import RobotModel

from ..joint_choice import choice
from ..torque_text import torque_text, units_of

NO_STATE = 'no joint state yet'
# An effort counts as not measured beyond this multiple of its limit [-].
LARGEST = 10.0
Flags = npt.NDArray[np.bool_]


class DriveTorques:
    """Keeps the last torque of each drive, from states that may hold some of the joints.

    Attributes:
        torque: (n,) of all independent joints [N m or N]; 0 of those that are not commanded.
        missing: (2, k) how many states have held each joint without its measured velocity, and
            without its effort; of `states`.
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
        self._joints, size = tuple(joints), len(joints)
        self._limits = model.effort_bounds[indices]
        self._bounds = LARGEST * self._limits
        # For the test of all efforts at once: no NaN is below, and no infinity.
        self._finite_bounds = np.minimum(self._bounds, np.finfo(float).max)
        self._size, self._within = np.empty(size), np.empty(size, bool)
        self._units = units_of(model, joints)
        # The joint that `_beyond` names.
        self._worst = 0
        self._indices = choice(indices)
        self.torque = np.zeros(model.size)
        self._nothing = np.full(size, math.nan)
        self._v, self._effort = np.empty((2, size))
        # Of each joint, whether a state has held it.
        self._held = np.empty(size, bool)
        # Whether states have held its velocity without its effort, and the other way round, since
        # one has held both.
        self._apart = np.empty((2, size), bool)
        # States with all that is needed, and how many others have held each joint.
        self._whole, self._others = 0, np.zeros(size, dtype=np.int64)
        self.missing = np.zeros((2, size), dtype=np.int64)
        self.reset()

    @property
    def states(self) -> npt.NDArray[np.int64]:
        """(k,) how many states have held each joint, of those whose efforts were taken."""
        return self._others + np.int64(self._whole)

    def reset(self) -> None:
        """Forget all states."""
        self._v.fill(math.nan)
        self._effort.fill(math.nan)
        self._held.fill(False)
        self._apart.fill(False)
        # Why an effort is not taken that is beyond its bound; empty while none is.
        self._beyond = ''
        # Whether the last state has told all, as those of most drivers do.
        self._told_all = False

    def measured(self, q: Array, v: Array | None, effort: Array | None) -> str:
        """Take the efforts of a state.

        Args:
            q: (n,) positions of the state; NaN for joints that it does not hold.
            v: (n,) velocities of the state, NaN where not measured; None if none was.
            effort: (n,) efforts of the state, likewise [N m or N].

        Returns:
            Why the torques or the velocities are not known, as a phrase; empty if they are.
        """
        own = self._nothing if effort is None else effort[self._indices]
        if v is not None:
            velocities = v[self._indices]
            np.absolute(own, self._size)
            np.less_equal(self._size, self._finite_bounds, self._within)
            # A tenth of the time that all() takes.
            if 0 not in self._within.tobytes() and all_finite(velocities):
                self._v[:], self._effort[:] = velocities, own
                self.torque[self._indices] = own
                self._whole += 1
                if not self._told_all:
                    self._note_all()
                return ''
        self._told_all = False
        beyond = np.abs(own) > self._bounds
        given = np.where(beyond, math.nan, own)
        self._beyond = self._excess(q[self._indices], own, beyond)
        reason = self._take(q, v, given)
        if names := self._split(q, v, given):
            return (
                f'velocity and effort of {names} come in different joint states: external torques '
                'need both in one'
            )
        if reason or self._beyond or all_finite(self._effort):
            return reason or self._beyond
        names = self._named(~np.isfinite(self._effort))
        return f'effort of {names} is not measured: external_from: commanded uses the commands'

    def commanded(self, q: Array, v: Array | None, command: Array | None) -> str:
        """Take the last command; returns as `measured`.

        Args:
            q: (n,) positions of the state; NaN for joints that it does not hold.
            v: (n,) velocities of the state, NaN where not measured; None if none was.
            command: (k,) of the commanded joints [N m or N]; None where nothing is commanded.
        """
        if command is None:
            return 'no torque is commanded, and external_from is commanded'
        reason = self._take(q, v, command)
        # A state that holds some of the joints tells nothing of the commands.
        self._effort[:] = self.torque[self._indices] = command
        return reason

    def _note_all(self) -> None:
        """Note that a state has held every joint, with its velocity and its effort."""
        self._held.fill(True)
        self._apart.fill(False)
        self._beyond, self._told_all = '', True

    def _take(self, q: Array, v: Array | None, effort: Array) -> str:
        """Keep velocities and efforts (k,); why velocities are not known, empty if they are."""
        held = ~np.isnan(q[self._indices])
        self._held |= held
        self._v[held] = math.nan if v is None else v[self._indices][held]
        self._effort[held] = effort[held]
        self.torque[self._indices] = self._effort
        if all_finite(self._v):
            return ''
        if not self._held.all():
            return NO_STATE
        names = self._named(~np.isfinite(self._v))
        return f'velocity of {names} is not measured: external torques need measured velocities'

    def _excess(self, q: Array, effort: Array, beyond: Flags) -> str:
        """The reason of an effort beyond its bound; that before, while it holds.

        Args:
            q: (k,) positions; NaN for joints that the state does not hold.
            effort: (k,) efforts of the state [N m or N].
            beyond: (k,) which of these are beyond their bounds.
        """
        if self._beyond and np.isnan(q[self._worst]):
            # This state tells nothing of that joint.
            return self._beyond
        if not beyond.any():
            return ''
        if self._beyond and beyond[self._worst]:
            # The next state has another number.
            return self._beyond
        index = self._worst = int(beyond.argmax())
        name, unit = self._joints[index], self._units[index]
        return (
            f'effort of {name} is {torque_text(effort[index], unit)}, more than {LARGEST:g} '
            f'times its limit of {torque_text(self._limits[index], unit)}, and counts as not '
            f'measured: is it in {unit}, and is the limit of the description right?'
        )

    def _split(self, q: Array, v: Array | None, effort: Array) -> str:
        """The joints whose velocity and effort (k,) come in different states; empty for none."""
        held = ~np.isnan(q[self._indices])
        self._others += held
        moves = held & (False if v is None else np.isfinite(v[self._indices]))
        drives = held & np.isfinite(effort)
        self.missing += held & ~np.array([moves, drives])
        self._apart |= (moves & ~drives, drives & ~moves)
        self._apart &= ~(moves & drives)
        return self._named(np.logical_and(*self._apart))

    def _named(self, chosen: Flags) -> str:
        """The names of these joints (k,)."""
        return ', '.join(compress(self._joints, chosen))
