"""Serialized joint states to arrays, without decoding anew what drivers repeat.

A driver sends the same frame and names each time. So the first message of a kind is decoded by
rosbags, and what its layout reads from it is compared with that. Of the messages that differ from
it in stamp and values only, stamp and values are read as views of the buffer.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from rosbags.typesys import Stores, get_typestore

from robot_dynamics_ros.core.errors import RecordingError

from .fixed_layout import JointStateLayout, find_layout
from .message_block import MessageBlock, records_at
from .state_rows import Places, StateBlock, StateRows

JOINT_STATE = 'sensor_msgs/msg/JointState'
# A driver sends one or two layouts, and there may be several drivers.
MOST_LAYOUTS = 16
# [bytes]: of some thousand joints.
LARGEST_MESSAGE = 1 << 20
VALUES = ('position', 'velocity', 'effort')


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
        for layout in self._layouts:
            rest = self._read(block, layout, rest, rows)
        while rest.size:
            first = block.message(int(rest[0]))
            layout = self._new_layout(first)
            if layout is None:
                rest = rest[1:]
                continue
            rest = self._read(block, layout, rest, rows)
            self._layouts = [layout, *self._layouts[: MOST_LAYOUTS - 1]]
        return StateBlock(block.log_times, rows)

    def _read(
        self,
        block: MessageBlock,
        layout: JointStateLayout,
        rest: npt.NDArray[np.intp],
        rows: list[StateRows],
    ) -> npt.NDArray[np.intp]:
        """Append the rows of a layout; the messages that do not have it."""
        which = rest[block.sizes[rest] == layout.size]
        if not which.size:
            return rest
        records = records_at(block.buffer, block.starts[which], layout.record)
        fit = layout.fits(records)
        if not fit.all():
            which, records = which[fit], records[fit]
        if which.size:
            whole = which.size == len(block.sizes)
            rows.append(_rows(slice(None) if whole else which, layout, records))
        return rest[:0] if which.size == rest.size else np.setdiff1d(rest, which)

    def _new_layout(self, data: bytes) -> JointStateLayout | None:
        """The layout of a message; None where its names and values do not fit."""
        if len(data) > LARGEST_MESSAGE:
            raise RecordingError(
                f'{self._topic}: a message has {len(data)} bytes, at most {LARGEST_MESSAGE} are '
                'allowed for the state of a robot'
            )
        message = self._decoded(data)
        sizes = [len(getattr(message, field)) for field in VALUES]
        names = len(message.name)
        if not names or len(set(message.name)) < names or sizes[0] != names:
            return None
        if not {*sizes} <= {0, names}:
            return None
        try:
            layout = find_layout(data, ros1=self._ros1)
        except (ValueError, IndexError):
            layout = None
        if layout is None or not _agrees(layout, message):
            raise RecordingError(f'{self._topic}: a message is in an encoding that is not plain')
        return layout

    def _decoded(self, data: bytes) -> Any:
        """The message, as rosbags decodes it."""
        store = _typestore(ros1=self._ros1)
        read = store.deserialize_ros1 if self._ros1 else store.deserialize_cdr
        try:
            return read(data, JOINT_STATE)
        except Exception as error:
            # rosbags documents no class of exception.
            raise RecordingError(
                f'{self._topic}: a message is not a serialized {JOINT_STATE}: {error}'
            ) from error


@cache
def _typestore(*, ros1: bool) -> Any:
    return get_typestore(Stores.ROS1_NOETIC if ros1 else Stores.LATEST)


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
