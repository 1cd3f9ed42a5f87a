"""States with any names in any order to arrays with one column for each wanted joint.

Drivers of an arm and a gripper, or of two halves of an arm, may publish on one topic. So a sample
is made at each message of the joint that comes most rarely, with the latest values of the others,
as dynamics_node uses them. Where each message has all joints, these are its values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError

from .joint_samples import gap_limit
from .quality import Quality
from .sources.source import StateBlock, StateRows, StateSource, Times

# Which messages of the topic, and their times.
Messages = tuple[npt.NDArray[np.intp], Times]
# Times, positions, velocities, efforts.
Arrays = tuple[Array, ...]
# So many states are looked at, of at most so many blocks.
STATES, BLOCKS = 1000, 64
# Of the longest interval: joints that come in about this one come equally rarely.
ABOUT_EQUAL = 0.99


@dataclass(frozen=True)
class FirstStates:
    """What the first states of a recording say about the others: names, clock, interval.

    Attributes:
        clock: `header` where a state has a stamp, `log` where none has, `file` for CSV.
        kinds: numbers and times [ns] of the messages with the same joints, by their names.
    """

    clock: str
    kinds: dict[tuple[str, ...], Messages]

    @classmethod
    def read(cls, source: StateSource, topic: str) -> FirstStates:
        """Read the first blocks of a topic.

        Raises:
            RecordingError: the files are damaged, or names and values of no state fit.
        """
        groups: list[tuple[StateRows, npt.NDArray[np.intp], Times]] = []
        before = 0
        for block in islice(source.blocks(topic), BLOCKS):
            groups += [
                (rows, before + rows.places, block.log_times[rows.places]) for rows in block.rows
            ]
            before += len(block.log_times)
            if sum(len(numbers) for _, numbers, _ in groups) >= STATES:
                break
        if not groups:
            raise RecordingError(
                f'{source.name}: no message on {topic} has names and as many positions'
            )
        stamps = [rows.stamps for rows, *_ in groups if rows.stamps is not None]
        clock = 'file' if not stamps else 'header' if any(map(np.any, stamps)) else 'log'
        parts: dict[tuple[str, ...], list[Messages]] = {}
        for rows, numbers, log_times in groups:
            times = rows.stamps if clock == 'header' else log_times
            parts.setdefault(rows.names, []).append((numbers, times))
        return cls(clock, {names: _in_order(found) for names, found in parts.items()})

    @property
    def names(self) -> tuple[str, ...]:
        """Of all joints, each once."""
        return tuple(dict.fromkeys(name for names in self.kinds for name in names))

    def of(self, joint: str) -> Messages:
        """The messages with a joint, in the order in which they were recorded."""
        return _in_order([found for names, found in self.kinds.items() if joint in names])

    def rarest(self, joints: Sequence[str]) -> str:
        """The joint that comes most rarely; of equal ones, the soonest after the others."""
        intervals = {name: median_interval(self.of(name)[1]) for name in joints}
        longest = np.nanmax([*intervals.values(), 0.0])
        rare = [name for name in joints if not intervals[name] < ABOUT_EQUAL * longest]
        return min(rare, key=lambda name: self._age_of_others(name, joints))

    def _age_of_others(self, reference: str, joints: Sequence[str]) -> float:
        """Usual age of the oldest of the other joints at the messages of one [ns]."""
        numbers, times = self.of(reference)
        oldest = np.zeros(len(times))
        for others, other_times in map(self.of, joints):
            latest = np.searchsorted(others, numbers, side='right') - 1
            ages = np.abs(times - other_times[latest])
            oldest = np.maximum(oldest, np.where(latest < 0, 0, ages))
        return float(np.median(oldest))


def median_interval(times: Times) -> float:
    """Median time between two of some times [ns], in [s]; NaN with less than two."""
    intervals = np.diff(np.sort(times))
    intervals = intervals[intervals > 0]
    return float(np.median(intervals)) * 1e-9 if intervals.size else float('nan')


def _in_order(parts: Sequence[Messages]) -> Messages:
    numbers, times = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    order = np.argsort(numbers)
    return numbers[order], times[order]


class JointColumns:
    """Puts the values of wanted joints into arrays, in the order of the recording."""

    def __init__(
        self,
        joints: Sequence[str],
        reference: str,
        interval: float,
        quality: Quality,
        *,
        stamped: bool,
        start: int,
    ) -> None:
        """Begin with the first message.

        Args:
            joints: names, as recorded.
            reference: the joint whose messages make samples.
            interval: usual time between two of them [s].
            quality: counts messages and samples.
            stamped: whether times are stamps of the headers, else those of the log.
            start: time that becomes 0 [ns].
        """
        self._joints, self._reference = tuple(joints), joints.index(reference)
        self._limit = round(1e9 * gap_limit(interval))
        self._quality, self._stamped, self._start = quality, stamped, start
        # Of each joint: time [ns] and values of its latest message, and whether this came after
        # the latest one of the reference.
        self._times = np.zeros(len(joints), np.int64)
        self._values = np.full((3, len(joints)), np.nan)
        self._new = np.zeros(len(joints), bool)

    def chunks(self, blocks: Iterable[StateBlock], size: int) -> Iterator[Arrays]:
        """Arrays of at most `size` samples."""
        shape = size, len(self._joints)
        filled, chunk = 0, None
        for block in blocks:
            times, fields = self._samples(block)
            for first in range(0, len(times), size):
                rows = slice(first, min(first + size, len(times)))
                count = rows.stop - first
                if chunk is None or filled + count > size:
                    if chunk is not None:
                        yield tuple(array[:filled] for array in chunk)
                    filled, chunk = 0, (np.empty(size), *(np.empty(shape) for _ in range(3)))
                target = slice(filled, filled + count)
                chunk[0][target] = (times[rows] - self._start) * 1e-9
                for array, values in zip(chunk[1:], fields, strict=True):
                    array[target] = np.nan if values is None else values[rows]
                filled += count
        if chunk is not None:
            yield tuple(array[:filled] for array in chunk)

    def _samples(self, block: StateBlock) -> tuple[Times, Sequence[Any]]:
        """Times (N,) [ns], and positions, velocities and efforts (N, n) or None, of a block."""
        usable = []
        self._quality.malformed += len(block.log_times)
        for rows in block.rows:
            self._quality.malformed -= len(rows.places)
            if any(name in rows.names for name in self._joints):
                usable.append(rows)
            else:
                self._quality.of_other_joints += len(rows.places)
        if len(usable) != 1 or not set(self._joints) <= set(usable[0].names):
            return self._merged(block, usable)
        (rows,) = usable
        times = self._times_of(block, rows)
        fields: list[Any] = [rows.positions, rows.velocities, rows.efforts]
        if rows.names != self._joints:
            columns = [rows.names.index(name) for name in self._joints]
            fields = [None if values is None else values[:, columns] for values in fields]
        self._times[:], self._new[:] = times[-1], False
        for layer, values in zip(self._values, fields, strict=True):
            layer[:] = np.nan if values is None else values[-1]
        return times, fields

    def _times_of(self, block: StateBlock, rows: StateRows) -> Times:
        """Of some states of a block [ns]."""
        if self._stamped and rows.stamps is not None:
            return rows.stamps
        return block.log_times[rows.places]

    def _merged(self, block: StateBlock, usable: list[StateRows]) -> tuple[Times, Array]:
        """The same of messages that have some of the joints, or all in another order."""
        # Row 0 is the latest of the block before.
        shape = len(block.log_times) + 1, len(self._joints)
        times, values = np.zeros(shape, np.int64), np.full((3, *shape), np.nan)
        named = np.zeros(shape, bool)
        times[0], values[:, 0] = self._times, self._values
        for rows in usable:
            columns = [place for place, name in enumerate(self._joints) if name in rows.names]
            recorded = [rows.names.index(self._joints[place]) for place in columns]
            places = np.ix_(rows.places + 1, columns)
            named[places] = True
            times[places] = self._times_of(block, rows)[:, None]
            for layer, field in enumerate((rows.positions, rows.velocities, rows.efforts)):
                if field is not None:
                    values[layer][places] = field[:, recorded]
        # The row of the latest value of each joint.
        latest = np.maximum.accumulate(np.where(named, np.arange(len(named))[:, None], 0), axis=0)
        made = np.flatnonzero(named[:, self._reference])
        columns = np.arange(len(self._joints))
        before = np.concatenate([[0], made[:-1]])[: len(made), None]
        newer = latest[made] > before
        newer[:1] |= self._new & (latest[made[:1]] == 0)
        ages = np.abs(times[made, self._reference][:, None] - times[latest[made], columns])
        fresh = (newer & (ages <= self._limit)).all(axis=1)
        rows = latest[made[fresh]]
        self._times, self._values = times[latest[-1], columns], values[:, latest[-1], columns]
        self._new = latest[-1] > made[-1] if made.size else self._new | (latest[-1] > 0)
        self._quality.merged += int(np.count_nonzero((rows != rows[:, :1]).any(axis=1)))
        self._quality.skew = max(self._quality.skew, 1e-9 * float(ages[fresh].max(initial=0)))
        return times[made[fresh], self._reference], values[:, rows, columns]
