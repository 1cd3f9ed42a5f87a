"""Where joint states come from: bags of ROS 2 and ROS 1, MCAP and CSV files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.findings import counted, listed
from robot_dynamics_ros.extra import required

from .csv_source import DEFAULT_TOPIC, CsvSource

BAGS = ('.mcap', '.db3', '.mcap.zstd', '.db3.zstd', '.bag')
TABLES = ('.csv', '.csv.gz')


def open_source(paths: Sequence[Path]) -> Any:
    """A `CsvSource` or `BagSource` of files that together are one recording; none stays open.

    Args:
        paths: storage files, ROS 1 bags or CSV files, or folders of these.

    Raises:
        RecordingError: they are of no such kind, of several, or damaged.
        OSError: a file cannot be opened.
    """
    if not (files := [file for path in paths for file in _files(path)]):
        raise RecordingError('no recording: name a bag folder, or a file')
    name = str(paths[0]) if len(paths) == 1 else f'{paths[0]} and {len(paths) - 1} more'
    if len({file.name.endswith(TABLES) for file in files}) > 1:
        raise RecordingError(f'{name}: bags and CSV files cannot be one recording')
    return _source(name, tuple(files), tuple(file.stat().st_mtime_ns for file in files))


@lru_cache(maxsize=1)
def _source(name: str, files: Sequence[Path], changed: Sequence[int]) -> Any:
    """The last one is kept: a command opens a recording several times, and none has changed."""
    if files[0].name.endswith(TABLES):
        return CsvSource(name, files)
    for library in ('mcap', 'rosbags'):
        required(library)
    from .bag_source import BagSource  # needs these

    return BagSource(name, files)


def _files(path: Path) -> list[Path]:
    """The storage files of a folder, or else its CSV files; the path itself where it is a file."""
    if not path.exists():
        raise RecordingError(f'{path} does not exist')
    found = sorted(path.iterdir()) if path.is_dir() else [path]
    for endings in (BAGS, TABLES):
        if files := [file for file in found if file.name.endswith(endings)]:
            return files
    raise RecordingError(f'{path} is not a recording: it needs files *{", *".join(BAGS + TABLES)}')


def chosen_topic(source: Any, asked: str | None) -> str:
    """The topic to read: what is asked for, with or without the first slash, or /joint_states.

    Raises:
        RecordingError: it has no joint states; the message offers the topics that have some.
    """
    topic = DEFAULT_TOPIC if asked is None else '/' + asked.strip('/')
    if source.topics.get(topic):
        return topic
    offer = 'nor has another topic'
    if filled := {name: count for name, count in sorted(source.topics.items()) if count}:
        named = [f'{name} ({counted(count, "message")})' for name, count in filled.items()]
        offer = f'they are on {listed(named)}: --topic {next(iter(filled))}'
    raise RecordingError(
        f'{source.name}: topic {topic} has no messages of sensor_msgs/msg/JointState; {offer}'
    )
