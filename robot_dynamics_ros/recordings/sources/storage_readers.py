"""Readers of one storage file, by rosbags, that expand and scan within limits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Any

from rosbags.rosbag1 import Reader as Rosbag1Reader
from rosbags.rosbag1.reader import decompressors
from rosbags.rosbag2.storage_mcap import McapReader
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader

from robot_dynamics_ros.core.errors import RecordingError

from .bounded_expansion import expanded

MAGIC = b'\x89MCAP0\r\n'
ROSBAG1, SQLITE3 = b'#ROSBAG V', b'SQLite format 3\0'
# A footer: opcode, size, start of the summary, two more numbers; then the magic.
FOOTER, SUMMARY = 37, slice(9, 17)
RECOVER = 'recover it with `mcap recover FILE -o OUT`'
# [bytes] of a chunk of a ROS 1 bag: a hundred times what recorders write.
LARGEST_CHUNK = 1 << 28


class IndexedMcapReader(McapReader):
    """Reads the summary of an MCAP file, and refuses a file without one."""

    def meta_scan(self) -> None:
        """Called where the summary does not say what the file holds."""
        if self.statistics is None or self.statistics.message_count:
            raise RecordingError(f'its summary is incomplete: {RECOVER}')


def opened_storage(storage: Path) -> Any:
    """An open reader of a file that ends in .mcap, .db3 or .bag.

    Raises:
        RecordingError: its recorder has not finished it, or it has no index.
        Exception: of rosbags, which documents no class, where it is damaged.
    """
    if storage.suffix == '.mcap':
        _check_mcap(storage)
        reader: Any = IndexedMcapReader(storage)
    elif storage.suffix == '.db3':
        _check_sqlite3(storage)
        reader = Sqlite3Reader(storage)
    else:
        _check_rosbag1(storage)
        reader = Rosbag1Reader(storage)
    reader.open()
    if storage.suffix == '.mcap' and reader.statistics.chunk_count and not reader.chunks:
        reader.close()
        raise RecordingError(f'it has no index of its chunks: {RECOVER}')
    if storage.suffix == '.bag':
        _bound_chunks(reader)
    return reader


def start_of(reader: Any) -> int:
    """Time of the first message [ns]."""
    metadata = getattr(reader, 'metadata', None)
    return int(reader.start_time if metadata is None else metadata.start_time)


def messages_between(
    reader: Any, connections: list[Any], begin: int, end: int | None
) -> Iterator[Any]:
    """Messages of a file that is not MCAP, by their numbers in the order of their times.

    Ranges without a gap between them give each message once: those with the time of the first one
    of a range are all in it.

    Args:
        reader: of rosbags.
        connections: whose messages are wanted.
        begin: number of the first message, from 0.
        end: number of the first one that is not wanted; None for all up to the last one.
    """
    start = _time_of(reader, connections, begin) if begin else None
    stop = None if end is None else _time_of(reader, connections, end)
    if begin and start is None:
        return iter(())
    messages: Iterator[Any] = reader.messages(connections=connections, start=start, stop=stop)
    return messages


def _time_of(reader: Any, connections: list[Any], number: int) -> int | None:
    """Time of the message with a number [ns]; None if there are fewer."""
    ids = [connection.id for connection in connections]
    if isinstance(reader, Sqlite3Reader):
        places = ','.join('?' * len(ids))
        query = (
            f'SELECT timestamp FROM messages WHERE topic_id IN ({places}) '
            'ORDER BY timestamp LIMIT 1 OFFSET ?'
        )
        found = reader.dbconn.execute(query, (*ids, number)).fetchone()  # type: ignore[union-attr]
        return None if found is None else int(found[0])
    entries = merge(*(reader.indexes[each] for each in ids))
    return next((int(entry.time) for entry in islice(entries, number, None)), None)


def _check_mcap(storage: Path) -> None:
    with storage.open('rb') as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise RecordingError('it does not begin as MCAP files do')
        size = storage.stat().st_size
        file.seek(max(0, size - FOOTER))
        footer = file.read()
    if size < FOOTER or footer[-len(MAGIC) :] != MAGIC:
        raise RecordingError(f'its end is missing, the recorder has not finished it: {RECOVER}')
    if not any(footer[SUMMARY]):
        raise RecordingError(f'it has no index: {RECOVER}')


def _check_rosbag1(storage: Path) -> None:
    with storage.open('rb') as file:
        begin = file.read(len(SQLITE3))
    if begin.startswith(ROSBAG1):
        return
    kinds = {SQLITE3: '.db3', MAGIC: '.mcap'}
    ending = next((name for magic, name in kinds.items() if begin.startswith(magic)), '')
    advice = f': it is a file of ROS 2, give it the ending {ending}' if ending else ''
    raise RecordingError(f'it does not begin as bags of ROS 1 do{advice}')


def _check_sqlite3(storage: Path) -> None:
    log = storage.with_name(storage.name + '-wal')
    if log.exists() and log.stat().st_size:
        raise RecordingError(
            f'{log.name} holds what was recorded last, the recorder has not finished: merge it '
            f"with `sqlite3 {storage.name} 'PRAGMA wal_checkpoint(TRUNCATE)'`"
        )


def _bound_chunks(reader: Any) -> None:
    """Let a reader of a ROS 1 bag decompress chunks within limits."""
    names = {function: name for name, function in decompressors.items()}
    for position, chunk in reader.chunks.items():
        compression = names[chunk.decompressor]
        if compression != 'none':
            bounded = partial(expanded, compression=compression, most=LARGEST_CHUNK)
            reader.chunks[position] = chunk._replace(decompressor=bounded)
