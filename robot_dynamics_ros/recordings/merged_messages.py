"""States of joints that come in several messages of one topic, as states of all of them.

Drivers of an arm and a gripper, or of two halves of an arm, may publish on one topic. A sample is
made at each message of the joint that comes most rarely, with the latest values of the others, as
dynamics_node uses them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array

from .quality import Quality, gap_limit
from .sources.state_rows import StateBlock, StateRows, Times

# Times and values of each joint in each message, and whether the message names it.
Table = tuple[Times, Array, npt.NDArray[np.bool_]]
# Positions, velocities, efforts.
LAYERS = 3


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
        """Know the value of no joint yet.

        Args:
            names: of the wanted joints, as recorded.
            reference: that of them at whose messages samples are made.
            interval: usual time between two of these messages [s].
            quality: counts the samples, and the messages that are left out.
            stamped: whether times are the stamps; else they are those of the log.
        """
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
