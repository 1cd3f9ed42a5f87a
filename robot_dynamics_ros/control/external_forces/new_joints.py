"""Whether each commanded joint was measured anew: a driver may send the joints in parts."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array, all_finite

from ..joint_choice import choice

# Of the time since the last step: stamps of joints that lie so far apart are of two states. What
# lies further apart are the clocks of two drivers.
APART = (0.5, 1.5)


class NewJoints:
    """Collects the joints of joint states until all have come with a stamp of their own.

    A step with a joint of the last time would take its motion, and its effort, for standing
    still. Where the parts that have come are of two states, after a message was lost, the rest of
    the later one is waited for.

    Attributes:
        stamp: of the last state that held the first commanded joint [s]; NaN before. Stamps of
            one joint are of one clock, those of several drivers may not be.
    """

    def __init__(self, indices: npt.NDArray[np.intp]) -> None:
        """Without a state.

        Args:
            indices: (k,) of the commanded joints among the independent joints.
        """
        self._stamps = np.empty(len(indices))
        self._new = np.empty(len(indices), dtype=bool)
        self._chosen = choice(indices)
        self.reset()

    def reset(self) -> None:
        """Forget all states."""
        self.stamp = self._completed = math.nan
        self._stamps.fill(math.nan)
        self._new.fill(False)
        self._waits = False
        # Whether the last state held all joints: `_stamps` and `_new` are of the one before then.
        self._held_all = False

    def complete(self, stamp: float, q: Array) -> bool:
        """Whether, with this state, each joint is new since this was true last.

        Args:
            stamp: of the state [s]. A joint whose stamp is repeated is not new.
            q: (n,) positions of the state; NaN for joints that it does not hold.
        """
        positions = q[self._chosen]
        if stamp != self.stamp and all_finite(positions):
            # The fast way of most drivers.
            self.stamp = self._completed = stamp
            self._waits, self._held_all = False, True
            return True
        if self._held_all:
            self._held_all = False
            self._stamps.fill(self.stamp)
            self._new.fill(False)
        held = ~np.isnan(positions)
        if held[0]:
            self.stamp = stamp
        self._new |= held & (self._stamps != stamp)
        self._stamps[held] = stamp
        if not self._new.all():
            return False
        # Once in a row: else drivers with unlike rates might never complete it.
        self._waits = not self._waits and self._of_two_states()
        return not self._waits and self._begin()

    def _of_two_states(self) -> bool:
        elapsed = self.stamp - self._completed
        return APART[0] * elapsed < float(np.ptp(self._stamps)) < APART[1] * elapsed

    def _begin(self) -> bool:
        """All have come: begin to collect anew."""
        self._completed, self._waits = self.stamp, False
        self._new.fill(False)
        return True
