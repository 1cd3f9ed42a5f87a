"""The torques of a model along a recording, written as MCAP or CSV.

MCAP is for ROS tools: the recorded states and the torques beside them, in the order of their
stamps. CSV is a table with a row for each filtered sample.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import merge
from itertools import chain, repeat
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.extra import required

from .joint_samples import JointSamples, stamps
from .motion import Motion
from .sources.joint_state_decoder import JOINT_STATE, VALUES, find_layout

ENDINGS = ('.mcap', '.csv')
MODEL_TOPIC, DESCRIPTION_TOPIC = '/model', '/robot_description'
STRING = 'std_msgs/msg/String'
# Quality of service of the description, as rosbag2 reads it.
LATCHED = """- {history: keep_last, depth: 1, reliability: reliable, durability: transient_local,
  deadline: {sec: 0, nsec: 0}, lifespan: {sec: 0, nsec: 0}, liveliness: automatic,
  liveliness_lease_duration: {sec: 0, nsec: 0}, avoid_ros_namespace_conventions: false}"""
# A motion, and the parts of its torque (N, n) by name, such as `gravity` [N m, N].
Torques = tuple[Motion, Mapping[str, Array]]
# A stamp [ns], the channel of the topic, and the serialized message.
Message = tuple[int, int, bytes]


def check_ending(path: Path) -> None:
    """Whether a file of torques may have this name.

    Raises:
        RecordingError: its ending is another.
    """
    if path.suffix not in ENDINGS:
        raise RecordingError(f'{path}: the ending must be one of {", ".join(ENDINGS)}')


def write_torque_file(
    path: Path,
    torques: Iterable[Torques],
    states: Iterable[JointSamples] = (),
    *,
    start: int,
    topic: str,
    urdf: str,
) -> None:
    """Write a file of torques, as they come.

    Args:
        path: to write; its ending decides what is written.
        torques: along the recording, in its order.
        states: as they were recorded; only MCAP files hold them.
        start: of the recording [ns].
        topic: of the recorded joint states.
        urdf: text of the model.

    Raises:
        RecordingError: the ending is unknown, or a library is not installed.
        OSError: the file cannot be written.
    """
    check_ending(path)
    if path.suffix == '.csv':
        _write_csv(path, torques, start)
        return
    mcap, store = required('mcap.writer'), _type_store()
    with path.open('wb') as out:
        writer = mcap.Writer(out)
        writer.start(profile='ros2', library='robot_dynamics_ros')
        schemas = {
            kind: writer.register_schema(kind, 'ros2msg', store.generate_msgdef(kind)[0].encode())
            for kind in (JOINT_STATE, STRING)
        }
        latched = {'offered_qos_profiles': LATCHED}
        described = writer.register_channel(DESCRIPTION_TOPIC, 'cdr', schemas[STRING], latched)
        text = store.serialize_cdr(store.types[STRING](data=urdf), STRING)

        @cache
        def channel(name: str) -> int:
            return int(writer.register_channel(name, 'cdr', schemas[JOINT_STATE]))

        def messages(
            name: str, of: JointSamples | Motion, *values: Array, fields: Sequence[str] = VALUES
        ) -> Iterator[Message]:
            times = stamps(start, of.times)
            data = _serialized(of.joints, times, dict(zip(fields, values, strict=True)))
            return zip(times.tolist(), repeat(channel(name)), data)

        def recorded() -> Iterator[Message]:
            for part in states:
                yield from messages(topic, part, part.positions, part.velocities, part.efforts)

        def computed() -> Iterator[Message]:
            for motion, parts in torques:
                values = motion.positions, motion.velocities, sum(parts.values())
                total = messages(f'{MODEL_TOPIC}/torques', motion, *values)
                others = (
                    messages(f'{MODEL_TOPIC}/{name}', motion, part, fields=['effort'])
                    for name, part in parts.items()
                )
                yield from chain.from_iterable(zip(total, *others, strict=True))

        # Where the clock was set back, so are the messages.
        ordered = merge(recorded(), computed(), key=itemgetter(0))
        for stamp, place, data in chain([(start, described, text)], ordered):
            writer.add_message(place, stamp, data, stamp)
        writer.finish()


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
    layout, size = find_layout(expected), len(expected)
    rows = np.tile(layout.expected, len(times))
    records = rows.view(layout.record)
    records['seconds'], records['nanoseconds'] = np.divmod(times, 1_000_000_000)
    for name, numbers in values.items():
        records[name] = numbers
    data = rows.tobytes()
    return (data[first : first + size] for first in range(0, len(data), size))


@cache
def _type_store() -> Any:
    """The message definitions of ROS 2."""
    types = required('rosbags.typesys')
    return types.get_typestore(types.Stores.ROS2_KILTED)


def _write_csv(path: Path, torques: Iterable[Torques], start: int) -> None:
    """One header row; numbers have as many digits as they need to be read back to the bit."""
    with path.open('w', encoding='utf-8', newline='') as text:
        writer = csv.writer(text, lineterminator='\n')
        for number, (motion, parts) in enumerate(torques):
            columns = _columns(motion, parts, start)
            if number == 0:
                writer.writerow(columns)
            writer.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))


def _columns(motion: Motion, parts: Mapping[str, Array], start: int) -> dict[str, Any]:
    """Columns (N,) by name, in SI units.

    `time` is that since the start of the recording, `stamp_ns` the time of the clock [ns]. Then
    come, for each joint, `JOINT/position`, `JOINT/velocity`, `JOINT/acceleration`, all filtered,
    the measured `JOINT/effort`, filtered as they are and NaN where not measured, the torque of the
    model `JOINT/torque`, and its parts, such as `JOINT/gravity`.
    """
    tables = {
        'position': motion.positions,
        'velocity': motion.velocities,
        'acceleration': motion.accelerations,
        'effort': motion.efforts,
        'torque': sum(parts.values()),
        **parts,
    }
    return {
        'time': motion.times,
        'stamp_ns': stamps(start, motion.times),
        **{
            f'{joint}/{name}': values[:, index]
            for index, joint in enumerate(motion.joints)
            for name, values in tables.items()
        },
    }
