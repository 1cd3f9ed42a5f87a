"""Serialized joint states to arrays, without decoding anew what drivers repeat.

A driver sends the same frame and names each time. So rosbags decodes the first message of a kind,
and of all that differ from it in stamp and values only, these are columns of one NumPy layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.extra import required

from ..joint_columns import States, Times

Bytes = npt.NDArray[np.uint8]
# Log time [ns] and bytes.
Message = tuple[int, bytes]
JOINT_STATE = 'sensor_msgs/msg/JointState'
VALUES = ('position', 'velocity', 'effort')
SECOND = 1_000_000_000  # [ns]
# Messages of a file that are decoded or written together.
TOGETHER = 4096
# Bytes of a stamp: behind the encoding of ROS 2, or the sequence number of ROS 1.
STAMP = slice(4, 12)
# Stands for a value, to find its place: no text in UTF-8 has such bytes.
MARK = np.frombuffer(bytes(range(0xF8, 0x100)), np.float64)[0]


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

    def fits(self, raw: Bytes) -> npt.NDArray[np.bool_]:
        """Which of some messages (N, size) differ in stamp, values and padding only."""
        constant = np.where(self.template, 255, 0).astype(np.uint8)
        differs: npt.NDArray[np.bool_] = np.any((raw ^ self.template) & constant, axis=1)
        return ~differs

    def states(self, numbers: npt.NDArray[np.intp], times: Times, raw: Bytes) -> States:
        """Those of messages (N, size) that fit, with numbers and log times (N,) [ns]."""
        records = np.ascontiguousarray(raw).view(self.record)[:, 0]
        stamps = records['seconds'].astype(np.int64) * SECOND + records['nanoseconds']
        values = np.full((len(VALUES), len(raw), len(self.names)), np.nan)
        for place, name in enumerate(VALUES):
            if name in self.record.names:
                values[place] = records[name]
        return States(self.names, numbers, times, stamps, values)


def layout_of(message: Any, size: int, *, little: bool = True, ros1: bool = False) -> Layout:
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
    return Layout(tuple(message.name), np.dtype(record), np.frombuffer(template, np.uint8))


def found_layout(data: bytes, *, ros1: bool = False) -> Layout | None:
    """That of a serialized message; None if it is no joint state with a position for each name."""
    store = type_store(ros1=ros1)
    if not ros1 and data[:2] not in (b'\0\0', b'\0\1'):
        return None
    try:
        message = (store.deserialize_ros1 if ros1 else store.deserialize_cdr)(data, JOINT_STATE)
    # rosbags documents no class of exception.
    except Exception:
        return None
    count, sizes = len(set(message.name)), {len(getattr(message, name)) for name in VALUES}
    fits = 0 < count == len(message.name) == len(message.position) and sizes <= {0, count}
    return layout_of(message, len(data), little=ros1 or data[1] == 1, ros1=ros1) if fits else None


def decoded(messages: Sequence[Message], first: int, *, ros1: bool = False) -> list[States]:
    """The joint states of messages, which are numbered from the first one on."""
    times = np.array([time for time, _ in messages], np.int64)
    sizes = np.array([len(data) for _, data in messages])
    found = []
    for size in np.unique(sizes[sizes > 0]).tolist():
        rest = np.flatnonzero(sizes == size)
        data = b''.join([messages[row][1] for row in rest.tolist()])
        raw = np.frombuffer(data, np.uint8).reshape(-1, size)
        while len(rest):
            layout = found_layout(raw[0].tobytes(), ros1=ros1)
            if layout is None or not (fit := layout.fits(raw))[0]:
                rest, raw = rest[1:], raw[1:]
                continue
            found.append(layout.states(first + rest[fit], times[rest[fit]], raw[fit]))
            rest, raw = rest[~fit], raw[~fit]
    return found
