"""States with any names in any order to arrays with one column for each wanted joint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array

from .quality import Quality
from .sources.state_rows import StateBlock, StateRows

# Times, positions, velocities, efforts.
Arrays = tuple[Array, Array, Array, Array]
# Orders of names whose columns are kept: a driver may send any order of its joints.
MOST_ORDERS = 4096


class StateColumns:
    """Puts the values of wanted joints into arrays, in the order of the recording."""

    def __init__(self, names: Sequence[str], stamped: bool, start: int, quality: Quality) -> None:
        """Know no order of names yet.

        Args:
            names: of the wanted joints, as recorded.
            stamped: whether times are the stamps; else they are those of the log.
            start: time that becomes 0 [ns].
            quality: counts the states that are left out.
        """
        self._names, self._stamped, self._start = tuple(names), stamped, start
        self._quality = quality
        self._columns: dict[tuple[str, ...], Any] = {}

    def chunks(self, blocks: Iterable[StateBlock], size: int) -> Iterator[Arrays]:
        """Arrays of at most `size` samples."""
        pending = self._new(size)
        filled = 0
        for block in blocks:
            count = len(block.log_times)
            if count > size:
                if filled:
                    yield _part(pending, 0, filled)
                    pending, filled = self._new(size), 0
                large = self._new(count)
                used = self._fill(block, large, 0)
                for start in range(0, used, size):
                    yield _part(large, start, min(start + size, used))
                continue
            if filled + count > size:
                yield _part(pending, 0, filled)
                pending, filled = self._new(size), 0
            filled += self._fill(block, pending, filled)
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
            target = slice(at, at + len(rows.positions))
            self._write(block, rows, columns, arrays, target)
            return len(rows.positions)
        return self._fill_mixed(block, usable, arrays, at)

    def _fill_mixed(
        self, block: StateBlock, usable: list[tuple[StateRows, Any]], arrays: Arrays, at: int
    ) -> int:
        """Write states of several orders of names, in the order in which they were recorded."""
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
        times = rows.stamps if self._stamped else block.log_times[rows.places]
        if times is None:
            times = block.log_times[rows.places]
        arrays[0][target] = (times - self._start) * 1e-9
        fields = (rows.positions, rows.velocities, rows.efforts)
        for array, values in zip(arrays[1:], fields, strict=True):
            if values is None:
                array[target] = np.nan
            else:
                array[target] = values if columns is Ellipsis else values[:, columns]

    def _columns_of(self, names: tuple[str, ...]) -> Any:
        """Columns of the wanted joints: all in order (...), some, or None if one is missing."""
        if names not in self._columns:
            if len(self._columns) >= MOST_ORDERS:
                self._columns.clear()
            if names == self._names:
                self._columns[names] = Ellipsis
            elif set(self._names) <= set(names):
                self._columns[names] = [names.index(name) for name in self._names]
            else:
                self._columns[names] = None
        return self._columns[names]


def _part(arrays: Arrays, start: int, stop: int) -> Arrays:
    times, positions, velocities, efforts = (array[start:stop] for array in arrays)
    return times, positions, velocities, efforts
