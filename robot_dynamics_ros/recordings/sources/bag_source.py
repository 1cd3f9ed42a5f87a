"""Joint states of bags: rosbag2 folders, bare storage files, ROS 1 bags; through rosbags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from robot_dynamics_ros.core.errors import RecordingError

from .bounded_expansion import MAGIC, expanded
from .decoded_states import JOINT_STATE
from .joint_state_decoder import JointStateDecoder
from .mcap_blocks import mcap_blocks
from .message_block import MessageBlock, joined_block, joined_blocks
from .state_rows import StateBlock
from .storage_files import decompressed, storage_files
from .storage_readers import IndexedMcapReader, messages_between, opened_storage, start_of

DESCRIPTION_TOPIC = '/robot_description'
STRING = 'std_msgs/msg/String'
# [bytes]
LARGEST_MESSAGE = 1 << 24


class BagSource:
    """Some storage files that together are one recording; see `StateSource`."""

    def __init__(self, name: str, readers: Sequence[tuple[Path, Any]], *, ros1: bool) -> None:
        """Take readers that are open, in any order.

        Args:
            name: of the files, for messages.
            readers: of rosbags, and the file of each.
            ros1: whether the files are ROS 1 bags.
        """
        self.name = name
        self._ros1 = ros1
        self._readers = sorted(readers, key=lambda each: start_of(each[1]))
        self.topics: dict[str, int] = {}
        self.other_topics: dict[str, str] = {}
        for _, reader in self._readers:
            for connection in reader.connections:
                topic, kind = connection.topic, connection.msgtype
                if kind == JOINT_STATE:
                    self.topics[topic] = self.topics.get(topic, 0) + connection.msgcount
                else:
                    self.other_topics[topic] = kind
        self.description = self._first_description()

    def blocks(self, topic: str, begin: int = 0, end: int | None = None) -> Iterator[StateBlock]:
        """See `StateSource`."""
        decoder = JointStateDecoder(topic, ros1=self._ros1)
        after = 0
        for file, reader in self._readers:
            first, after = after, after + _count(reader, topic, JOINT_STATE)
            if end is not None and end <= first:
                return
            if begin > first and begin >= after:
                continue
            # Of this file; without an end where all that it has is wanted.
            last = None if end is None or end >= after else end - first
            with errors_of(file):
                for block in self._message_blocks(
                    reader, topic, JOINT_STATE, max(0, begin - first), last
                ):
                    yield decoder.decode(block)

    def _message_blocks(
        self, reader: Any, topic: str, kind: str, begin: int = 0, end: int | None = None
    ) -> Iterator[MessageBlock]:
        chosen = _connections(reader, topic, kind)
        if not chosen:
            return iter(())
        if isinstance(reader, IndexedMcapReader):
            blocks = mcap_blocks(reader, {connection.id for connection in chosen}, begin, end)
        else:
            messages = messages_between(reader, chosen, begin, end)
            blocks = joined_blocks((time, data) for _, time, data in messages)
        return map(_expanded_block, blocks)

    def _first_description(self) -> str | None:
        """URDF text of the first message on /robot_description; None without one."""
        if self.other_topics.get(DESCRIPTION_TOPIC) != STRING:
            return None
        for file, reader in self._readers:
            with errors_of(file):
                for block in self._message_blocks(reader, DESCRIPTION_TOPIC, STRING):
                    data = block.message(0)
                    return _string(data, 0 if self._ros1 else 4)
        return None


@contextmanager
def open_bags(paths: Sequence[Path], name: str) -> Iterator[BagSource]:
    """Open bags that together are one recording.

    Args:
        paths: folders, storage files or ROS 1 bags.
        name: of the recording, for messages.

    Raises:
        RecordingError: a file cannot be read, or ROS 1 and ROS 2 are mixed.
    """
    ros1 = {path.suffix == '.bag' and not path.is_dir() for path in paths}
    if len(ros1) > 1:
        raise RecordingError(f'{name}: bags of ROS 1 and ROS 2 cannot be one recording')
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix='robot_dynamics_')))
        readers = []
        for path in paths:
            for index, file in enumerate(storage_files(path)):
                # The message of SQLite does not say why a file cannot be opened.
                file.open('rb').close()
                # Files of different bags may have the same name.
                own = folder / str(len(readers) + index)
                own.mkdir()
                readers.append((file, stack.enter_context(_opened(file, decompressed(file, own)))))
        yield BagSource(name, readers, ros1=ros1.pop())


@contextmanager
def _opened(file: Path, storage: Path) -> Iterator[Any]:
    """A reader of rosbags.

    Args:
        file: for messages.
        storage: the file, decompressed.
    """
    with errors_of(file):
        # SQLite does not say why it cannot open a file.
        storage.open('rb').close()
        reader = opened_storage(storage)
    try:
        yield reader
    finally:
        reader.close()


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
        raise RecordingError(f'{file} is damaged or incomplete: {why}') from None


def _connections(reader: Any, topic: str, kind: str) -> list[Any]:
    return [c for c in reader.connections if (c.topic, c.msgtype) == (topic, kind)]


def _count(reader: Any, topic: str, kind: str) -> int:
    """Messages of a topic in a file, as its index says."""
    return sum(connection.msgcount for connection in _connections(reader, topic, kind))


def _expanded_block(block: MessageBlock) -> MessageBlock:
    """A block whose messages may have been compressed one by one."""
    if block.message(0)[: len(MAGIC)] != MAGIC:
        return block
    messages = [
        (int(time), expanded(block.message(index), 'zstd', LARGEST_MESSAGE))
        for index, time in enumerate(block.log_times)
    ]
    return joined_block(messages)


def _string(data: bytes, at: int) -> str:
    """The text of a serialized std_msgs/String."""
    size = int.from_bytes(data[at : at + 4], 'little')
    text = data[at + 4 : at + 4 + size]
    if len(text) < size or size > LARGEST_MESSAGE:
        raise RecordingError(f'{DESCRIPTION_TOPIC} does not hold a text')
    return text.rstrip(b'\0').decode('utf-8', 'replace')
