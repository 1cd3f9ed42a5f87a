"""The source of some files, by what they are, and which of its topics holds the joint states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from robot_dynamics_ros.core.errors import RecordingError
from robot_dynamics_ros.core.model.findings import counted
from robot_dynamics_ros.extra import required

from .csv_source import CsvSource
from .source import DEFAULT_TOPIC, StateSource

# At most so many topics are named.
NAMED = 8

BAGS = ('.mcap', '.db3', '.mcap.zstd', '.db3.zstd', '.bag')
TABLES = ('.csv', '.csv.gz')


@contextmanager
def open_source(paths: Sequence[Path]) -> Iterator[StateSource]:
    """Open files that together are one recording.

    Args:
        paths: bag folders, storage files, ROS 1 bags; or CSV files, or a folder of these.

    Raises:
        RecordingError: they are of no such kind, of several, or damaged.
        OSError: a file cannot be opened.
    """
    if not paths:
        raise RecordingError('no recording: name a bag folder, or a file')
    files = [file for path in paths for file in _files(path)]
    kinds = {_is_table(file) for file in files}
    name = str(paths[0]) if len(paths) == 1 else f'{paths[0]} and {len(paths) - 1} more'
    if len(kinds) > 1:
        raise RecordingError(f'{name}: bags and CSV files cannot be one recording')
    if kinds == {True}:
        yield CsvSource(name, files)
        return
    required('rosbags')
    from .bag_source import open_bags  # needs rosbags

    with open_bags(files, name) as source:
        yield source


def _files(path: Path) -> list[Path]:
    """The CSV files of a folder that has no files of a bag; else the path itself."""
    found = sorted(path.iterdir()) if path.is_dir() else []
    if any(file.name == 'metadata.yaml' or file.name.endswith(BAGS) for file in found):
        return [path]
    return [file for file in found if file.name.endswith(TABLES)] or [path]


def _is_table(path: Path) -> bool:
    """Whether a path is a CSV file; else it is a bag."""
    if not path.exists():
        raise RecordingError(f'{path} does not exist')
    if path.is_dir() or path.name.endswith(BAGS):
        return False
    if path.name.endswith(TABLES):
        return True
    allowed = 'a bag folder, ' + ', '.join(BAGS + TABLES)
    raise RecordingError(f'{path} is not a recording by its name: allowed are {allowed}')


def chosen_topic(source: StateSource, asked: str | None) -> str:
    """The topic to read.

    Args:
        source: that has topics.
        asked: by the user, with or without the first slash; None: /joint_states, or the one topic
            of a CSV file.

    Raises:
        RecordingError: there is none of that name, it has another type or no messages; the message
            offers the topics of joint states that are there.
    """
    topic = DEFAULT_TOPIC if asked is None else '/' + asked.strip('/')
    if source.topics.get(topic):
        return topic
    if topic in source.topics:
        problem = f'{topic} has 0 messages'
    elif topic in source.other_topics:
        kind = source.other_topics[topic]
        problem = f'{topic} has messages of {kind}, sensor_msgs/msg/JointState is needed'
    else:
        problem = f'there is no topic {topic}'
    raise RecordingError(f'{source.name}: {problem}; {_offer(source)}')


def _offer(source: StateSource) -> str:
    """What to do instead."""
    filled = {topic: count for topic, count in sorted(source.topics.items()) if count}
    if not filled:
        return 'no topic of the recording has joint states'
    named = [
        f'{topic} ({counted(count, "message")})' for topic, count in list(filled.items())[:NAMED]
    ]
    more = ', ...' if len(filled) > NAMED else ''
    return f'joint states are on {", ".join(named)}{more}: --topic {next(iter(filled))}'
