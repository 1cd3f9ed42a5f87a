"""Messages of an MCAP file, whatever has written it: each channel says what its messages are.

Source: MCAP format specification, records Chunk, Channel and Message.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from struct import Struct
from typing import BinaryIO

from mcap.data_stream import ReadDataStream
from mcap.opcode import Opcode
from mcap.reader import make_reader
from mcap.records import Channel, Chunk, Message, Schema
from mcap.stream_reader import StreamReader, get_chunk_data_stream
from mcap.summary import Summary

# Encodings of messages that are read, and whether they are those of ROS 1.
ENCODINGS = {'cdr': False, 'ros1': True}
COMPRESSIONS = ('', 'lz4', 'zstd')
# Opcode and size of a record; behind them channel, sequence, log and publish time of a message.
HEAD, MESSAGE = Struct('<BQ'), Struct('<BQHIQQ')


class McapStorage:
    """An open MCAP file.

    Attributes:
        start: time of the first message [ns].
        counts: number of messages by topic, type, such as `std_msgs/msg/String`, and whether ROS 1
            has serialized them; what ROS has not serialized has its encoding behind the type.
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
        self.counts: Counter[tuple[str, str, bool]] = Counter()
        self._channels: dict[tuple[str, str, bool], set[int]] = defaultdict(set)
        for key, channel in summary.channels.items():
            kind, encoding = _type(channel, summary.schemas), channel.message_encoding
            named = channel.topic, kind, ENCODINGS.get(encoding, False)
            self.counts[named] += numbers.get(key, 0)
            self._channels[named].add(key)

    def batches(self, topic: str, kind: str, ros1: bool) -> Iterator[list[tuple[int, bytes]]]:
        """Log times [ns] and bytes of messages, some at a time.

        Raises:
            Exception: the file is damaged; mcap has classes of its own.
        """
        channels = self._channels[topic, kind, ros1]
        if not self._indexes:
            self._stream.seek(0)
            records = StreamReader(self._stream, validate_crcs=True).records
            found = (one for one in records if isinstance(one, Message))
            yield [(one.log_time, one.data) for one in found if one.channel_id in channels]
        for index in self._indexes:
            listed = index.message_index_offsets
            if listed and channels.isdisjoint(listed):
                continue
            self._stream.seek(index.chunk_start_offset)
            opcode, size = HEAD.unpack(self._stream.read(HEAD.size))
            if opcode != Opcode.CHUNK or HEAD.size + size != index.chunk_length:
                raise ValueError('an index does not point to its chunk')
            yield [*_messages(Chunk.read(ReadDataStream(self._stream)), channels)]


def _type(channel: Channel, schemas: Mapping[int, Schema]) -> str:
    schema = schemas.get(channel.schema_id)
    name = schema.name if schema else ''
    name = name if '/msg/' in name else name.replace('/', '/msg/')
    known = channel.message_encoding in ENCODINGS
    return name if known else f'{name} ({channel.message_encoding})'


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


def _messages(chunk: Chunk, channels: Collection[int]) -> Iterator[tuple[int, bytes]]:
    """Those of some channels in a chunk."""
    if chunk.compression not in COMPRESSIONS:
        raise ValueError(f'a chunk has the unknown compression {chunk.compression!r}')
    stream, size = get_chunk_data_stream(chunk, validate_crc=True)
    if size != chunk.uncompressed_size:
        raise ValueError(f'a chunk has {size} bytes, and says {chunk.uncompressed_size}')
    # The last record may be shorter than the head of a message.
    data, at = stream.read(size) + bytes(MESSAGE.size), 0
    while at < size:
        opcode, length, channel, _, time, _ = MESSAGE.unpack_from(data, at)
        end = at + HEAD.size + length
        if opcode == Opcode.MESSAGE and channel in channels:
            yield time, data[at + MESSAGE.size : end]
        at = end
    if at != size:
        raise ValueError('a chunk does not end with a record')
