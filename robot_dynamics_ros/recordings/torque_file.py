"""The torques of a model along a recording, written as MCAP or CSV.

MCAP is for ROS tools: the recorded states and the torques beside them, in the order of their
stamps. CSV is a table with a row for each filtered sample.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from heapq import merge
from io import StringIO
from itertools import chain, repeat
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.extra import required

from .joint_samples import VALUES, JointSamples, Numbers
from .motion import Motion
from .sources.joint_state_decoder import JOINT_STATE, SECOND, TOGETHER, Layout

ENDINGS = ('.mcap', '.csv')
DESCRIPTION_TOPIC, STRING = '/robot_description', 'std_msgs/msg/String'
# Quality of service of the description, as rosbag2 reads it.
LATCHED = """- {history: keep_last, depth: 1, reliability: reliable, durability: transient_local,
  deadline: {sec: 0, nsec: 0}, lifespan: {sec: 0, nsec: 0}, liveliness: automatic,
  liveliness_lease_duration: {sec: 0, nsec: 0}, avoid_ros_namespace_conventions: false}"""
# A motion, and the parts of its torque (N, n) by name, such as `gravity` [N m, N].
Torques = tuple[Motion, Mapping[str, Array]]
# Stamp [ns], topic and bytes.
Message = tuple[int, str, bytes]


def check_ending(path: Path) -> None:
    """Raise a RecordingError if a file of torques may not have this name."""
    if path.suffix not in ENDINGS:
        raise RecordingError(f'{path}: the ending must be one of {", ".join(ENDINGS)}')


def write_torque_file(
    path: Path,
    torques: Iterable[Torques],
    states: JointSamples,
    *,
    start: int,
    topic: str,
    urdf: str,
) -> None:
    """Write a file of torques along a recording, as they come; its ending decides what it is.

    Args:
        path: of the file.
        torques: in the order of the recording.
        states: as they were recorded on the topic; only MCAP files hold them, and the URDF.
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
    text = bytes(store.serialize_cdr(store.types[STRING](data=urdf), STRING))
    values = (states.positions, states.velocities, states.efforts)
    recorded = _messages(topic, states, start, dict(zip(VALUES, values, strict=True)))
    described = chain([(start, DESCRIPTION_TOPIC, text)], recorded)
    with path.open('wb') as out:
        writer = mcap.Writer(out)
        writer.start(profile='ros2', library='robot_dynamics_ros')

        @cache
        def channel(name: str) -> int:
            latched = name == DESCRIPTION_TOPIC
            kind = STRING if latched else JOINT_STATE
            definition = store.generate_msgdef(kind)[0].encode()
            schema = writer.register_schema(kind, 'ros2msg', definition)
            qos = {'offered_qos_profiles': LATCHED} if latched else {}
            return int(writer.register_channel(name, 'cdr', schema, qos))

        # Where the clock was set back, so are the messages.
        for stamp, name, data in merge(described, _computed(torques, start), key=itemgetter(0)):
            writer.add_message(channel(name), stamp, data, stamp)
        writer.finish()


def _computed(torques: Iterable[Torques], start: int) -> Iterator[Message]:
    """Messages of the torques, and of their parts."""
    for motion, parts in torques:
        whole = motion.positions, motion.velocities, np.sum([*parts.values()], axis=0)
        topics = {'torques': dict(zip(VALUES, whole, strict=True))}
        topics |= {name: {'effort': part} for name, part in parts.items()}
        messages = (
            _messages(f'/model/{name}', motion, start, values) for name, values in topics.items()
        )
        yield from chain.from_iterable(zip(*messages, strict=True))


def _parts(size: int) -> Iterator[slice]:
    return (slice(first, first + TOGETHER) for first in range(0, size, TOGETHER))


def _stamps(start: int, times: Array) -> Numbers:
    """Stamps (N,) of times (N,) [s] since the start of a recording [ns]."""
    return start + np.rint(times * 1e9).astype(np.int64)


def _messages(
    topic: str, of: JointSamples | Motion, start: int, values: Mapping[str, Array]
) -> Iterator[Message]:
    """Messages with values (N, n) of some fields.

    rosbags serializes one message; the others are copies of its bytes with other numbers.
    """
    layout = _layout(of.joints, tuple(values))
    for part in _parts(len(of)):
        stamps = _stamps(start, of.times[part])
        rows = np.tile(layout.template, (len(stamps), 1))
        records = rows.view(layout.record)[:, 0]
        records['seconds'], records['nanoseconds'] = np.divmod(stamps, SECOND)
        for name, numbers in values.items():
            records[name] = numbers[part]
        yield from zip(stamps.tolist(), repeat(topic), map(bytes, rows))


@cache
def _type_store() -> Any:
    types = required('rosbags.typesys')
    return types.get_typestore(types.Stores.ROS2_KILTED)


@cache
def _layout(joints: tuple[str, ...], fields: tuple[str, ...]) -> Layout:
    """That of messages with some fields."""
    store = _type_store()
    time = store.types['builtin_interfaces/msg/Time'](0, 0)
    zeros = (np.zeros(len(joints) * (name in fields)) for name in VALUES)
    header = store.types['std_msgs/msg/Header'](time, '')
    message = store.types[JOINT_STATE](header, list(joints), *zeros)
    return Layout.of(bytes(store.serialize_cdr(message, JOINT_STATE)))


def _write_csv(path: Path, torques: Iterable[Torques], start: int) -> None:
    """One header row; numbers have as many digits as they need to be read back to the bit.

    `time` is that since the start of the recording, `stamp_ns` the time of the clock [ns]. Then
    come, for each joint, `JOINT/position`, `JOINT/velocity`, `JOINT/acceleration`, all filtered,
    the measured `JOINT/effort`, filtered as they are and NaN where not measured, the torque of the
    model `JOINT/torque`, and its parts, such as `JOINT/gravity`, in SI units.
    """
    arrow_csv, arrow = required('pyarrow.csv'), required('pyarrow')
    with path.open('wb') as out:
        pieces = ((whole, parts, rows) for whole, parts in torques for rows in _parts(len(whole)))
        for number, (whole, parts, rows) in enumerate(pieces):
            motion = whole.part(rows)
            tables = {
                'position': motion.positions,
                'velocity': motion.velocities,
                'acceleration': motion.accelerations,
                'effort': motion.efforts,
                'torque': np.sum([part[rows] for part in parts.values()], axis=0),
                **{name: part[rows] for name, part in parts.items()},
            }
            columns = {'time': motion.times, 'stamp_ns': _stamps(start, motion.times)}
            for index, joint in enumerate(motion.joints):
                columns |= {f'{joint}/{name}': each[:, index] for name, each in tables.items()}
            if number == 0:
                # pyarrow would quote each name.
                header = StringIO(newline='')
                csv.writer(header, lineterminator='\n').writerow(columns)
                out.write(header.getvalue().encode())
            options = arrow_csv.WriteOptions(include_header=False)
            arrow_csv.write_csv(arrow.table(columns), out, options)
