"""Serialized joint states to arrays, without decoding anew what drivers repeat.

A driver sends the same frame and names each time. So rosbags decodes the first message of a kind,
and of all that differ from it in stamp and values only, these are columns of one NumPy layout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.extra import required

from ..joint_columns import VALUES, Numbers, States

Bytes = npt.NDArray[np.uint8]
JOINT_STATE = 'sensor_msgs/msg/JointState'
SECOND = 1_000_000_000  # [ns]
# Messages that are decoded or written together: those of one chunk of rosbag2 are as many.
TOGETHER = 4096
# Bytes of a stamp: behind the encoding of ROS 2, or the sequence number of ROS 1.
STAMP = slice(4, 12)
# Stands for a value, to find its place: no text in UTF-8 has such bytes.
MARK = np.frombuffer(bytes(range(0xF8, 0x100)), np.float64)[0]


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


@cache
def type_store(*, ros1: bool = False) -> Any:
    """The message definitions of ROS 2, or of ROS 1."""
    types = required('rosbags.typesys')
    return types.get_typestore(types.Stores.ROS1_NOETIC if ros1 else types.Stores.ROS2_KILTED)


@dataclass(frozen=True)
class Layout:
    """Serialized joint states of one size, with the same names and the same fields.

    Attributes:
        names: of the joints.
        record: dtype of a message: `seconds`, `nanoseconds`, and those of `VALUES` it has.
        template: (size,) bytes that must not differ; 0 for stamp, values and padding.
    """

    names: tuple[str, ...]
    record: Any
    template: Bytes

    @classmethod
    def of(cls, message: Any, size: int, *, little: bool = True, ros1: bool = False) -> Layout:
        """That of a decoded message with so many bytes, whose values are replaced."""
        order, count, store = '<' if little else '>', len(message.name), type_store(ros1=ros1)
        fields = [name for name in VALUES if len(getattr(message, name))]
        for name in fields:
            setattr(message, name, np.full(count, MARK))
        data = (
            store.serialize_ros1(message, JOINT_STATE)
            if ros1
            else store.serialize_cdr(message, JOINT_STATE, little_endian=little)
        )
        template = bytearray(bytes(data).ljust(size, b'\0'))
        template[STAMP] = bytes(8)
        if ros1:
            template[:4] = bytes(4)
        marks, places = np.full(count, MARK, f'{order}f8').tobytes(), [4, 8]
        for _ in fields:
            places.append(template.index(marks))
            template[places[-1] : places[-1] + len(marks)] = bytes(len(marks))
        whole, values = f'{order}u4' if ros1 else f'{order}i4', (f'{order}f8', (count,))
        record: Any = {
            'names': ['seconds', 'nanoseconds', *fields],
            'formats': [whole, f'{order}u4', *[values] * len(fields)],
            'offsets': places,
            'itemsize': size,
        }
        return cls(tuple(message.name), np.dtype(record), np.frombuffer(template, np.uint8))

    @classmethod
    def found(cls, data: bytes, *, ros1: bool = False) -> Layout | None:
        """That of a serialized message; None: no joint state with a position for each name."""
        store = type_store(ros1=ros1)
        if not ros1 and data[:2] not in (b'\0\0', b'\0\1'):
            return None
        try:
            message = (store.deserialize_ros1 if ros1 else store.deserialize_cdr)(
                data, JOINT_STATE
            )
        # rosbags documents no class of exception.
        except Exception:
            return None
        count, sizes = len(set(message.name)), {len(getattr(message, name)) for name in VALUES}
        fits = 0 < count == len(message.name) == len(message.position) and sizes <= {0, count}
        return cls.of(message, len(data), little=ros1 or data[1] == 1, ros1=ros1) if fits else None

    def fits(self, raw: Bytes) -> npt.NDArray[np.bool_]:
        """Which of some messages (N, size) differ in stamp, values and padding only."""
        constant = np.flatnonzero(self.template)
        same: npt.NDArray[np.bool_] = (raw[:, constant] == self.template[constant]).all(axis=1)
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
                layout, fit = Layout.found(raw[0].tobytes(), ros1=ros1), np.arange(len(rest)) == 0
                if layout and (same := layout.fits(raw))[0]:
                    fit = same
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
