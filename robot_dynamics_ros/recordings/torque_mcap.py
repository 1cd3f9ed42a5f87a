"""MCAP for ROS tools: the recorded states, and the torques of a model beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import merge
from itertools import chain, repeat
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import numpy as np
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

from .joint_samples import JointSamples, stamps
from .motion import Motion
from .sources.bag_source import DESCRIPTION_TOPIC, STRING
from .sources.joint_state_decoder import JOINT_STATE, VALUES, find_layout

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
    torques: Iterable[tuple[Motion, Mapping[str, Array]]],
    states: Iterable[JointSamples],
    *,
    start: int,
    topic: str,
    urdf: str,
) -> None:
    """Write the states as they were recorded, the torques, and the URDF, by their stamps.

    Both are read as they are written. Where the clock was set back, so are the messages. For the
    arguments see `torque_file.write_torque_file`.
    """
    store = _type_store()
    with TemporaryDirectory(dir=path.parent) as folder:
        writer = Writer(Path(folder, 'bag'), version=VERSION, storage_plugin=StoragePlugin.MCAP)
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)

        @cache
        def connection(name: str) -> Any:
            return writer.add_connection(name, JOINT_STATE, typestore=store)

        def on(
            name: str, of: JointSamples | Motion, fields: Sequence[str], *values: Array
        ) -> Iterator[Message]:
            times = stamps(start, of.times)
            data = _serialized(of.joints, times, dict(zip(fields, values, strict=True)))
            return zip(times.tolist(), repeat(connection(name)), data)

        def recorded() -> Iterator[Message]:
            for part in states:
                yield from on(topic, part, VALUES, part.positions, part.velocities, part.efforts)

        def computed() -> Iterator[Message]:
            for motion, parts in torques:
                values = motion.positions, motion.velocities, sum(parts.values())
                total = on(f'{MODEL_TOPIC}/torques', motion, VALUES, *values)
                others = (
                    on(f'{MODEL_TOPIC}/{name}', motion, ['effort'], part)
                    for name, part in parts.items()
                )
                yield from chain.from_iterable(zip(total, *others, strict=True))

        with writer:
            latched = writer.add_connection(
                DESCRIPTION_TOPIC, STRING, typestore=store, offered_qos_profiles=[LATCHED]
            )
            text = store.types[STRING](data=urdf)
            writer.write(latched, start, store.serialize_cdr(text, STRING))
            for stamp, channel, data in merge(recorded(), computed(), key=itemgetter(0)):
                writer.write(channel, stamp, data)
        Path(folder, 'bag', 'bag.mcap').replace(path)


def _serialized(
    joints: Sequence[str], times: Array, values: Mapping[str, Array]
) -> Iterator[bytes]:
    """Messages with stamps (N,) [ns], and values (N, n) of some fields.

    rosbags serializes one message; the others are copies of its bytes with other numbers.
    """
    types = _type_store().types
    header = types['std_msgs/msg/Header'](types['builtin_interfaces/msg/Time'](0, 0), '')
    zeros = (np.zeros(len(joints) * (name in values)) for name in VALUES)
    message = types[JOINT_STATE](header, list(joints), *zeros)
    expected = bytes(_type_store().serialize_cdr(message, JOINT_STATE))
    layout = find_layout(expected)
    rows = np.tile(layout.expected, len(times))
    records = rows.view(layout.record)
    records['seconds'], records['nanoseconds'] = np.divmod(times, 1_000_000_000)
    for name, numbers in values.items():
        records[name] = numbers
    data = rows.tobytes()
    return (data[first : first + layout.size] for first in range(0, len(data), layout.size))


@cache
def _type_store() -> Any:
    """The message definitions of ROS 2."""
    return get_typestore(Stores.ROS2_KILTED)
