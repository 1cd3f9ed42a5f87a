"""Messages of an MCAP file, whatever has written it: each channel says what its messages are.

Source: MCAP format specification, records Chunk, Channel and Message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from struct import Struct
from typing import BinaryIO

import numpy as np
from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.reader import make_reader
from mcap.records import Channel, Chunk, Message, Schema
from mcap.stream_reader import StreamReader, get_chunk_data_stream
from mcap.summary import Summary

from .messages import MessageBlock, bytes_at, joined_blocks

# Encodings of messages that are read, and whether they are those of ROS 1.
ENCODINGS = {'cdr': False, 'ros1': True}
COMPRESSIONS = ('', 'lz4', 'zstd')
HEAD = Struct('<BQ')
MESSAGE = np.dtype(
    [
        ('opcode', 'u1'), ('size', '<u8'), ('channel', '<u2'), ('sequence', '<u4'),
        ('log_time', '<u8'), ('publish_time', '<u8'),
    ]
)  # fmt: skip


class McapStorage:
    """An open MCAP file.

    Attributes:
        start: time of the first message [ns].
        counts: number of messages by topic and type, such as `std_msgs/msg/String`; what ROS has
            not serialized has its encoding behind the type.
    """

    def __init__(self, stream: BinaryIO) -> None:
        """Read the summary, or without a whole one all records.

        Raises:
            Exception: the file is damaged; mcap has classes of its own.
        """
        self._stream = stream
        summary = make_reader(stream).get_summary() or Summary()
        if _complete(summary):
            counts = summary.statistics.channel_message_counts
            self.start = summary.statistics.message_start_time
        else:
            counts, self.start = _scanned(stream, summary)
        self._indexes = sorted(summary.chunk_indexes, key=lambda each: each.message_start_time)
        self.counts: Counter[tuple[str, str]] = Counter()
        # Channels by topic and type, and then by whether ROS 1 has serialized their messages.
        self._channels: dict[tuple[str, str], dict[bool, set[int]]] = {}
        for key, channel in summary.channels.items():
            schema = summary.schemas.get(channel.schema_id)
            kind, encoding = schema.name if schema else '', channel.message_encoding
            kind = kind if '/msg/' in kind else kind.replace('/', '/msg/')
            if encoding not in ENCODINGS:
                kind = f'{kind} ({encoding})'
            named = channel.topic, kind
            self.counts[named] += counts.get(key, 0)
            of_kind = self._channels.setdefault(named, {})
            of_kind.setdefault(ENCODINGS.get(encoding, False), set()).add(key)

    def blocks(self, topic: str, kind: str) -> Iterator[MessageBlock]:
        """The messages of a type on a topic.

        Raises:
            Exception: the file is damaged; mcap has classes of its own.
        """
        for ros1, channels in self._channels.get((topic, kind), {}).items():
            if self._indexes:
                for chunk in self._chunks(channels):
                    yield _block(chunk, channels, ros1)
            else:
                self._stream.seek(0)
                records = StreamReader(self._stream, validate_crcs=True).records
                found = (one for one in records if isinstance(one, Message))
                messages = (
                    (one.log_time, one.data) for one in found if one.channel_id in channels
                )
                yield from joined_blocks(messages, ros1=ros1)

    def _chunks(self, channels: set[int]) -> Iterator[Chunk]:
        for index in self._indexes:
            there = index.message_index_offsets
            if there and channels.isdisjoint(there):
                continue
            self._stream.seek(index.chunk_start_offset)
            opcode, size = HEAD.unpack(self._stream.read(HEAD.size))
            if opcode != Opcode.CHUNK or HEAD.size + size != index.chunk_length:
                raise ValueError('an index does not point to its chunk')
            yield Chunk.read(ReadDataStream(self._stream))


def _complete(summary: Summary) -> bool:
    statistics, channels = summary.statistics, summary.channels
    return (
        statistics is not None
        and statistics.channel_message_counts.keys() <= channels.keys()
        and {one.schema_id for one in channels.values()} <= {0, *summary.schemas}
    )


def _scanned(stream: BinaryIO, summary: Summary) -> tuple[Counter[int], int]:
    """Put all schemas and channels into a summary; numbers of messages, and the first time."""
    counts, start = Counter[int](), 2**63 - 1
    stream.seek(0)
    for record in StreamReader(stream).records:
        if isinstance(record, Schema):
            summary.schemas[record.id] = record
        elif isinstance(record, Channel):
            summary.channels[record.id] = record
        elif isinstance(record, Message):
            counts[record.channel_id] += 1
            start = min(start, record.log_time)
    return counts, start


def _block(chunk: Chunk, channels: set[int], ros1: bool) -> MessageBlock:
    """The messages of some channels in a chunk."""
    if chunk.compression not in COMPRESSIONS:
        raise ValueError(f'a chunk has the unknown compression {chunk.compression!r}')
    stream, size = get_chunk_data_stream(chunk, validate_crc=True)
    if size != chunk.uncompressed_size:
        raise ValueError(f'a chunk has {size} bytes, and says {chunk.uncompressed_size}')
    data, at, places = stream.read(size), 0, []
    while at < size:
        opcode, length = HEAD.unpack_from(data, at)
        if opcode == Opcode.MESSAGE:
            places.append(at)
        at += HEAD.size + length
    starts, buffer = np.array(places, np.int64), np.frombuffer(data, np.uint8)
    heads = bytes_at(buffer, starts, MESSAGE.itemsize).view(MESSAGE)[:, 0]
    sizes = heads['size'].astype(np.int64) + (HEAD.size - MESSAGE.itemsize)
    if at != size or (sizes < 0).any():
        raise ValueError('a chunk does not end with a record')
    which = np.isin(heads['channel'], list(channels))
    times, starts = heads['log_time'].astype(np.int64), starts + MESSAGE.itemsize
    return MessageBlock(times[which], buffer, starts[which], sizes[which], ros1)
