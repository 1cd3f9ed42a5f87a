"""Finds timeouts of states that are too short for the period at which the states come."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.control.settings import OTHER_JOINTS

from ..robot.commanded_robot import CommandedRobot

# A timeout must be longer than this many periods: one state may be late or lost.
FEWEST = 2.5
# A timeout of so many periods is proposed.
PROPOSED = 3.0
# Periods are averages over this time [s], and count if they are too long so often in a row: a
# driver that starts or ends in between is no slow driver.
WINDOW = 2.0
IN_A_ROW = 2


class StatePeriods:
    """Averages how often each joint is measured, and compares that with the timeouts.

    Attributes:
        proposal: what comes too slowly, and the parameter to set; empty for nothing.
        rate: of the commanded joint that is measured least often [Hz]: the higher one of two
            averages, because one may begin before the states; NaN before both, and without states.
    """

    def __init__(self) -> None:
        """Without a state yet."""
        self.proposal, self.rate = '', math.nan
        self._last_rate = math.nan
        self._since = -math.inf
        self._counts = np.zeros(0)
        self._slow = np.zeros(0, dtype=np.int64)

    def update(self, robot: CommandedRobot, now: float) -> None:
        """Look at the states that have come; call it now and then.

        Args:
            robot: whose states come.
            now: [s], on the monotonic clock.
        """
        counts, elapsed = robot.guard.state.counts, now - self._since
        if elapsed < WINDOW and counts.size == self._counts.size:
            return
        if counts.size == self._counts.size and math.isfinite(elapsed):
            self._judge(robot, counts - self._counts, elapsed)
        else:
            self._slow = np.zeros(counts.size, dtype=np.int64)
            self.rate = self._last_rate = math.nan
        self._since, self._counts = now, counts

    def _judge(self, robot: CommandedRobot, new: npt.NDArray[np.int64], elapsed: float) -> None:
        # States that have ceased have no rate.
        rate = float(new[robot.feedforward.indices].min()) / elapsed or math.nan
        # NaN as long as there is none before.
        self.rate, self._last_rate = float(np.maximum(rate, self._last_rate)), rate
        came = new > 0
        period = elapsed / np.maximum(new, 1)
        slow = came & (FEWEST * period > robot.guard.state.timeouts(robot.guard.settings))
        self._slow = np.where(slow, self._slow + 1, 0)
        self.proposal = ''
        if not (self._slow >= IN_A_ROW).any():
            return
        worst = int(np.where(self._slow >= IN_A_ROW, period, 0.0).argmax())
        name = robot.dynamics.model.joint_names[worst]
        commanded = name in robot.joints
        share = 1.0 if commanded else OTHER_JOINTS
        self.proposal = (
            f'{name} is measured every {period[worst]:.2g} s, state_timeout is '
            f'{robot.guard.settings.state_timeout:g} s, so that one late state makes it '
            f'stale: set state_timeout: {PROPOSED * period[worst] / share:.2g}'
        )
