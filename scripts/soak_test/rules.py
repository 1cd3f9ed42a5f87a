"""What every command must keep to, whatever happens."""

from __future__ import annotations

from collections import Counter

import numpy as np
from ledger import Array

# A node credits one step with no more time than this [s]: after a pause it must not leap.
LONGEST_STEP = 0.02
# Full torque in a tenth of a second, where a node is given no other rate.
RATE_PER_EFFORT = 10.0
# Between computing and publishing a command, on a loaded machine [s].
LATENESS = 0.05
ROUNDING = 1e-9


class Rules:
    """Judges the commands in their order.

    Attributes:
        broken: how often, by rule.
        first: the first example of each rule that was broken.
        judged: how many commands there were.
        worst_step: (n,) the largest change from one command to the next [N m].
    """

    NAMES = ('size', 'finite', 'effort limit', 'rate limit', 'rate over a while')

    def __init__(self, names: tuple[str, ...], limits: Array) -> None:
        """Take the names and effort limits (n,) [N m] of the commanded joints."""
        self.broken: Counter[str] = Counter()
        self.first: dict[str, str] = {}
        self.judged = 0
        self._names, self._limits = names, limits
        self._largest_step = RATE_PER_EFFORT * limits * LONGEST_STEP
        self.worst_step = np.zeros(len(names))
        # What is commanded first begins from no torque.
        self._last = np.zeros(len(names))
        self._lowest = np.full((2, len(names)), np.inf)

    def judge(self, time: float, command: Array, when: str) -> None:
        """Take the next command (n,) [N m], and when it was sent [s].

        `when` says what was going on.
        """
        self.judged += 1
        if command.shape != self._limits.shape:
            self._break('size', f'{command.size} values for {len(self._names)} joints, {when}')
            return
        if not np.isfinite(command).all():
            self._break('finite', f'{command.tolist()}, {when}')
            return
        excess = np.abs(command) - self._limits
        self._check('effort limit', excess, command, self._limits, when)
        step = np.abs(command - self._last)
        self._check('rate limit', step - self._largest_step, step, self._largest_step, when)
        np.maximum(self.worst_step, step, out=self.worst_step)
        self._last[:] = command
        self._check_pace(time, command, when)

    def begin_anew(self) -> None:
        """Nothing applies the last command any more: the next one begins from no torque."""
        self._last[:] = 0.0
        self._lowest[:] = np.inf

    def _check_pace(self, time: float, command: Array, when: str) -> None:
        """Compare with every command before.

        A change is too fast where |change| / rate > time passed + LATENESS. In terms of
        s = +-command / rate - time that is s - s before > LATENESS: the lowest s before decides.
        """
        s = np.array([1.0, -1.0])[:, None] * command / (RATE_PER_EFFORT * self._limits) - time
        np.minimum(self._lowest, s, out=self._lowest)
        ahead = (s - self._lowest).max(axis=0)
        allowed = np.full(len(self._names), LATENESS)
        self._check('rate over a while', ahead - allowed, ahead, allowed, when)

    def _check(self, rule: str, excess: Array, values: Array, allowed: Array, when: str) -> None:
        worst = int(excess.argmax())
        if excess[worst] > ROUNDING:
            name = self._names[worst]
            self._break(
                rule, f'{name}: {values[worst]:.4g}, allowed is {allowed[worst]:.4g}, {when}'
            )

    def _break(self, rule: str, example: str) -> None:
        self.broken[rule] += 1
        self.first.setdefault(rule, example)
