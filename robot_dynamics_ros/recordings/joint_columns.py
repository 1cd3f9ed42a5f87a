"""States with any names in any order to arrays with one column for each wanted joint.

Drivers of an arm and a gripper, or of two halves of an arm, may publish on one topic. Where wanted
joints come in several messages, a sample is made at each message of the joint that comes most
rarely, with the latest values of the others, as dynamics_node uses them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .joint_samples import gap_limit
from .quality import Quality
from .sources.source import StateBlock, StateRows, Times

# Times, positions, velocities, efforts.
Arrays = tuple[Array, Array, Array, Array]
# Times and values of each joint in each message, and whether the message names it.
Table = tuple[Times, Array, npt.NDArray[np.bool_]]
# Positions, velocities, efforts.
LAYERS = 3

# Orders of names whose columns are kept: a driver may send any order of its joints.
MOST_ORDERS = 4096


class StateColumns:
    """Puts the values of wanted joints into arrays, in the order of the recording."""

    def __init__(self, names: Sequence[str], stamped: bool, start: int, quality: Quality) -> None:
        """Names as recorded; times are stamps or those of the log, and `start` [ns] becomes 0."""
        self._names, self._stamped, self._start = tuple(names), stamped, start
        self._quality = quality
        self._columns_of = lru_cache(MOST_ORDERS)(self._choose)

    def chunks(self, blocks: Iterable[StateBlock], size: int) -> Iterator[Arrays]:
        """Arrays of at most `size` samples."""
        pending, filled = self._new(size), 0
        for block in blocks:
            count = len(block.log_times)
            if filled and filled + count > size:
                yield _part(pending, 0, filled)
                pending, filled = self._new(size), 0
            arrays = pending if count <= size else self._new(count)
            filled += self._fill(block, arrays, filled)
            if count > size:
                for start in range(0, filled, size):
                    yield _part(arrays, start, min(start + size, filled))
                filled = 0
        if filled:
            yield _part(pending, 0, filled)

    def _new(self, size: int) -> Arrays:
        shape = (size, len(self._names))
        return np.empty(size), np.empty(shape), np.empty(shape), np.empty(shape)

    def _fill(self, block: StateBlock, arrays: Arrays, at: int) -> int:
        """Write the states of a block from a row on; how many there are."""
        usable = []
        named = 0
        for rows in block.rows:
            number = len(rows.positions)
            named += number
            columns = self._columns_of(rows.names)
            if columns is None:
                self._quality.of_other_joints += number
            else:
                usable.append((rows, columns))
        self._quality.malformed += len(block.log_times) - named
        if len(usable) == 1:
            rows, columns = usable[0]
            self._write(block, rows, columns, arrays, slice(at, at + len(rows.positions)))
            return len(rows.positions)
        # Several orders of names: in the order in which they were recorded.
        used = np.zeros(len(block.log_times), bool)
        for rows, _ in usable:
            used[rows.places] = True
        targets = np.cumsum(used) - 1 + at
        for rows, columns in usable:
            self._write(block, rows, columns, arrays, targets[rows.places])
        return int(np.count_nonzero(used))

    def _write(
        self, block: StateBlock, rows: StateRows, columns: Any, arrays: Arrays, target: Any
    ) -> None:
        stamps = rows.stamps if self._stamped else None
        times = block.log_times[rows.places] if stamps is None else stamps
        arrays[0][target] = (times - self._start) * 1e-9
        fields = (rows.positions, rows.velocities, rows.efforts)
        for array, values in zip(arrays[1:], fields, strict=True):
            if values is None:
                array[target] = np.nan
            else:
                array[target] = values if columns is Ellipsis else values[:, columns]

    def _choose(self, names: tuple[str, ...]) -> Any:
        """Columns of the wanted joints: all in order (...), some, or None if one is missing."""
        if names == self._names:
            return Ellipsis
        if set(self._names) <= set(names):
            return [names.index(name) for name in self._names]
        return None


def _part(arrays: Arrays, start: int, stop: int) -> Arrays:
    times, positions, velocities, efforts = (array[start:stop] for array in arrays)
    return times, positions, velocities, efforts


class MergedMessages:
    """Merges messages that each have some of the wanted joints."""

    def __init__(
        self,
        names: Sequence[str],
        reference: str,
        interval: float,
        quality: Quality,
        *,
        stamped: bool,
    ) -> None:
        """Samples are made at the messages of the joint `reference`, usually each interval [s]."""
        self._names, self._reference = tuple(names), names.index(reference)
        self._limit = round(1e9 * gap_limit(interval))
        self._quality, self._stamped = quality, stamped
        # Of each joint: time [ns] and values of its latest message, and whether this came after
        # the latest one of the reference.
        self._times = np.zeros(len(names), np.int64)
        self._values = np.full((LAYERS, len(names)), np.nan)
        self._new = np.zeros(len(names), bool)

    def blocks(self, blocks: Iterable[StateBlock]) -> Iterator[StateBlock]:
        """The samples that the messages of blocks lead to, in their order."""
        for block in blocks:
            merged = self._merged(block)
            if len(merged.log_times):
                yield merged

    def _merged(self, block: StateBlock) -> StateBlock:
        """The samples of a block; their times are the log times of the result."""
        times, values, named = self._table(block)
        numbers = np.arange(len(named))[:, None]
        # The row of the latest value of each joint; row 0 is from the block before.
        latest = np.maximum.accumulate(np.where(named, numbers, 0), axis=0)
        made = np.flatnonzero(named[:, self._reference])
        columns = np.arange(len(self._names))
        before = np.concatenate([[0], made[:-1]])[: len(made), None]
        newer = latest[made] > before
        newer[:1] |= self._new & (latest[made[:1]] == 0)
        ages = np.abs(times[made, self._reference][:, None] - times[latest[made], columns])
        fresh = (newer & (ages <= self._limit)).all(axis=1)
        rows = latest[made[fresh]]
        self._keep(times, values, latest[-1], int(made[-1]) if made.size else None)
        self._quality.merged += len(rows)
        self._quality.skew = max(self._quality.skew, 1e-9 * float(ages[fresh].max(initial=0)))
        states = StateRows(slice(None), self._names, None, *values[:, rows, columns])
        return StateBlock(times[made[fresh], self._reference], [states])

    def _table(self, block: StateBlock) -> Table:
        """Times (N + 1, n), values (3, N + 1, n) and which are in each message (N + 1, n)."""
        shape = len(block.log_times) + 1, len(self._names)
        times, values = np.zeros(shape, np.int64), np.full((LAYERS, *shape), np.nan)
        named = np.zeros(shape, bool)
        times[0], values[:, 0] = self._times, self._values
        messages = np.arange(1, shape[0])
        count = 0
        for rows in block.rows:
            count += len(rows.positions)
            columns = [place for place, name in enumerate(self._names) if name in rows.names]
            if not columns:
                self._quality.of_other_joints += len(rows.positions)
                continue
            stamps = rows.stamps if self._stamped else None
            places = np.ix_(messages[rows.places], columns)
            named[places] = True
            times[places] = (block.log_times[rows.places] if stamps is None else stamps)[:, None]
            recorded = [rows.names.index(self._names[place]) for place in columns]
            for layer, field in enumerate((rows.positions, rows.velocities, rows.efforts)):
                if field is not None:
                    values[layer][places] = field[:, recorded]
        self._quality.malformed += len(block.log_times) - count
        return times, values, named

    def _keep(
        self, times: Times, values: Array, latest: npt.NDArray[np.intp], reference: int | None
    ) -> None:
        """Keep the latest values of a block, and which came after its last reference message."""
        columns = np.arange(len(self._names))
        self._times, self._values = times[latest, columns], values[:, latest, columns]
        self._new = self._new | (latest > 0) if reference is None else latest > reference
