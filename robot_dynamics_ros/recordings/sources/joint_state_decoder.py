"""Serialized joint states to arrays, without decoding anew what drivers repeat.

A driver sends the same frame and names each time. So the first message of a kind is parsed, and of
all that differ from it in stamp and values only, these are columns of one NumPy layout.

Sources: OMG Common Data Representation, as of DDS-XTypes 1.3, section 7.4.1; ROS 1 wire format,
wiki.ros.org/msg.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from struct import unpack_from
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..joint_columns import VALUES, Numbers, States

Bytes = npt.NDArray[np.uint8]
JOINT_STATE = 'sensor_msgs/msg/JointState'
SECOND = 1_000_000_000  # [ns]
# Messages that are decoded or written together: those of one chunk of rosbag2 are as many.
TOGETHER = 4096
# Bytes of a stamp: behind the encoding of ROS 2, or the sequence number of ROS 1.
STAMP = slice(4, 12)


class Batch(NamedTuple):
    """Some messages in one buffer."""

    times: Numbers  #: (N,) of the log [ns]
    data: bytes
    begins: Numbers  #: (N,) of the messages in the buffer
    sizes: Numbers  #: (N,) [B]

    def messages(self) -> Iterator[tuple[int, bytes]]:
        """Log time [ns] and bytes of each."""
        for time, begin, size in zip(self.times.tolist(), self.begins, self.sizes, strict=True):
            yield time, self.data[begin : begin + size]


def batches_of(messages: Iterable[tuple[int, bytes]]) -> Iterator[Batch]:
    """Messages with their log times [ns], some at a time."""
    messages = iter(messages)
    while some := [*islice(messages, TOGETHER)]:
        times, parts = zip(*some, strict=True)
        sizes = np.array([len(part) for part in parts])
        yield Batch(np.array(times), b''.join(parts), np.cumsum(sizes) - sizes, sizes)


class Layout(NamedTuple):
    """Serialized joint states of one size, with the same names and the same fields."""

    names: tuple[str, ...]  #: of the joints
    record: Any  #: dtype of a message: `seconds`, `nanoseconds`, and those of `VALUES` it has
    template: Bytes  #: (size,) bytes of one
    constant: Numbers  #: (C,) places of bytes that must not differ: no stamp, value, padding

    @classmethod
    def of(cls, data: bytes, *, ros1: bool = False) -> Layout:
        """That of a serialized message.

        Raises:
            ValueError: it is no joint state with as many values as names.
        """
        if not ros1 and data[:2] not in (b'\0\0', b'\0\1'):
            raise ValueError('its encoding is not CDR')
        order = '<' if ros1 or data[1] else '>'
        # ROS 2 aligns behind the encoding; ROS 1 does not align, and begins with a number.
        constant, at = bytearray(len(data)), STAMP.stop

        def taken(size: int, aligned: int = 1) -> int:
            nonlocal at
            place = at if ros1 else at + (4 - at) % aligned
            if (at := place + size) > len(data):
                raise ValueError('it ends too early')
            return place

        def number() -> int:
            place = taken(4, 4)
            constant[place:at] = b'\1' * 4
            return int(unpack_from(f'{order}I', data, place)[0])

        def text() -> str:
            place = taken(number())
            constant[place:at] = b'\1' * (at - place)
            return data[place:at].decode().rstrip('\0')

        text()
        names = tuple(text() for _ in range(number()))
        fields = {}
        for field in VALUES:
            if count := number():
                fields[field] = taken(8 * count, 8), count
        counts = {count for _, count in fields.values()}
        if counts != {len(names)} or len(set(names)) < len(names):
            raise ValueError('it has not as many values as names')
        values = (f'{order}f8', (len(names),))
        record: Any = {
            'names': ['seconds', 'nanoseconds', *fields],
            'formats': [f'{order}{"u" if ros1 else "i"}4', f'{order}u4', *[values] * len(fields)],
            'offsets': [STAMP.start, STAMP.start + 4, *(place for place, _ in fields.values())],
            'itemsize': len(data),
        }
        places = np.flatnonzero(np.frombuffer(constant, np.uint8))
        return cls(names, np.dtype(record), np.frombuffer(data, np.uint8), places)

    def fits(self, raw: Bytes) -> npt.NDArray[np.bool_]:
        """Which of some messages (N, size) differ in stamp, values and padding only."""
        same: npt.NDArray[np.bool_] = (raw[:, self.constant] == self.template[self.constant]).all(
            axis=1
        )
        return same


class Decoder:
    """Joint states of serialized messages, in one array for each set of joints."""

    def __init__(self, count: int) -> None:
        """Expect so many messages at most: room that is not used takes no memory."""
        self._log_times, self._count = np.empty(count, np.int64), 0
        # States with room for all messages, and how many there are.
        self._kinds: dict[frozenset[str], States] = {}
        self._sizes = Counter[frozenset[str]]()

    def add(self, batch: Batch, ros1: bool) -> None:
        """Take messages; one that is no joint state has a number, and nothing else."""
        first, self._count = self._count, self._count + len(batch.times)
        self._log_times[first : self._count] = batch.times
        for size in np.unique(batch.sizes[batch.sizes > 0]).tolist():
            rest = np.flatnonzero(batch.sizes == size)
            every = np.ndarray(len(batch.data) - size + 1, f'V{size}', batch.data, strides=(1,))
            raw = every[batch.begins[rest]].view(np.uint8).reshape(-1, size)
            while len(rest):
                fit = np.arange(len(rest)) == 0
                with suppress(ValueError):
                    layout = Layout.of(raw[0].tobytes(), ros1=ros1)
                    if VALUES[0] in layout.record.names:
                        fit = layout.fits(raw)
                        self._keep(layout, first + rest[fit], raw[fit])
                rest, raw = rest[~fit], raw[~fit]

    def _keep(self, layout: Layout, numbers: Numbers, raw: Bytes) -> None:
        """Take messages (N, size) of a layout, with numbers (N,)."""
        key, room = frozenset(layout.names), len(self._log_times)
        if key not in self._kinds:
            # Columns are contiguous: what reads recordings goes joint by joint.
            values = np.empty((len(VALUES), len(key), room)).swapaxes(1, 2)
            places = (np.empty(room, np.int64) for _ in range(2))
            self._kinds[key] = States(layout.names, *places, values)
        kind, rows = self._kinds[key], slice(self._sizes[key], self._sizes[key] + len(numbers))
        self._sizes[key] = rows.stop
        records = raw.view(layout.record)[:, 0]
        kind.numbers[rows] = numbers
        kind.times[rows] = records['seconds'] * np.int64(SECOND) + records['nanoseconds']
        same = layout.names == kind.names
        columns = slice(None) if same else [kind.names.index(name) for name in layout.names]
        for values, field in zip(kind.values[:, rows], VALUES, strict=True):
            values[:, columns] = records[field] if field in layout.record.names else np.nan

    def states(self) -> tuple[list[States], bool]:
        """Those of each set of joints, and whether their times are stamps, or of the log.

        Messages are numbered by their log times; of equal ones, as they came.
        """
        log, found = self._log_times[: self._count], []
        stamped = any(kind.times[: self._sizes[key]].any() for key, kind in self._kinds.items())
        ranks = np.empty(self._count, np.int64)
        ranks[np.argsort(log, kind='stable')] = np.arange(self._count)
        for key, kind in self._kinds.items():
            stored, times = kind.numbers[: self._sizes[key]], kind.times[: self._sizes[key]]
            numbers, times = ranks[stored], times if stamped else log[stored]
            values = kind.values[:, : len(numbers)]
            if (np.diff(numbers) < 0).any():
                order = np.argsort(numbers)
                numbers, times, values = numbers[order], times[order], values[:, order]
            found.append(States(kind.names, numbers, times, values))
        return found, stamped
