"""Joint states of bags: rosbag2 folders, bare storage files, ROS 1 bags; through rosbags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from robot_dynamics_ros.core.errors import RecordingError

from .bounded_expansion import MAGIC, expanded
from .joint_state_decoder import JOINT_STATE, JointStateDecoder
from .message_blocks import MessageBlock, joined_block, joined_blocks, mcap_blocks
from .source import StateBlock
from .storage_files import (
    IndexedMcapReader,
    decompressed,
    opened_storage,
    start_of,
    storage_files,
)

DESCRIPTION_TOPIC = '/robot_description'
STRING = 'std_msgs/msg/String'
# [bytes]
LARGEST_MESSAGE = 1 << 24


class BagSource:
    """Some storage files that together are one recording; see `StateSource`."""

    def __init__(self, name: str, readers: Sequence[tuple[Path, Any]], *, ros1: bool) -> None:
        """Take open readers of rosbags, with the file of each, in any order."""
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

    def blocks(self, topic: str) -> Iterator[StateBlock]:
        """See `StateSource`."""
        decoder = JointStateDecoder(topic, ros1=self._ros1)
        for file, reader in self._readers:
            with errors_of(file):
                for block in _message_blocks(reader, topic, JOINT_STATE):
                    yield decoder.decode(block)

    def _first_description(self) -> str | None:
        """URDF text of the first message on /robot_description; None without one."""
        if self.other_topics.get(DESCRIPTION_TOPIC) != STRING:
            return None
        for file, reader in self._readers:
            with errors_of(file):
                for block in _message_blocks(reader, DESCRIPTION_TOPIC, STRING):
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
        files = (file for path in paths for file in storage_files(path))
        for number, file in enumerate(files):
            # Files of different bags may have the same name.
            own = folder / str(number)
            own.mkdir()
            storage = decompressed(file, own)
            with errors_of(file):
                # SQLite does not say why it cannot open a file.
                storage.open('rb').close()
                reader = opened_storage(storage)
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
        raise RecordingError(f'{file} is damaged or incomplete: {why}') from None


def _message_blocks(reader: Any, topic: str, kind: str) -> Iterator[MessageBlock]:
    connections = [c for c in reader.connections if (c.topic, c.msgtype) == (topic, kind)]
    if not connections:
        return iter(())
    if isinstance(reader, IndexedMcapReader):
        blocks = mcap_blocks(reader, {connection.id for connection in connections})
    else:
        messages = reader.messages(connections=connections)
        blocks = joined_blocks((time, data) for _, time, data in messages)
    return map(_expanded_block, blocks)


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
