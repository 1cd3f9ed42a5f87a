"""Which states were sent, and which of them were answered."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# An answer that has not come by then is lost [s].
ANSWER_LIMIT = 1.0


@dataclass
class Sent:
    """A joint state that went out.

    Attributes:
        time: when [s].
        q: (n,) its positions.
        v: (n,) its velocities.
        good: whether a node may trust it.
        counted: whether it counts as lost if it is not answered.
        during: what was going on.
        answered: whether it was.
    """

    time: float
    q: Array
    v: Array
    good: bool
    counted: bool
    during: str
    answered: bool = False


class Ledger:
    """Every state that was sent, by its stamp [ns], until it is settled.

    Attributes:
        counts: of states: good, bad, answered, lost, provoked (not answered while a fault
            silenced the node), bad_answered.
        lost_during: lost ones by what was going on.
    """

    def __init__(self) -> None:
        """Nothing sent yet."""
        self.counts: Counter[str] = Counter()
        self.lost_during: Counter[str] = Counter()
        self._open: dict[int, Sent] = {}

    def send(self, stamp: int, sent: Sent) -> None:
        """Enter a state."""
        self._open[stamp] = sent
        self.counts['good' if sent.good else 'bad'] += 1

    def answer(self, stamp: int) -> Sent | None:
        """Enter an answer; the state that it answers, None if that is not known or not good."""
        sent = self._open.get(stamp)
        if sent is None:
            return None
        if not sent.good:
            self.counts['bad_answered'] += not sent.answered
            sent.answered = True
            return None
        self.counts['answered'] += not sent.answered
        sent.answered = True
        return sent

    @property
    def waits(self) -> bool:
        """Whether a state that counts has no answer yet."""
        return any(
            sent.good and sent.counted and not sent.answered for sent in self._open.values()
        )

    def settle(self, now: float) -> None:
        """Judge the states that are old enough."""
        while self._open:
            stamp, sent = next(iter(self._open.items()))
            if now - sent.time < ANSWER_LIMIT:
                return
            del self._open[stamp]
            if sent.good and not sent.answered:
                if sent.counted:
                    self.lost_during[sent.during] += 1
                self.counts['lost' if sent.counted else 'provoked'] += 1
