"""Joint states of bags: MCAP files through mcap, databases and ROS 1 bags through rosbags."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import Any

from rosbags.rosbag1 import Reader as Rosbag1Reader
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader

from robot_dynamics_ros.core.errors import RecordingError

from ..joint_samples import States
from .file_errors import errors_of
from .joint_state_decoder import JOINT_STATE, Batch, Decoder, batches_of
from .mcap_storage import Key, McapStorage

# Python's own from 3.14 on, else its backport, which rosbags brings.
zstd: Any = import_module('compression.zstd' if sys.version_info >= (3, 14) else 'backports.zstd')

DESCRIPTION_TOPIC, STRING = '/robot_description', 'std_msgs/msg/String'
READERS: dict[str, Any] = {'.db3': Sqlite3Reader, '.bag': Rosbag1Reader}
# First bytes of a frame of zstd.
MAGIC = b'\x28\xb5\x2f\xfd'


class RosbagsStorage:
    """A database of rosbag2 or a ROS 1 bag, open; see `McapStorage`."""

    def __init__(self, reader: Any, *, ros1: bool) -> None:
        """Take an open reader of rosbags."""
        self._reader = reader
        self.counts: Counter[Key] = Counter()
        for each in reader.connections:
            self.counts[each.topic, each.msgtype, ros1] += each.msgcount

    def batches(self, key: Key) -> Iterator[Batch]:
        """See `McapStorage`."""
        found = [c for c in self._reader.connections if (c.topic, c.msgtype) == key[:2]]
        messages = self._reader.messages(connections=found)
        return batches_of((time, data) for _, time, data in messages)


class BagSource:
    """Some storage files that together are one recording; attributes as of `Recording`."""

    def __init__(self, name: str, files: Sequence[Path]) -> None:
        """Look at the topics, and at the descriptions."""
        self.name, self._files = name, tuple(files)
        texts: list[tuple[int, str]] = []

        def take(batch: Batch, ros1: bool) -> None:
            for time, data in batch.messages():
                texts.append((time, _text(data[0 if ros1 else 4 :])))

        counts, self.topics = self._read(DESCRIPTION_TOPIC, STRING, take), Counter[str]()
        for (topic, kind, _), count in counts.items():
            if kind == JOINT_STATE:
                self.topics[topic] += count
        # A split recording has the latched one in each of its files.
        newest = dict.fromkeys(text for _, text in sorted(texts, reverse=True))
        self.descriptions = tuple(newest)[::-1]

    # A command opens a recording twice.
    @lru_cache(maxsize=1)  # noqa: B019 the last one alone is kept
    def states(self, topic: str) -> tuple[list[States], str]:
        """All states of a topic of joint states, and what their times are from."""
        decoder = Decoder()
        self._read(topic, JOINT_STATE, decoder.add)
        found, stamped = decoder.states()
        return found, 'header' if stamped else 'log'

    def _read(self, topic: str, kind: str, take: Callable[[Batch, bool], None]) -> Counter[Key]:
        """Pass on messages of a type on a topic, and whether they are of ROS 1; count all."""
        counts: Counter[Key] = Counter()
        for file in self._files:
            with errors_of(file), ExitStack() as stack:
                _check_complete(file)
                storage = _opened(file, stack)
                counts.update(storage.counts)
                for key in filter(lambda each: each[:2] == (topic, kind), storage.counts):
                    for batch in storage.batches(key):
                        for one in _decompressed(batch):
                            take(one, key[2])
        return counts


def _opened(file: Path, stack: ExitStack) -> Any:
    """The storage of a file, which is closed with the stack."""
    # SQLite does not say why it cannot open a file.
    stream = stack.enter_context(file.open('rb'))
    storage = file
    if file.suffix == '.zstd':
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


def _decompressed(batch: Batch) -> Iterable[Batch]:
    """rosbag2 may compress each message by itself: its bytes are then a frame of zstd."""
    if not len(batch.times) or not batch.data.startswith(MAGIC, batch.begins[0]):
        return [batch]
    return batches_of((time, zstd.decompress(data)) for time, data in batch.messages())


def _text(data: bytes) -> str:
    """A serialized text: a size and as many bytes."""
    size = int.from_bytes(data[:4], 'little')
    return data[4 : 4 + size].rstrip(b'\0').decode('utf-8', 'replace')


def _check_complete(file: Path) -> None:
    log = file.with_name(file.name + '-wal')
    if log.exists() and log.stat().st_size:
        raise RecordingError(
            f'{log.name} holds what was recorded last, the recorder has not finished: merge it '
            f"with `sqlite3 {file.name} 'PRAGMA wal_checkpoint(TRUNCATE)'`"
        )
