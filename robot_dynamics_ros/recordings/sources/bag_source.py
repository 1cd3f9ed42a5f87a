"""Joint states of bags: MCAP files through mcap, databases and ROS 1 bags through rosbags."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any

from rosbags.rosbag1 import Reader as Rosbag1Reader
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader

from robot_dynamics_ros.core.errors import RecordingError

from .joint_state_decoder import JOINT_STATE, JointStateDecoder
from .mcap_storage import McapStorage
from .messages import MessageBlock, joined_blocks
from .source import States

# Python's own from 3.14 on, else its backport, which rosbags brings.
zstd: Any = import_module('compression.zstd' if sys.version_info >= (3, 14) else 'backports.zstd')

DESCRIPTION_TOPIC = '/robot_description'
STRING = 'std_msgs/msg/String'
COMPRESSED = '.zstd'
READERS: dict[str, Any] = {'.db3': Sqlite3Reader, '.bag': Rosbag1Reader}
REPAIRS = {'.mcap': '`mcap recover FILE -o OUT`', '.bag': '`rosbag reindex FILE`'}
# First bytes of a frame of zstd.
MAGIC = b'\x28\xb5\x2f\xfd'


class RosbagsStorage:
    """A database of rosbag2 or a ROS 1 bag, open; see `McapStorage`."""

    def __init__(self, reader: Any, *, ros1: bool) -> None:
        """Take an open reader of rosbags."""
        self._reader, self._ros1 = reader, ros1
        # The readers of ROS 2 have the time of the first message in their metadata.
        self.start: int = getattr(reader, 'metadata', reader).start_time
        self.counts: Counter[tuple[str, str]] = Counter()
        for each in reader.connections:
            self.counts[each.topic, each.msgtype] += each.msgcount

    def blocks(self, topic: str, kind: str) -> Iterator[MessageBlock]:
        """The messages of a type on a topic."""
        found = [c for c in self._reader.connections if (c.topic, c.msgtype) == (topic, kind)]
        if found:
            messages = self._reader.messages(connections=found)
            yield from joined_blocks(((time, data) for _, time, data in messages), ros1=self._ros1)


class BagSource:
    """Some storage files that together are one recording; see `StateSource`."""

    clock = 'log'

    def __init__(self, name: str, files: Sequence[Path]) -> None:
        """Look at the topics, and at the descriptions.

        Args:
            name: of the recording, for messages.
            files: `.mcap` or `.db3`, also `.zstd`, or ROS 1 bags.

        Raises:
            RecordingError: a file cannot be read, or ROS 1 and ROS 2 are mixed.
            OSError: a file cannot be opened.
        """
        if len({path.suffix == '.bag' for path in files}) > 1:
            raise RecordingError(f'{name}: bags of ROS 1 and ROS 2 cannot be one recording')
        self.name, self._files = name, tuple(files)
        self.topics: dict[str, int] = {}
        self.other_topics: dict[str, str] = {}
        with self._storages() as storages:
            for _, storage in storages:
                for (topic, kind), count in storage.counts.items():
                    if kind == JOINT_STATE:
                        self.topics[topic] = self.topics.get(topic, 0) + count
                    else:
                        self.other_topics[topic] = kind
            texts = [*_descriptions(storages)]
        # A split recording has the latched one in each of its files.
        self.descriptions = tuple(dict.fromkeys(texts[::-1]))[::-1]

    def states(self, topic: str) -> Generator[Sequence[States], None, None]:
        """See `StateSource`."""
        decoder = JointStateDecoder()
        with self._storages() as storages:
            for block in _blocks(storages, topic, JOINT_STATE):
                yield decoder.decode(block)

    @contextmanager
    def _storages(self) -> Iterator[list[tuple[Path, Any]]]:
        """The open files, the one that begins first before the others."""
        with ExitStack() as stack:
            storages = []
            for file in self._files:
                with errors_of(file):
                    _check_complete(file)
                    storages.append((file, _opened(file, stack)))
            yield sorted(storages, key=lambda each: each[1].start)


def _opened(file: Path, stack: ExitStack) -> Any:
    """The storage of a file, which is closed with the stack."""
    # SQLite does not say why it cannot open a file.
    stream = stack.enter_context(file.open('rb'))
    storage = file
    if file.suffix == COMPRESSED:
        folder = stack.enter_context(TemporaryDirectory(prefix='robot_dynamics_'))
        storage = Path(folder, file.with_suffix('').name)
        with zstd.open(stream) as source, storage.open('wb') as out:
            copyfileobj(source, out)
        stream = stack.enter_context(storage.open('rb'))
    if storage.suffix == '.mcap':
        return McapStorage(stream)
    reader = READERS[storage.suffix](storage)
    reader.open()
    stack.callback(reader.close)
    return RosbagsStorage(reader, ros1=storage.suffix == '.bag')


def _blocks(storages: Sequence[tuple[Path, Any]], topic: str, kind: str) -> Iterator[MessageBlock]:
    """The messages of a type on a topic, decompressed where each is compressed."""
    for file, storage in storages:
        with errors_of(file):
            for block in storage.blocks(topic, kind):
                if not block.sizes.size or block.message(0)[: len(MAGIC)] != MAGIC:
                    yield block
                    continue
                data = (zstd.decompress(block.message(i)) for i in range(len(block.sizes)))
                yield from joined_blocks(zip(block.log_times.tolist(), data, strict=True))


def _descriptions(storages: Sequence[tuple[Path, Any]]) -> Iterator[str]:
    """URDF texts on /robot_description, in the order in which they were recorded."""
    for block in _blocks(storages, DESCRIPTION_TOPIC, STRING):
        for index in range(len(block.sizes)):
            # A size and as many bytes, behind the encoding that ROS 1 has not.
            text = block.message(index)[0 if block.ros1 else 4 :]
            size = int.from_bytes(text[:4], 'little')
            yield text[4 : 4 + size].rstrip(b'\0').decode('utf-8', 'replace')


@contextmanager
def errors_of(file: Path) -> Iterator[None]:
    """Name the file in what is raised about it, and make one class of what libraries raise."""
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
