"""Serialized joint states to arrays, without decoding anew what drivers repeat.

A driver sends the same frame and names each time. So the first message of a kind is decoded by
rosbags, and what its layout reads from it is compared with that. Of the messages that differ from
it in stamp and values only, stamp and values are read as views of the buffer. Where the joints
come in another order again and again, the messages of a block are decoded one by one instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from struct import Struct
from typing import Any

import numpy as np
import numpy.typing as npt
from rosbags.typesys import Stores, get_typestore

from robot_dynamics_ros.core.errors import RecordingError

from .message_blocks import MessageBlock, records_at
from .source import Bytes, Places, StateBlock, StateRows

JOINT_STATE = 'sensor_msgs/msg/JointState'
# [bytes]: of some thousand joints.
LARGEST_MESSAGE = 1 << 20
VALUES = ('position', 'velocity', 'effort')
SECOND = 1_000_000_000  # [ns]
# A driver sends one or two layouts, and there may be several drivers.
MOST_LAYOUTS = 16
# Of a block: a new layout takes as long as decoding some messages, and a look at all of the rest.
MOST_NEW = 4
# Of the messages of a block: where layouts are many, those that fit fewer are forgotten.
RARE = 0.02
# Bytes of the encoding, of a stamp, of a count, of a double; of what is compared at once.
HEADER, STAMP, COUNT, DOUBLE, WORD = 4, 8, 4, 8, 8


@dataclass(frozen=True)
class JointStateLayout:
    """Serialized joint states of one size, with the same names and the same fields.

    Attributes:
        names: of the joints.
        size: of a message [bytes].
        record: dtype of a message: `seconds`, `nanoseconds`, of `position`, `velocity` and
            `effort` those that are there; `constant...`: encoding, frame, names and counts.
        mask: (size,) 255 for bytes that must not differ, 0 for stamp, values and padding.
        expected: (size,) the bytes of a message of this layout.
    """

    names: tuple[str, ...]
    size: int
    record: np.dtype[Any]
    mask: Bytes
    expected: Bytes

    def fits(self, records: Any) -> npt.NDArray[np.bool_]:
        """Which of some records (N,) differ in stamp, values and padding only."""
        model = self.expected.view(self.record)[0]
        fit = np.ones(len(records), bool)
        for field in self.record.names or ():
            if field.startswith('constant'):
                same = records[field] == model[field]
                fit &= same.all(axis=1) if same.ndim > 1 else same
        if not fit.all():
            # Padding may differ, too: what is to agree is compared byte by byte.
            rest = np.flatnonzero(~fit)
            raw = np.ascontiguousarray(records[rest]).view(np.uint8).reshape(-1, self.size)
            fit[rest] = ((raw ^ self.expected) & self.mask == 0).all(axis=1)
        return fit


class _Walk:
    """Goes through a serialized joint state, field by field.

    Source: OMG DDSI-RTPS 2.5, section 10 (header); OMG CORBA 3.3, part 2, section 9.3 (alignment,
    strings, sequences). ROS 1 has neither header nor alignment, and no zero at the end of strings.
    """

    def __init__(self, data: bytes, *, ros1: bool) -> None:
        self.data, self.ros1 = data, ros1
        self.little = ros1 or bool(data[1] & 1)
        self.at = 0
        self.mask = np.zeros(len(data), np.uint8)
        self._count = Struct('<I' if self.little else '>I')

    def skip(self, size: int) -> int:
        start = self.at
        self.at += size
        if self.at > len(self.data):
            raise ValueError(f'it ends at byte {len(self.data)}, a field at byte {self.at}')
        return start

    def keep(self, size: int) -> int:
        start = self.skip(size)
        self.mask[start : self.at] = 255
        return start

    def align(self, size: int) -> None:
        if not self.ros1:
            self.skip(-(self.at - HEADER) % size)

    def count(self) -> tuple[int, int]:
        """A number of elements, and where it stands."""
        self.align(self._count.size)
        start = self.keep(self._count.size)
        return int(self._count.unpack_from(self.data, start)[0]), start

    def text(self) -> str:
        size, _ = self.count()
        start = self.keep(size)
        text = self.data[start : start + size]
        return (text if self.ros1 else text[:-1]).decode()


def find_layout(data: bytes, *, ros1: bool = False) -> JointStateLayout:
    """The layout of a serialized sensor_msgs/JointState.

    Args:
        data: the message: plain CDR in either byte order, or as ROS 1 serializes it.
        ros1: whether ROS 1 has serialized it.

    Raises:
        ValueError: it is not such a message, or the numbers of its values do not fit its names.
    """
    if not ros1 and (len(data) < HEADER or data[0] or data[1] > 1):
        raise ValueError('it is not plain CDR')
    walk = _Walk(data, ros1=ros1)
    # ROS 1: the sequence number differs from message to message, as the stamp does.
    if not ros1:
        walk.keep(2)
    walk.skip(4 if ros1 else 2)
    stamp = walk.skip(STAMP)
    walk.text()
    names = tuple(walk.text() for _ in range(walk.count()[0]))
    fields, counts = {}, []
    for name in VALUES:
        count, at = walk.count()
        counts.append(at)
        if count not in (0, len(names)):
            raise ValueError(f'{len(names)} names, but {count} values of {name}')
        if count:
            walk.align(DOUBLE)
            fields[name] = walk.skip(count * DOUBLE)
    if not names or len(set(names)) < len(names):
        raise ValueError('it has no joints, or a joint twice')
    return _layout(walk, names, stamp, counts, fields)


def _layout(
    walk: _Walk, names: tuple[str, ...], stamp: int, counts: list[int], fields: dict[str, int]
) -> JointStateLayout:
    order = '<' if walk.little else '>'
    text, end = stamp + STAMP, counts[0] + COUNT
    places: dict[str, tuple[Any, int]] = {
        'seconds': (f'{order}u4' if walk.ros1 else f'{order}i4', stamp),
        'nanoseconds': (f'{order}u4', stamp + COUNT),
        # Words compare fastest; the last one overlaps the one before.
        'constant_text': (('u8', ((end - text) // WORD,)), text),
        'constant_end': ('u8', end - WORD),
        'constant_velocities': ('u4', counts[1]),
        'constant_efforts': ('u4', counts[2]),
    }
    if not walk.ros1:
        places['constant_encoding'] = ('u2', 0)
    for name, at in fields.items():
        places[name] = ((f'{order}f8', (len(names),)), at)
    record = np.dtype(
        {
            'names': list(places),
            'formats': [np.dtype(form) for form, _ in places.values()],
            'offsets': [at for _, at in places.values()],
            'itemsize': len(walk.data),
        }
    )
    expected = np.frombuffer(walk.data, np.uint8)
    return JointStateLayout(names, len(walk.data), record, walk.mask, expected)


class JointStateDecoder:
    """Decodes the serialized joint states of one topic."""

    def __init__(self, topic: str, *, ros1: bool = False) -> None:
        """Know no layout yet; the topic is for messages."""
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
        decoded = ((at, self._decoded(block.message(at))) for at in rest.tolist())
        rows += decoded_rows((at, message) for at, message in decoded if message is not None)
        fewest = RARE * len(block.sizes) if rest.size else 0.0
        kept = [layout for number, layout in found if number >= fewest]
        self._layouts = kept[:MOST_LAYOUTS]
        return StateBlock(block.log_times, rows)

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

    def _decoded(self, data: bytes) -> Any | None:
        """The message, by rosbags; None where its names and values do not fit each other."""
        if len(data) > LARGEST_MESSAGE:
            raise RecordingError(
                f'{self._topic}: a message has {len(data)} bytes, at most {LARGEST_MESSAGE} are '
                'allowed for the state of a robot'
            )
        store = _typestore(ros1=self._ros1)
        read = store.deserialize_ros1 if self._ros1 else store.deserialize_cdr
        try:
            message = read(data, JOINT_STATE)
        except Exception as error:
            # rosbags documents no class of exception.
            raise RecordingError(
                f'{self._topic}: a message is not a serialized {JOINT_STATE}: {error}'
            ) from error
        return message if _fits(message) else None

    def _new_layout(self, data: bytes) -> JointStateLayout | None:
        """The layout of a message; None where its names and values do not fit."""
        message = self._decoded(data)
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
    stamps = records['seconds'].astype(np.int64) * SECOND + records['nanoseconds']
    return StateRows(
        places,
        layout.names,
        stamps,
        *(records[name] if name in fields else None for name in VALUES),
    )


def decoded_rows(messages: Iterable[tuple[int, Any]]) -> list[StateRows]:
    """The states of decoded messages, each with its place in the block, in ascending order."""
    groups: dict[tuple[Any, ...], list[tuple[int, Any]]] = {}
    for place, message in messages:
        kind = tuple(message.name), message.velocity.size, message.effort.size
        groups.setdefault(kind, []).append((place, message))
    rows = []
    for (names, *_), group in groups.items():
        places, found = zip(*group, strict=True)
        stamps = [each.header.stamp.sec * SECOND + each.header.stamp.nanosec for each in found]
        values = (np.array([getattr(each, name) for each in found]) for name in VALUES)
        known = (array if array.size else None for array in values)
        rows.append(StateRows(np.array(places), names, np.array(stamps, np.int64), *known))
    return rows


def _fits(message: Any) -> bool:
    """Whether there are positions of joints, and other values of all of these or of none."""
    position, *others = (len(getattr(message, field)) for field in VALUES)
    return 0 < position == len(message.name) == len({*message.name}) and {*others} <= {0, position}


@cache
def _typestore(*, ros1: bool) -> Any:
    return get_typestore(Stores.ROS1_NOETIC if ros1 else Stores.LATEST)
