"""Serialized joint states to arrays, without decoding anew what drivers repeat.

A driver sends the same frame and names each time. So the layout of the first message of a kind is
found, and of all messages that differ from it in stamp and values only, stamp and values are read
as views of the buffer. Where the joints come in another order again and again, the layout of each
message is found instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import Any

import numpy as np
import numpy.typing as npt

from .message_blocks import MessageBlock, records_at
from .source import Bytes, StateBlock, StateRows

JOINT_STATE = 'sensor_msgs/msg/JointState'
VALUES = ('position', 'velocity', 'effort')
SECOND = 1_000_000_000  # [ns]
# Layouts that are remembered: a driver sends one or two, and there may be several drivers.
MOST_LAYOUTS = 8
# Of a block: a new layout takes a look at all messages that are left.
MOST_NEW = 4
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
    text = walk.at
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
    order = '<' if walk.little else '>'
    end = counts[0] + COUNT
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

    def __init__(self, *, ros1: bool = False) -> None:
        """Know no layout yet."""
        self._ros1 = ros1
        self._layouts: list[JointStateLayout] = []

    def decode(self, block: MessageBlock) -> StateBlock:
        """The states of a block; what is no joint state, or has no position for each name, is not.

        Such messages are in none of the rows.
        """
        rest = np.arange(len(block.sizes))
        rows: list[StateRows] = []
        for layout in self._layouts:
            rest = _read(block, layout, rest, rows)
        new = 0
        while rest.size:
            try:
                layout = find_layout(block.message(int(rest[0])), ros1=self._ros1)
                known = 'position' in (layout.record.names or ())
            except ValueError:
                known = False
            if known and new < MOST_NEW:
                new += 1
                self._layouts.insert(0, layout)
                rest = _read(block, layout, rest, rows)
                continue
            if known:
                _read(block, layout, rest[:1], rows)
            rest = rest[1:]
        del self._layouts[MOST_LAYOUTS:]
        return StateBlock(block.log_times, rows)


def _read(
    block: MessageBlock,
    layout: JointStateLayout,
    rest: npt.NDArray[np.intp],
    rows: list[StateRows],
) -> npt.NDArray[np.intp]:
    """Append the rows of a layout to those that are read; the messages that do not have it."""
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
        stamps = records['seconds'].astype(np.int64) * SECOND + records['nanoseconds']
        fields = layout.record.names or ()
        values = (records[name] if name in fields else None for name in VALUES)
        rows.append(StateRows(which, layout.names, stamps, *values))
    return rest[~same]
