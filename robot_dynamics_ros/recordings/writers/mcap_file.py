"""MCAP for ROS tools: the recorded states, and the torques of a model beside them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from heapq import merge
from itertools import repeat
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer

from robot_dynamics_ros.core.checks import Array

from ..filtering.zero_phase import half_length
from ..joint_samples import JointSamples
from ..motion import Motion
from .joint_state_rows import JOINT_STATE, STRING, JointStateRows, serialized_text, typestore
from .pending_states import PendingStates
from .torque_samples import TorqueOrigin, TorqueSamples, motion_pieces

MODEL_TOPIC = '/model'
DESCRIPTION_TOPIC = '/robot_description'
# Samples whose messages are in memory at a time.
PIECE = 4096
VERSION: Literal[9] = 9  # of rosbag2's metadata
NEVER = QosTime(0, 0)
LATCHED = Qos(
    QosHistory.KEEP_LAST, 1, QosReliability.RELIABLE, QosDurability.TRANSIENT_LOCAL,
    NEVER, NEVER, QosLiveliness.AUTOMATIC, NEVER, False,
)  # fmt: skip

# A stamp [ns], the connection of the topic, and the serialized message.
Message = tuple[int, Any, bytes]


@contextmanager
def mcap_file(
    path: Path, origin: TorqueOrigin, states: Iterable[JointSamples]
) -> Iterator[McapFile]:
    """A file with the states as they were recorded, the torques, and the URDF.

    Args:
        path: to write; there is no file of that name.
        origin: of the torques.
        states: of the recording, unfiltered, in its order.
    """
    with TemporaryDirectory(dir=path.parent) as folder:
        writer = Writer(Path(folder, 'bag'), version=VERSION, storage_plugin=StoragePlugin.MCAP)
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
        with writer:
            file = McapFile(writer, origin, states)
            yield file
            file.finish()
        Path(folder, 'bag', 'bag.mcap').replace(path)


class McapFile:
    """See `TorqueFile`. Its messages are in the order of their stamps."""

    def __init__(
        self, writer: Writer, origin: TorqueOrigin, states: Iterable[JointSamples]
    ) -> None:
        """Write the description; see `mcap_file` for the arguments."""
        self._writer, self._origin = writer, origin
        self._states = PendingStates(states, PIECE)
        self._all_fields = JointStateRows(origin.joints)
        self._efforts = JointStateRows(origin.joints, ['effort'])
        self._parts: dict[str, Any] = {}
        self._recorded = self._topic(origin.topic)
        self._torques = self._topic(f'{MODEL_TOPIC}/torques')
        latched = writer.add_connection(
            DESCRIPTION_TOPIC, STRING, typestore=typestore(), offered_qos_profiles=[LATCHED]
        )
        if origin.begins:
            writer.write(latched, origin.start, serialized_text(origin.urdf))

    def write(self, samples: TorqueSamples) -> None:
        """See `TorqueFile`."""
        for piece in samples.pieces(PIECE):
            before, states = self._states_of(piece.motion)
            self._write(self._state_messages(before))
            messages = self._state_messages(states)
            self._write(merge(*self._torque_messages(piece), messages, key=itemgetter(0)))

    def skip(self, motion: Motion) -> None:
        """See `TorqueFile`."""
        for _, piece in motion_pieces(motion, PIECE):
            for states in self._states_of(piece):
                deque(states, maxlen=0)

    def finish(self) -> None:
        """Write the states that are left, which are those of the last part."""
        if self._origin.ends:
            self._write(self._state_messages(self._states.until(float('inf'))))

    def _states_of(self, motion: Motion) -> tuple[Iterable[JointSamples], Iterable[JointSamples]]:
        """The states before a motion, and those beside it; to be taken in this order."""
        before: Iterable[JointSamples] = ()
        if motion.begins:
            # Before it, the clock may have jumped: states are in the order of the recording.
            lost = (half_length(motion.cutoff, motion.rate) + 1) / motion.rate
            before = self._states.before(motion.times[0] - lost, motion.times[-1])
        return before, self._states.until(motion.times[-1])

    def _state_messages(self, parts: Iterable[JointSamples]) -> Iterator[Message]:
        for states in parts:
            yield from self._messages(
                self._recorded, self._all_fields, states.times,
                position=states.positions, velocity=states.velocities, effort=states.efforts,
            )  # fmt: skip

    def _torque_messages(self, samples: TorqueSamples) -> Iterator[Iterator[Message]]:
        """The messages of each topic."""
        motion = samples.motion
        yield self._messages(
            self._torques, self._all_fields, motion.times,
            position=motion.positions, velocity=motion.velocities, effort=samples.torques,
        )  # fmt: skip
        for name, values in samples.parts.items():
            if name not in self._parts:
                self._parts[name] = self._topic(f'{MODEL_TOPIC}/{name}')
            yield self._messages(self._parts[name], self._efforts, motion.times, effort=values)

    def _messages(
        self, connection: Any, rows: JointStateRows, times: Array, **values: Array
    ) -> Iterator[Message]:
        stamps = self._origin.stamps(times)
        return zip(stamps.tolist(), repeat(connection), rows.serialized(stamps, **values))

    def _write(self, messages: Iterable[Message]) -> None:
        for stamp, connection, data in messages:
            self._writer.write(connection, stamp, data)

    def _topic(self, name: str) -> Any:
        return self._writer.add_connection(name, JOINT_STATE, typestore=typestore())
