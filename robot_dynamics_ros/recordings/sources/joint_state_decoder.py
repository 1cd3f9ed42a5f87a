"""Serialized joint states to arrays, without decoding anew what drivers repeat.

A driver sends the same frame and names each time. So the layout of the first message of a kind is
found, and of all messages that differ from it in stamp and values only, these are read as columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from struct import unpack_from
from typing import Any

import numpy as np
import numpy.typing as npt

from .messages import MessageBlock, bytes_at
from .source import Bytes, States

JOINT_STATE = 'sensor_msgs/msg/JointState'
VALUES = ('position', 'velocity', 'effort')
SECOND = 1_000_000_000  # [ns]
# Layouts that are remembered: a driver sends one or two, and there may be several drivers.
MAX_LAYOUTS = 8
# Of a size in a block: a new layout takes a look at all messages that are left.
MAX_NEW = 4
# Bytes of the encoding, of a stamp, of a double.
HEADER, STAMP, DOUBLE = 4, 8, 8


@dataclass(frozen=True)
class JointStateLayout:
    """Serialized joint states of one size, with the same names and the same fields.

    Attributes:
        names: of the joints.
        record: dtype of a message: `seconds`, `nanoseconds`, and those of `VALUES` it has.
        mask: (size,) 255 for bytes that must not differ, 0 for stamp, values and padding.
        expected: (size,) the bytes of a message of this layout.
    """

    names: tuple[str, ...]
    record: np.dtype[Any]
    mask: Bytes
    expected: Bytes

    def fits(self, raw: Bytes) -> npt.NDArray[np.bool_]:
        """Which of some messages (N, size) differ in stamp, values and padding only."""
        fit: npt.NDArray[np.bool_] = ~((raw ^ self.expected) & self.mask).any(axis=1)
        return fit

    def values(self, raw: Bytes) -> tuple[Any, ...]:
        """Stamps (N,), positions, velocities and efforts (N, n) or None of messages that fit."""
        records = np.ascontiguousarray(raw).view(self.record)[:, 0]
        stamps = records['seconds'].astype(np.int64) * SECOND + records['nanoseconds']
        fields = self.record.names or ()
        return stamps, *(records[name] if name in fields else None for name in VALUES)


class _Walk:
    """Goes through a serialized joint state, field by field.

    Source: OMG DDSI-RTPS 2.5, section 10 (header); OMG CORBA 3.3, part 2, section 9.3 (alignment,
    strings, sequences). ROS 1 has neither header nor alignment, and no zero at the end of strings.
    """

    def __init__(self, data: bytes, *, ros1: bool) -> None:
        self.data, self.ros1, self.at = data, ros1, 0
        self.order = '<' if ros1 or data[1] & 1 else '>'
        self.mask = np.zeros(len(data), np.uint8)

    def take(self, size: int, *, align: int = 1, constant: bool = True) -> int:
        """Pass some bytes; where they begin."""
        if not self.ros1:
            self.at += -(self.at - HEADER) % align
        start, self.at = self.at, self.at + size
        if self.at > len(self.data):
            raise ValueError(f'it ends at byte {len(self.data)}, a field at byte {self.at}')
        self.mask[start : self.at] = 255 * constant
        return start

    def count(self) -> int:
        return int(unpack_from(f'{self.order}I', self.data, self.take(4, align=4))[0])

    def text(self) -> str:
        size = self.count()
        start = self.take(size)
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
        walk.take(2)
    walk.take(4 if ros1 else 2, constant=False)
    stamp = walk.take(STAMP, constant=False)
    walk.text()
    names = tuple(walk.text() for _ in range(walk.count()))
    whole, order = 'u4' if ros1 else 'i4', walk.order
    places: dict[str, tuple[Any, int]] = {
        'seconds': (f'{order}{whole}', stamp),
        'nanoseconds': (f'{order}u4', stamp + STAMP // 2),
    }
    for name in VALUES:
        if (count := walk.count()) not in (0, len(names)):
            raise ValueError(f'{len(names)} names, but {count} values of {name}')
        if count:
            start = walk.take(count * DOUBLE, align=DOUBLE, constant=False)
            places[name] = ((f'{order}f8', (count,)), start)
    if not names or len(set(names)) < len(names):
        raise ValueError('it has no joints, or a joint twice')
    record = np.dtype(
        {
            'names': list(places),
            'formats': [np.dtype(form) for form, _ in places.values()],
            'offsets': [at for _, at in places.values()],
            'itemsize': len(data),
        }
    )
    return JointStateLayout(names, record, walk.mask, np.frombuffer(data, np.uint8))


class JointStateDecoder:
    """Decodes the serialized joint states of one topic."""

    def __init__(self) -> None:
        """Know no layout yet."""
        self._layouts: dict[tuple[bool, int], list[JointStateLayout]] = {}
        self._count = 0

    def decode(self, block: MessageBlock) -> list[States]:
        """The states of a block that follows those before; in the last ones are the malformed.

        These are no joint states, or have no position for each name.
        """
        found = []
        malformed = np.ones(len(block.sizes), bool)
        for size in np.unique(block.sizes[block.sizes > 0]).tolist():
            places = np.flatnonzero(block.sizes == size)
            raw = bytes_at(block.buffer, block.starts[places], size)
            for layout, fit in self._fits(raw, block.ros1):
                which = places[fit]
                malformed[which] = False
                times = block.log_times[which]
                rows = layout.values(raw[fit])
                found.append(States(layout.names, self._count + which, times, *rows))
        rest = np.flatnonzero(malformed)
        found.append(States((), self._count + rest, block.log_times[rest]))
        self._count += len(malformed)
        return found

    def _fits(self, raw: Bytes, ros1: bool) -> Iterator[tuple[JointStateLayout, Any]]:
        """Layouts, and which messages (N, size) have each."""
        layouts = self._layouts.setdefault((ros1, raw.shape[1]), [])
        known, rest = len(layouts), np.arange(len(raw))
        for number in range(known + MAX_NEW):
            if not rest.size:
                return
            layout = layouts[number] if number < known else _layout_of(raw[rest[0]], ros1)
            fit = layout.fits(raw[rest]) if layout else rest == rest[0]
            if layout and number >= known:
                layouts.append(layout)
            if layout and fit.any():
                yield layout, rest[fit]
            rest = rest[~fit]
        del layouts[:-MAX_LAYOUTS]
        # Joints that come in another order each time, or messages that are no joint states.
        for place in rest.tolist():
            if layout := _layout_of(raw[place], ros1):
                yield layout, [place]


def _layout_of(raw: Bytes, ros1: bool) -> JointStateLayout | None:
    try:
        layout = find_layout(raw.tobytes(), ros1=ros1)
    except ValueError:
        return None
    return layout if VALUES[0] in (layout.record.names or ()) else None
