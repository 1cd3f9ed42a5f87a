"""Serialized joint states to arrays, without decoding anew what drivers repeat.

A driver sends the same frame and names each time. So the first message of a kind is decoded by
rosbags, and what its layout reads from it is compared with that. Of the messages that differ from
it in stamp and values only, stamp and values are read as views of the buffer. Where the joints
come in another order again and again, the messages of a block are decoded one by one instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.errors import RecordingError

from .decoded_states import VALUES, decoded_rows, decoded_state
from .fixed_layout import JointStateLayout, find_layout
from .message_block import MessageBlock, records_at
from .state_rows import Places, StateBlock, StateRows

# A driver sends one or two layouts, and there may be several drivers.
MOST_LAYOUTS = 16
# Of a block: a new layout takes as long as decoding some messages, and a look at all of the rest.
MOST_NEW = 4
# Of the messages of a block: where layouts are many, those that fit fewer are forgotten.
RARE = 0.02


class JointStateDecoder:
    """Decodes the serialized joint states of one topic."""

    def __init__(self, topic: str, *, ros1: bool = False) -> None:
        """Know no layout yet.

        Args:
            topic: for messages.
            ros1: whether ROS 1 has serialized the messages.
        """
        self._topic, self._ros1 = topic, ros1
        self._layouts: list[JointStateLayout] = []

    def decode(self, block: MessageBlock) -> StateBlock:
        """The states of a block; messages whose names and values do not fit are left out.

        Raises:
            RecordingError: a message is not a joint state.
        """
        rest = np.arange(len(block.sizes))
        rows: list[StateRows] = []
        found: list[tuple[int, JointStateLayout]] = []
        for layout in self._layouts:
            before, rest = rest.size, self._read(block, layout, rest, rows)
            found.append((before - rest.size, layout))
        new = 0
        while rest.size and new < MOST_NEW:
            added = self._new_layout(block.message(int(rest[0])))
            if added is None:
                rest = rest[1:]
                continue
            before, rest = rest.size, self._read(block, added, rest, rows)
            found.insert(0, (before - rest.size, added))
            new += 1
        rows += decoded_rows(self._one_by_one(block, rest))
        fewest = RARE * len(block.sizes) if rest.size else 0.0
        kept = [layout for number, layout in found if number >= fewest]
        self._layouts = kept[:MOST_LAYOUTS]
        return StateBlock(block.log_times, rows)

    def _one_by_one(
        self, block: MessageBlock, places: npt.NDArray[np.intp]
    ) -> Iterator[tuple[int, Any]]:
        """The usable ones of some messages with their places."""
        for place in places.tolist():
            message = decoded_state(self._topic, block.message(place), ros1=self._ros1)
            if message is not None:
                yield place, message

    def _read(
        self,
        block: MessageBlock,
        layout: JointStateLayout,
        rest: npt.NDArray[np.intp],
        rows: list[StateRows],
    ) -> npt.NDArray[np.intp]:
        """Append the rows of a layout; the messages that do not have it."""
        same = block.sizes[rest] == layout.size
        which = rest[same]
        if not which.size:
            return rest
        records = records_at(block.buffer, block.starts[which], layout.record)
        fit = layout.fits(records)
        if not fit.all():
            which, records = which[fit], records[fit]
            same[same] = fit
        if which.size:
            whole = which.size == len(block.sizes)
            rows.append(_rows(slice(None) if whole else which, layout, records))
        return rest[~same]

    def _new_layout(self, data: bytes) -> JointStateLayout | None:
        """The layout of a message; None where its names and values do not fit."""
        message = decoded_state(self._topic, data, ros1=self._ros1)
        if message is None:
            return None
        try:
            layout = find_layout(data, ros1=self._ros1)
        except (ValueError, IndexError):
            layout = None
        if layout is None or not _agrees(layout, message):
            raise RecordingError(f'{self._topic}: a message is in an encoding that is not plain')
        return layout


def _agrees(layout: JointStateLayout, message: Any) -> bool:
    """Whether the layout reads from its message what rosbags has decoded."""
    record = layout.expected.view(layout.record)[0]
    stamp = message.header.stamp
    values = {name: record[name] for name in VALUES if name in (layout.record.names or ())}
    return (
        layout.names == tuple(message.name)
        and (int(record['seconds']), int(record['nanoseconds'])) == (stamp.sec, stamp.nanosec)
        and all(
            np.array_equal(values.get(name, ()), getattr(message, name), equal_nan=True)
            for name in VALUES
        )
    )


def _rows(places: Places, layout: JointStateLayout, records: Any) -> StateRows:
    fields = layout.record.names or ()
    stamps = records['seconds'].astype(np.int64) * 1_000_000_000 + records['nanoseconds']
    return StateRows(
        places,
        layout.names,
        stamps,
        *(records[name] if name in fields else None for name in VALUES),
    )
