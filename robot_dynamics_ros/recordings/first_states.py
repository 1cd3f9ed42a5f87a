"""What the first states of a recording say about the others: names, clock, interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.errors import RecordingError

from .sources.source import StateRows, StateSource, Times

# Which messages of the topic, and their times.
Messages = tuple[npt.NDArray[np.intp], Times]
# So many states are looked at, of at most so many blocks.
STATES, BLOCKS = 1000, 64
# Of the longest interval: joints that come in about this one come equally rarely.
ABOUT_EQUAL = 0.99


@dataclass
class FirstStates:
    """Names and times of the first states.

    Attributes:
        clock: `header` where a state has a stamp, `log` where none has, `file` for CSV.
    """

    clock: str = 'file'
    _messages: dict[tuple[str, ...], list[Messages]] = field(default_factory=dict)

    @classmethod
    def read(cls, source: StateSource, topic: str) -> FirstStates:
        """Read the first blocks of a topic.

        Raises:
            RecordingError: the files are damaged, or names and values of no state fit.
        """
        groups: list[tuple[StateRows, npt.NDArray[np.intp], Times]] = []
        seen = before = 0
        for block in islice(source.blocks(topic), BLOCKS):
            numbers = before + np.arange(len(block.log_times))
            for rows in block.rows:
                groups.append((rows, numbers[rows.places], block.log_times[rows.places]))
                seen += len(groups[-1][1])
            before += len(numbers)
            if seen >= STATES:
                break
        if not groups:
            raise RecordingError(
                f'{source.name}: no message on {topic} has names and as many positions'
            )
        first = cls()
        stamps = [rows.stamps for rows, *_ in groups]
        if any(stamp is not None for stamp in stamps):
            stamped = any(stamp is not None and stamp.any() for stamp in stamps)
            first.clock = 'header' if stamped else 'log'
        for rows, numbers, log_times in groups:
            times = rows.stamps if first.clock == 'header' else log_times
            first._messages.setdefault(rows.names, []).append((numbers, np.array(times)))
        return first

    @property
    def names(self) -> tuple[str, ...]:
        """Of all joints, each once."""
        return tuple(dict.fromkeys(name for names in self._messages for name in names))

    @property
    def kinds(self) -> dict[tuple[str, ...], float]:
        """Median interval [s] of each kind of message, by the names of its joints."""
        return {kind: _interval(self._messages_with(kind)[1]) for kind in self._messages}

    def most_complete(self) -> tuple[str, ...]:
        """Names in the messages that have most joints."""
        return max(self._messages, key=len)

    def has_all(self, names: Sequence[str]) -> bool:
        """Whether some messages have all of these joints."""
        return any(set(names) <= set(recorded) for recorded in self._messages)

    def times_of(self, names: Sequence[str]) -> tuple[int, float]:
        """First time [ns], and median interval [s], of the messages with all of these joints."""
        _, times = self._messages_with(names)
        # Of several orders of joints, the first time is the earliest.
        return int(times[0]), _interval(times)

    def rarest(self, names: Sequence[str]) -> str:
        """The joint that comes most rarely; of equal ones, the soonest after the others."""
        intervals = {name: _interval(self._messages_with([name])[1]) for name in names}
        longest = np.nanmax([*intervals.values(), 0.0])
        rare = [name for name in names if not intervals[name] < ABOUT_EQUAL * longest]
        return min(rare, key=lambda name: self._age_of_others(name, names))

    def _age_of_others(self, reference: str, names: Sequence[str]) -> float:
        """Usual age of the oldest of the other joints at the messages of one [ns]."""
        numbers, times = self._messages_with([reference])
        oldest = np.zeros(len(times))
        for name in names:
            others, other_times = self._messages_with([name])
            latest = np.searchsorted(others, numbers, side='right') - 1
            ages = np.abs(times - other_times[latest])
            oldest = np.maximum(oldest, np.where(latest < 0, 0, ages))
        return float(np.median(oldest))

    def _messages_with(self, names: Sequence[str]) -> Messages:
        """Those with all of these joints, in the order in which they were recorded."""
        parts = [
            part
            for recorded, groups in self._messages.items()
            if set(names) <= set(recorded)
            for part in groups
        ]
        numbers, times = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        order = np.argsort(numbers)
        return numbers[order], times[order]


def _interval(times: Times) -> float:
    """Median time between two messages [s]; NaN with less than two."""
    intervals = np.diff(np.sort(times))
    intervals = intervals[intervals > 0]
    return float(np.median(intervals)) * 1e-9 if intervals.size else float('nan')
