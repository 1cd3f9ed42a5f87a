"""What the first states of a recording say about the others: names, clock, interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from robot_dynamics_ros.core.errors import RecordingError

from .sources.state_rows import StateRows, StateSource, Times

# So many states are looked at, of at most so many blocks.
STATES, BLOCKS = 1000, 64


@dataclass
class FirstStates:
    """Names and times of the first states.

    Attributes:
        clock: `header` where a state has a stamp, `log` where none has, `file` for CSV.
    """

    clock: str = 'file'
    _times: dict[tuple[str, ...], list[Times]] = field(default_factory=dict)

    @classmethod
    def read(cls, source: StateSource, topic: str) -> FirstStates:
        """Read the first blocks of a topic.

        Raises:
            RecordingError: the files are damaged, or names and values of no state fit.
        """
        groups: list[tuple[StateRows, Times]] = []
        seen = 0
        for block in islice(source.blocks(topic), BLOCKS):
            for rows in block.rows:
                groups.append((rows, block.log_times[rows.places]))
                seen += len(groups[-1][1])
            if seen >= STATES:
                break
        if not groups:
            raise RecordingError(
                f'{source.name}: no message on {topic} has names and as many positions'
            )
        first = cls()
        stamps = [rows.stamps for rows, _ in groups]
        if any(stamp is not None for stamp in stamps):
            stamped = any(stamp is not None and stamp.any() for stamp in stamps)
            first.clock = 'header' if stamped else 'log'
        for rows, log_times in groups:
            times = rows.stamps if first.clock == 'header' else log_times
            first._times.setdefault(rows.names, []).append(np.array(times))
        return first

    @property
    def names(self) -> tuple[str, ...]:
        """Of all joints, each once."""
        return tuple(dict.fromkeys(name for names in self._times for name in names))

    def most_complete(self) -> tuple[str, ...]:
        """Names in the messages that have most joints."""
        return max(self._times, key=len)

    def has_all(self, names: Sequence[str]) -> bool:
        """Whether some messages have all of these joints."""
        return any(set(names) <= set(recorded) for recorded in self._times)

    def times_of(self, names: Sequence[str]) -> tuple[int, float]:
        """First time [ns], and median interval [s], of the messages with all of these joints."""
        groups = [
            times
            for recorded, parts in self._times.items()
            if set(names) <= set(recorded)
            for times in parts
        ]
        # Of several orders of joints, the first time is the earliest.
        start = min(int(times[0]) for times in groups)
        intervals = np.diff(np.sort(np.concatenate(groups)))
        intervals = intervals[intervals > 0]
        return start, float(np.median(intervals)) * 1e-9 if intervals.size else float('nan')
