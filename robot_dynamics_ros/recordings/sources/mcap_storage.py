"""Messages of an MCAP file, whatever has written it: each channel says what its messages are.

Source: MCAP format specification, records Chunk, Channel and Message.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from struct import Struct
from typing import Any, BinaryIO

import numpy as np
from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.reader import NonSeekingReader, make_reader
from mcap.records import Chunk
from mcap.stream_reader import get_chunk_data_stream
from mcap.summary import Summary

from .joint_state_decoder import Batch, batches_of

# Encodings of messages that are read, and whether they are those of ROS 1.
ENCODINGS = {'cdr': False, 'ros1': True}
COMPRESSIONS = ('', 'lz4', 'zstd')
# Opcode and size of a record; behind them come those of a message.
HEAD = Struct('<BQ')
MESSAGE = np.dtype('u1, <u8, <u2, <u4, <u8, <u8')
MESSAGE.names = ('opcode', 'size', 'channel', 'sequence', 'log_time', 'publish_time')
# Topic, type such as `std_msgs/msg/String`, and whether ROS 1 has serialized the messages.
Key = tuple[str, str, bool]


class McapStorage:
    """An open MCAP file; its `counts` are of the messages that ROS has serialized."""

    def __init__(self, stream: BinaryIO) -> None:
        """Read the summary; what mcap raises where a file is damaged has no class in common."""
        self._stream, summary = stream, make_reader(stream).get_summary() or Summary()
        numbers = summary.statistics.channel_message_counts if summary.statistics else {}
        # Without them, all messages are counted.
        for schema, channel, _ in () if summary.statistics else self._linear():
            summary.channels[channel.id] = channel
            if schema:
                summary.schemas[schema.id] = schema
            numbers[channel.id] = numbers.get(channel.id, 0) + 1
        self._indexes = summary.chunk_indexes
        self.counts: Counter[Key] = Counter()
        self._channels: dict[Key, list[int]] = defaultdict(list)
        for number, channel in summary.channels.items():
            schema, encoding = summary.schemas.get(channel.schema_id), channel.message_encoding
            if schema and encoding in ENCODINGS:
                kind = schema.name if '/msg/' in schema.name else schema.name.replace('/', '/msg/')
                key = channel.topic, kind, ENCODINGS[encoding]
                self.counts[key] += numbers.get(number, 0)
                self._channels[key].append(number)

    def _linear(self) -> Iterator[Any]:
        """Schema, channel and message, from begin to end, as rosbag2 writes with `fastwrite`."""
        self._stream.seek(0)
        reader = NonSeekingReader(self._stream, validate_crcs=True)
        return reader.iter_messages(log_time_order=False)

    def batches(self, key: Key) -> Iterator[Batch]:
        """The messages of a key of `counts`, some at a time."""
        channels = self._channels[key]
        if not self._indexes:
            found = (one for _, channel, one in self._linear() if channel.id in channels)
            yield from batches_of((one.log_time, one.data) for one in found)
        for index in self._indexes:
            listed = index.message_index_offsets
            if listed and listed.keys().isdisjoint(channels):
                continue
            self._stream.seek(index.chunk_start_offset)
            opcode, size = HEAD.unpack(self._stream.read(HEAD.size))
            if opcode != Opcode.CHUNK or HEAD.size + size != index.chunk_length:
                raise ValueError('an index does not point to its chunk')
            yield _messages(Chunk.read(ReadDataStream(self._stream)), channels)


def _messages(chunk: Chunk, channels: Sequence[int]) -> Batch:
    """Those of some channels in a chunk."""
    if chunk.compression not in COMPRESSIONS:
        raise ValueError(f'a chunk has the unknown compression {chunk.compression!r}')
    stream, size = get_chunk_data_stream(chunk, validate_crc=True)
    if size != chunk.uncompressed_size:
        raise ValueError(f'a chunk has {size} bytes, and says {chunk.uncompressed_size}')
    # The last record may be shorter than the head of a message.
    data, at, places = stream.read(size) + bytes(MESSAGE.itemsize), 0, []
    while at < size:
        places.append(at)
        at += HEAD.size + HEAD.unpack_from(data, at)[1]
    if at != size:
        raise ValueError('a chunk does not end with a record')
    begins = np.array(places, np.int64)
    heads = np.ndarray(size, MESSAGE, data, strides=(1,))[begins]
    found = (heads['opcode'] == Opcode.MESSAGE) & np.isin(heads['channel'], channels)
    heads, begins = heads[found], begins[found] + MESSAGE.itemsize
    sizes = heads['size'].astype(np.int64) - (MESSAGE.itemsize - HEAD.size)
    return Batch(heads['log_time'].astype(np.int64), data, begins, sizes)
