"""MCAP for ROS tools: the recorded states, and the torques of a model beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import merge
from itertools import chain, repeat
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from robot_dynamics_ros.core.checks import Array

from .joint_samples import JointSamples
from .sources.bag_source import DESCRIPTION_TOPIC, STRING
from .sources.joint_state_decoder import JOINT_STATE, VALUES, find_layout
from .torque_samples import ROWS, SECOND, TorqueOrigin, TorqueSamples

MODEL_TOPIC = '/model'
VERSION: Literal[9] = 9  # of rosbag2's metadata
NEVER = QosTime(0, 0)
LATCHED = Qos(
    QosHistory.KEEP_LAST, 1, QosReliability.RELIABLE, QosDurability.TRANSIENT_LOCAL,
    NEVER, NEVER, QosLiveliness.AUTOMATIC, NEVER, False,
)  # fmt: skip

# A stamp [ns], the connection of the topic, and the serialized message.
Message = tuple[int, Any, bytes]


def write_mcap(
    path: Path,
    origin: TorqueOrigin,
    samples: Iterable[TorqueSamples],
    states: Iterable[JointSamples],
) -> None:
    """Write the states as they were recorded, the torques, and the URDF, by their stamps.

    Both are read as they are written. Where the clock was set back, so are the messages.

    Args:
        path: to write; there is no file of that name.
        origin: of the torques.
        samples: with the torques.
        states: of the recording, unfiltered, in its order.
    """
    with TemporaryDirectory(dir=path.parent) as folder:
        writer = Writer(Path(folder, 'bag'), version=VERSION, storage_plugin=StoragePlugin.MCAP)
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        with writer:
            latched = writer.add_connection(
                DESCRIPTION_TOPIC, STRING, typestore=_typestore(), offered_qos_profiles=[LATCHED]
            )
            text = _typestore().types[STRING](data=origin.urdf)
            writer.write(latched, origin.start, _typestore().serialize_cdr(text, STRING))
            messages = _Messages(writer, origin)
            both = messages.of_states(states), messages.of_torques(samples)
            for stamp, connection, data in merge(*both, key=itemgetter(0)):
                writer.write(connection, stamp, data)
        Path(folder, 'bag', 'bag.mcap').replace(path)


class _Messages:
    """Makes messages of states and torques."""

    def __init__(self, writer: Writer, origin: TorqueOrigin) -> None:
        self._origin = origin
        self._all_fields = _Rows(origin.joints)
        self._efforts = _Rows(origin.joints, ['effort'])
        self._topic = lru_cache(None)(
            lambda name: writer.add_connection(name, JOINT_STATE, typestore=_typestore())
        )

    def of_states(self, states: Iterable[JointSamples]) -> Iterator[Message]:
        for part in states:
            for first in range(0, len(part), ROWS):
                piece = part.part(slice(first, first + ROWS))
                yield from self._on(
                    self._origin.topic, self._all_fields, piece.times,
                    position=piece.positions, velocity=piece.velocities, effort=piece.efforts,
                )  # fmt: skip

    def of_torques(self, samples: Iterable[TorqueSamples]) -> Iterator[Message]:
        for piece in (piece for each in samples for piece in each.pieces(ROWS)):
            motion = piece.motion
            total = self._on(
                f'{MODEL_TOPIC}/torques', self._all_fields, motion.times,
                position=motion.positions, velocity=motion.velocities, effort=piece.torques,
            )  # fmt: skip
            parts = (
                self._on(f'{MODEL_TOPIC}/{name}', self._efforts, motion.times, effort=values)
                for name, values in piece.parts.items()
            )
            yield from chain.from_iterable(zip(total, *parts, strict=True))

    def _on(self, topic: str, rows: _Rows, times: Array, **values: Array) -> Iterator[Message]:
        stamps = self._origin.stamps(times)
        serialized = rows.serialized(stamps, **values)
        return zip(stamps.tolist(), repeat(self._topic(topic)), serialized)


class _Rows:
    """Makes messages of the same joints and fields, which differ in stamp and values only.

    rosbags serializes one message; the others are copies of its bytes with other numbers.
    """

    def __init__(self, joints: Sequence[str], fields: Sequence[str] = VALUES) -> None:
        types = _typestore().types
        header = types['std_msgs/msg/Header'](types['builtin_interfaces/msg/Time'](0, 0), '')
        values = (np.zeros(len(joints) * (name in fields)) for name in VALUES)
        message = types[JOINT_STATE](header, list(joints), *values)
        self._layout = find_layout(bytes(_typestore().serialize_cdr(message, JOINT_STATE)))

    def serialized(self, stamps: npt.NDArray[np.int64], **values: Array) -> Iterator[bytes]:
        """Messages with stamps (N,) [ns], and values (N, n) of each field."""
        size = self._layout.size
        rows = np.tile(self._layout.expected, len(stamps))
        records = rows.view(self._layout.record)
        records['seconds'], records['nanoseconds'] = np.divmod(stamps, SECOND)
        for name, numbers in values.items():
            records[name] = numbers
        data = rows.tobytes()
        return (data[first : first + size] for first in range(0, len(data), size))


@lru_cache(maxsize=1)
def _typestore() -> Any:
    """The message definitions of ROS 2."""
    return get_typestore(Stores.ROS2_KILTED)
