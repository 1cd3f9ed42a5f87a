"""Joint states of bags: storage files of rosbag2, and ROS 1 bags; through rosbags."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any

from rosbags.rosbag1 import Reader as Rosbag1Reader
from rosbags.rosbag2.storage_mcap import McapReader
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader

from robot_dynamics_ros.core.errors import RecordingError

from .joint_state_decoder import JOINT_STATE, JointStateDecoder
from .message_blocks import MessageBlock, joined_blocks, mcap_blocks
from .source import StateBlock

# Python's own from 3.14 on, else its backport, which rosbags brings.
zstd: Any = import_module('compression.zstd' if sys.version_info >= (3, 14) else 'backports.zstd')

DESCRIPTION_TOPIC = '/robot_description'
STRING = 'std_msgs/msg/String'
COMPRESSED = '.zstd'
READERS: dict[str, Any] = {'.mcap': McapReader, '.db3': Sqlite3Reader, '.bag': Rosbag1Reader}
REPAIRS = {'.mcap': '`mcap recover FILE -o OUT`', '.bag': '`rosbag reindex FILE`'}
# First bytes of a frame of zstd.
MAGIC = b'\x28\xb5\x2f\xfd'


class BagSource:
    """Some storage files that together are one recording; see `StateSource`."""

    def __init__(self, name: str, readers: Sequence[tuple[Path, Any]], *, ros1: bool) -> None:
        """Take open readers of rosbags, with the file of each, in any order."""
        self.name = name
        self._ros1 = ros1
        # The readers of ROS 2 have the time of the first message in their metadata.
        self._readers = sorted(
            readers, key=lambda each: getattr(each[1], 'metadata', each[1]).start_time
        )
        self.topics: dict[str, int] = {}
        self.other_topics: dict[str, str] = {}
        for _, reader in self._readers:
            for connection in reader.connections:
                topic, kind = connection.topic, connection.msgtype
                if kind == JOINT_STATE:
                    self.topics[topic] = self.topics.get(topic, 0) + connection.msgcount
                else:
                    self.other_topics[topic] = kind
        self.descriptions = tuple(dict.fromkeys([*self._descriptions()][::-1]))[::-1]

    def blocks(self, topic: str) -> Iterator[StateBlock]:
        """See `StateSource`."""
        decoder = JointStateDecoder(ros1=self._ros1)
        for block in self._blocks(topic, JOINT_STATE):
            yield decoder.decode(block)

    def _blocks(self, topic: str, kind: str) -> Iterator[MessageBlock]:
        for file, reader in self._readers:
            with errors_of(file):
                yield from _message_blocks(reader, topic, kind)

    def _descriptions(self) -> Iterator[str]:
        """URDF texts on /robot_description, in the order in which they were recorded.

        A split recording has the latched one in each of its files.
        """
        for block in self._blocks(DESCRIPTION_TOPIC, STRING):
            for index in range(len(block.sizes)):
                # A size and as many bytes, behind the encoding that ROS 1 has not.
                text = block.message(index)[0 if self._ros1 else 4 :]
                size = int.from_bytes(text[:4], 'little')
                yield text[4 : 4 + size].rstrip(b'\0').decode('utf-8', 'replace')


@contextmanager
def open_bags(files: Sequence[Path], name: str) -> Iterator[BagSource]:
    """Open storage files that together are one recording.

    Args:
        files: `.mcap` or `.db3`, also `.zstd`, or ROS 1 bags.
        name: of the recording, for messages.

    Raises:
        RecordingError: a file cannot be read, or ROS 1 and ROS 2 are mixed.
    """
    ros1 = {path.suffix == '.bag' for path in files}
    if len(ros1) > 1:
        raise RecordingError(f'{name}: bags of ROS 1 and ROS 2 cannot be one recording')
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix='robot_dynamics_'))
        readers = []
        for number, file in enumerate(files):
            with errors_of(file):
                # SQLite does not say why it cannot open a file.
                file.open('rb').close()
                storage = file
                if file.suffix == COMPRESSED:
                    storage = Path(folder, f'{number}{file.with_suffix("").suffix}')
                    with zstd.open(file) as source, storage.open('wb') as out:
                        copyfileobj(source, out)
                _check_complete(file)
                reader = READERS[storage.suffix](storage)
                reader.open()
            stack.callback(reader.close)
            readers.append((file, reader))
        yield BagSource(name, readers, ros1=ros1.pop())


@contextmanager
def errors_of(file: Path) -> Iterator[None]:
    """Name the file in what is raised about it, and make one class of what rosbags raises."""
    try:
        yield
    except GeneratorExit:
        raise
    except RecordingError as error:
        raise RecordingError(f'{file}: {error}') from None
    except Exception as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise
        # rosbags documents no class of exception for damaged files; some are of its libraries.
        why = ' '.join(str(error).split())[:200] or type(error).__name__
        if isinstance(error, MemoryError | OverflowError):
            why = 'a size in it is impossible'
        repair = REPAIRS.get(file.suffix)
        advice = f': {repair} may repair it' if repair else ''
        raise RecordingError(f'{file} is damaged or incomplete: {why}{advice}') from None


def _check_complete(file: Path) -> None:
    log = file.with_name(file.name + '-wal')
    if log.exists() and log.stat().st_size:
        raise RecordingError(
            f'{log.name} holds what was recorded last, the recorder has not finished: merge it '
            f"with `sqlite3 {file.name} 'PRAGMA wal_checkpoint(TRUNCATE)'`"
        )


def _message_blocks(reader: Any, topic: str, kind: str) -> Iterator[MessageBlock]:
    connections = [c for c in reader.connections if (c.topic, c.msgtype) == (topic, kind)]
    if not connections:
        return
    if getattr(reader, 'chunks', None) and isinstance(reader, McapReader):
        blocks = mcap_blocks(reader, {connection.id for connection in connections})
    else:
        messages = reader.messages(connections=connections)
        blocks = joined_blocks((time, data) for _, time, data in messages)
    for block in blocks:
        if block.message(0)[: len(MAGIC)] != MAGIC:
            yield block
            continue
        # The recorder has compressed each message.
        data = (zstd.decompress(block.message(index)) for index in range(len(block.sizes)))
        yield from joined_blocks(zip(block.log_times.tolist(), data, strict=True))
