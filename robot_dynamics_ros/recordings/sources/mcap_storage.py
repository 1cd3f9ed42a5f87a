"""Messages of an MCAP file, whatever has written it: each channel says what its messages are.

Source: MCAP format specification, records Chunk, Channel and Message.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from struct import Struct
from typing import BinaryIO

import numpy as np
from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.reader import make_reader
from mcap.records import Channel, Chunk, Message, Schema
from mcap.stream_reader import StreamReader, get_chunk_data_stream
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
    """An open MCAP file.

    Attributes:
        start: time of the first message [ns].
        counts: number of messages; what ROS has not serialized has its encoding behind the type.
    """

    def __init__(self, stream: BinaryIO) -> None:
        """Read the summary, or without a whole one all records.

        Raises:
            Exception: the file is damaged; mcap has classes of its own.
        """
        self._stream = stream
        summary = make_reader(stream).get_summary() or Summary()
        numbers, self.start = _counted(stream, summary)
        self._indexes = sorted(summary.chunk_indexes, key=lambda each: each.message_start_time)
        self.counts: Counter[Key] = Counter()
        self._channels: dict[Key, list[int]] = defaultdict(list)
        for number, channel in summary.channels.items():
            schema, encoding = summary.schemas.get(channel.schema_id), channel.message_encoding
            kind = schema.name if schema else ''
            kind = kind if '/msg/' in kind else kind.replace('/', '/msg/')
            kind = kind if encoding in ENCODINGS else f'{kind} ({encoding})'
            key = channel.topic, kind, ENCODINGS.get(encoding, False)
            self.counts[key] += numbers.get(number, 0)
            self._channels[key].append(number)

    def batches(self, key: Key) -> Iterator[Batch]:
        """The messages of a key of `counts`, some at a time.

        Raises:
            Exception: the file is damaged; mcap has classes of its own.
        """
        channels = self._channels[key]
        if not self._indexes:
            self._stream.seek(0)
            records = StreamReader(self._stream, validate_crcs=True).records
            found = (one for one in records if isinstance(one, Message))
            yield from batches_of(
                (one.log_time, one.data) for one in found if one.channel_id in channels
            )
        for index in self._indexes:
            listed = index.message_index_offsets
            if listed and listed.keys().isdisjoint(channels):
                continue
            self._stream.seek(index.chunk_start_offset)
            opcode, size = HEAD.unpack(self._stream.read(HEAD.size))
            if opcode != Opcode.CHUNK or HEAD.size + size != index.chunk_length:
                raise ValueError('an index does not point to its chunk')
            yield _messages(Chunk.read(ReadDataStream(self._stream)), channels)


def _counted(stream: BinaryIO, summary: Summary) -> tuple[Mapping[int, int], int]:
    """Numbers of messages by channel, and the first time; what the summary lacks is put there."""
    statistics, channels = summary.statistics, summary.channels
    known = {one.schema_id for one in channels.values()} <= {0, *summary.schemas}
    if statistics and known and statistics.channel_message_counts.keys() <= channels.keys():
        return statistics.channel_message_counts, statistics.message_start_time
    counts, start = Counter[int](), 2**63 - 1
    stream.seek(0)
    for record in StreamReader(stream).records:
        if isinstance(record, Schema):
            summary.schemas[record.id] = record
        elif isinstance(record, Channel):
            channels[record.id] = record
        elif isinstance(record, Message):
            counts[record.channel_id] += 1
            start = min(start, record.log_time)
    return counts, start


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
    heads, before = heads[found], MESSAGE.itemsize - HEAD.size
    sizes = heads['size'].astype(np.int64) - before
    return Batch(heads['log_time'].astype(np.int64), data, begins[found] + MESSAGE.itemsize, sizes)
