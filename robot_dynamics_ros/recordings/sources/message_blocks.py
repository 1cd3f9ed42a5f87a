"""Serialized messages of one topic, many at a time, in one buffer.

Of an MCAP file rosbags reads the summary; the chunks and their message indexes are read here,
because making a Python object of each message takes ten times as long.

Source: MCAP format specification, records Chunk, Message Index and Message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from struct import Struct
from typing import Any

import numpy as np
import numpy.typing as npt
from rosbags.rosbag2.storage_mcap import decompress

from .source import Bytes, Times

# Of messages that are read one by one, so many become one block.
MESSAGES = 4096
MESSAGE = 0x05
# Bytes of a chunk before its CRC, and before and behind the name of its compression.
BEFORE_CRC, BEFORE_NAME, BEHIND_NAME = 33, 41, 8
CRC = Struct('<I')
# A message index: opcode, size, channel, bytes of its entries.
INDEX = Struct('<BQHI')
ENTRY = np.dtype([('log_time', '<u8'), ('offset', '<u8')])
HEAD = np.dtype(
    [
        ('opcode', 'u1'), ('size', '<u8'), ('channel', '<u2'), ('sequence', '<u4'),
        ('log_time', '<u8'), ('publish_time', '<u8'),
    ]
)  # fmt: skip
# Bytes of a message record that `size` counts beside the message.
COUNTED = HEAD.itemsize - 9


@dataclass(frozen=True)
class MessageBlock:
    """Messages, in the order of their log times; valid until the next block is read.

    Attributes:
        log_times: (N,) [ns].
        buffer: holds all messages.
        starts: (N,) first byte of each message.
        sizes: (N,) bytes of each message.
    """

    log_times: Times
    buffer: Bytes
    starts: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]

    def message(self, index: int) -> bytes:
        """One of the messages."""
        start = int(self.starts[index])
        return self.buffer[start : start + int(self.sizes[index])].tobytes()


def joined_blocks(messages: Iterable[tuple[int, bytes]]) -> Iterator[MessageBlock]:
    """Blocks of messages that come one by one, each with its log time [ns]."""
    coming = iter(messages)
    while pending := list(islice(coming, MESSAGES)):
        sizes = np.array([len(data) for _, data in pending], np.int64)
        buffer = np.frombuffer(b''.join(data for _, data in pending), np.uint8)
        times = np.array([time for time, _ in pending], np.int64)
        yield MessageBlock(times, buffer, np.cumsum(sizes) - sizes, sizes)


def records_at(buffer: Bytes, starts: npt.NDArray[np.int64], dtype: np.dtype[Any]) -> Any:
    """The records (N,) that begin at some bytes (N,): a view where these are equally spaced.

    All end within the buffer.
    """
    spacing = int(starts[1] - starts[0]) if len(starts) > 1 else dtype.itemsize
    if spacing >= 0 and (np.diff(starts) == spacing).all():
        place, shape = int(starts[0]), (len(starts),)
        return np.ndarray(shape, dtype, buffer, offset=place, strides=(spacing,))
    # One element for each byte at which a record could begin: `take` copies whole records.
    raw = np.dtype(f'V{dtype.itemsize}')
    windows = np.ndarray((buffer.size - dtype.itemsize + 1,), raw, buffer, strides=(1,))
    return windows[starts].view(dtype)


def mcap_blocks(storage: Any, channels: set[int]) -> Iterator[MessageBlock]:
    """The messages of some channels of a file with chunks, chunk by chunk.

    Args:
        storage: open McapReader of rosbags.
        channels: their numbers.

    Raises:
        Exception: the file is damaged; rosbags has classes of its own.
    """
    buffer = bytearray()
    for chunk in sorted(storage.chunks, key=lambda each: each.message_start_time):
        if channels.isdisjoint(chunk.message_index_offsets):
            continue
        size = chunk.chunk_length + chunk.message_index_length
        if chunk.chunk_start_offset + size > storage.data_end:
            raise ValueError('it ends within a chunk')
        if len(buffer) < size:
            buffer = bytearray(size)
        view = memoryview(buffer)[:size]
        storage.bio.seek(chunk.chunk_start_offset)
        storage.bio.readinto(view)
        offsets = _offsets(view, chunk, channels)
        if offsets.size:
            yield _block(_records(view, chunk), offsets, channels)


def _offsets(view: memoryview, chunk: Any, channels: set[int]) -> npt.NDArray[np.int64]:
    """Where the messages of some channels begin in the records of a chunk."""
    parts = []
    for channel in channels & set(chunk.message_index_offsets):
        at = chunk.message_index_offsets[channel] - chunk.chunk_start_offset
        _, _, _, size = INDEX.unpack_from(view, at)
        entries = np.frombuffer(view, ENTRY, size // ENTRY.itemsize, at + INDEX.size)
        parts.append(entries['offset'].astype(np.int64))
    return np.sort(np.concatenate(parts), kind='stable')


def _records(view: memoryview, chunk: Any) -> Bytes:
    """The records of a chunk, decompressed; rosbags checks their size and their CRC."""
    (crc,) = CRC.unpack_from(view, BEFORE_CRC)
    start = BEFORE_NAME + len(chunk.compression) + BEHIND_NAME
    data = view[start : start + chunk.compressed_size]
    content = decompress(data, chunk.compression, chunk.uncompressed_size, crc)
    return np.frombuffer(content, np.uint8)


def _block(records: Bytes, offsets: npt.NDArray[np.int64], channels: set[int]) -> MessageBlock:
    """The messages that begin at some offsets, in the order of their log times."""
    if offsets[0] < 0 or offsets[-1] > records.size - HEAD.itemsize:
        raise ValueError('a message index points out of its chunk')
    heads = records_at(records, offsets, HEAD)
    starts = offsets + HEAD.itemsize
    sizes = heads['size'].astype(np.int64) - COUNTED
    known = np.zeros(len(heads), bool)
    for channel in channels:
        known |= heads['channel'] == channel
    fit = (sizes >= 0) & (sizes <= records.size - starts)
    if not ((heads['opcode'] == MESSAGE).all() and known.all() and fit.all()):
        raise ValueError('a message index does not point to its messages')
    times = heads['log_time'].astype(np.int64)
    if (times[1:] < times[:-1]).any():
        order = np.argsort(times, kind='stable')
        times, starts, sizes = times[order], starts[order], sizes[order]
    return MessageBlock(times, records, starts, sizes)
