"""Serialized joint states to arrays, without decoding anew what drivers repeat.

A driver sends the same frame and names each time. So the first message of a kind is parsed, and of
all that differ from it in stamp and values only, these are columns of one NumPy layout.

Sources: OMG Common Data Representation, as of DDS-XTypes 1.3, section 7.4.1; ROS 1 wire format,
wiki.ros.org/msg.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from struct import unpack_from
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..joint_samples import VALUES, Numbers, States

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

    def states(self, raw: Bytes, numbers: Numbers) -> States:
        """Those of messages (N, size) that fit, with numbers (N,)."""
        records = raw.view(self.record)[:, 0]
        times = records['seconds'] * np.int64(SECOND) + records['nanoseconds']
        missing = np.full((len(raw), len(self.names)), np.nan)
        values = [records[one] if one in self.record.names else missing for one in VALUES]
        return States(self.names, numbers, times, np.array(values, float))

    def fits(self, raw: Bytes) -> npt.NDArray[np.bool_]:
        """Which of some messages (N, size) differ in stamp, values and padding only."""
        same: npt.NDArray[np.bool_] = (raw[:, self.constant] == self.template[self.constant]).all(
            axis=1
        )
        return same


class Decoder:
    """Joint states of serialized messages, in arrays for each set of joints."""

    def __init__(self) -> None:
        """Begin without a message."""
        self._log_times, self._count = list[Numbers](), 0
        self._kinds = defaultdict[frozenset[str], list[States]](list)

    def add(self, batch: Batch, ros1: bool) -> None:
        """Take messages; one that is no joint state has a number, and nothing else."""
        first = self._count
        self._count += len(batch.times)
        self._log_times.append(batch.times)
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
                        found = layout.states(raw[fit], first + rest[fit])
                        self._kinds[frozenset(layout.names)].append(found)
                rest, raw = rest[~fit], raw[~fit]

    def states(self) -> tuple[list[States], bool]:
        """Those of each set of joints, and whether their times are stamps, or of the log.

        Messages are numbered by their log times; of equal ones, as they came.
        """
        log = np.concatenate([np.empty(0, np.int64), *self._log_times])
        ranks = np.empty(len(log), np.int64)
        ranks[np.argsort(log, kind='stable')] = np.arange(len(log))
        stamped = any(part.times.any() for parts in self._kinds.values() for part in parts)
        found = []
        for parts in self._kinds.values():
            for place, part in enumerate(parts):
                times = part.times if stamped else log[part.numbers]
                parts[place] = part._replace(numbers=ranks[part.numbers], times=times)
            found.append(States.joined(parts, parts[0].names))
        return found, stamped
