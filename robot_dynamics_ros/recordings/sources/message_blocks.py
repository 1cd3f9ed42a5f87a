"""Serialized messages of one topic, many at a time, in one buffer.

Of an MCAP file rosbags reads the summary; the chunks and their message indexes are read here,
because making a Python object of each message takes ten times as long.

Source: MCAP format specification, records Chunk, Message Index and Message.
"""

from __future__ import annotations

from binascii import crc32
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.errors import RecordingError

from .bounded_expansion import expanded
from .source import Bytes, Times

# Of messages that are read one by one: so many, and as many bytes, become one block.
MESSAGES, BYTES = 4096, 1 << 23

# [bytes]: a hundred times what recorders write.
LARGEST_CHUNK = 1 << 28
MESSAGE, CHUNK_OPCODE = 0x05, 0x06
# [bytes] that are read at once from a file without chunks.
WINDOW = 1 << 22
CHANNEL = Struct('<H')
# Opcode and size of a record; then of a chunk: times, size and CRC of its records; of a text.
RECORD, CHUNK, COUNT, LENGTH = Struct('<BQ'), Struct('<QQQI'), Struct('<I'), Struct('<Q')
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
COUNTED = HEAD.itemsize - RECORD.size


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
    pending: list[tuple[int, bytes]] = []
    size = 0
    for message in messages:
        pending.append(message)
        size += len(message[1])
        if len(pending) == MESSAGES or size > BYTES:
            yield joined_block(pending)
            pending, size = [], 0
    if pending:
        yield joined_block(pending)


def joined_block(messages: Sequence[tuple[int, bytes]]) -> MessageBlock:
    """One block of some messages, each with its log time [ns]."""
    sizes = np.array([len(data) for _, data in messages], np.int64)
    buffer = np.frombuffer(b''.join(data for _, data in messages), np.uint8)
    times = np.array([time for time, _ in messages], np.int64)
    return MessageBlock(times, buffer, np.cumsum(sizes) - sizes, sizes)


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
    """The messages of some channels.

    Args:
        storage: open reader of rosbags, that has read the summary of the file.
        channels: their numbers.

    Raises:
        RecordingError: the file is damaged.
    """
    return _of_chunks(storage, channels) if storage.chunks else _of_records(storage, channels)


def _of_chunks(storage: Any, channels: set[int]) -> Iterator[MessageBlock]:
    """Chunk by chunk, by the message indexes."""
    buffer = bytearray()
    for chunk in sorted(storage.chunks, key=lambda each: each.message_start_time):
        if channels.isdisjoint(chunk.message_index_offsets):
            continue
        size = chunk.chunk_length + chunk.message_index_length
        if size > 2 * LARGEST_CHUNK:
            raise RecordingError(f'a chunk has {size} bytes, at most {LARGEST_CHUNK} are allowed')
        if len(buffer) < size:
            buffer = bytearray(size)
        view = memoryview(buffer)[:size]
        storage.bio.seek(chunk.chunk_start_offset)
        if storage.bio.readinto(view) < size:
            raise RecordingError('it ends within a chunk')
        offsets = _offsets(view, chunk, channels)
        if offsets.size:
            yield _block(_records(view[: chunk.chunk_length]), offsets, channels)


def _of_records(storage: Any, channels: set[int]) -> Iterator[MessageBlock]:
    """Of a file without chunks: as many records at a time as a window holds."""
    buffer = bytearray(WINDOW)
    at = storage.data_start
    while at < storage.data_end:
        view = memoryview(buffer)[: min(WINDOW, storage.data_end - at)]
        storage.bio.seek(at)
        if storage.bio.readinto(view) < len(view):
            raise RecordingError('it ends within its records')
        offsets, size = _walked(view, channels)
        if offsets:
            yield _block(np.frombuffer(view[:size], np.uint8), np.array(offsets), channels)
        at += size
    if at > storage.data_end:
        raise RecordingError('it ends within a record')


def _walked(view: memoryview, channels: set[int]) -> tuple[list[int], int]:
    """Where messages of some channels begin, and where the last whole record ends.

    The end is beyond the view where one record is larger than it.
    """
    offsets: list[int] = []
    at = 0
    while at + RECORD.size <= len(view):
        opcode, size = RECORD.unpack_from(view, at)
        end = at + RECORD.size + size
        if opcode == CHUNK_OPCODE:
            raise RecordingError('it has chunks that its index does not list')
        if end > len(view) and at:
            return offsets, at
        if opcode == MESSAGE and size >= COUNTED:
            (channel,) = CHANNEL.unpack_from(view, at + RECORD.size)
            if channel in channels:
                if end > len(view):
                    raise RecordingError(
                        f'a message has {size} bytes, at most {WINDOW} are allowed'
                    )
                offsets.append(at)
        at = end
    if at == 0:
        raise RecordingError('it ends within a record')
    return offsets, at


def _offsets(view: memoryview, chunk: Any, channels: set[int]) -> npt.NDArray[np.int64]:
    """Where the messages of some channels begin in the records of a chunk."""
    parts = []
    for channel in channels & set(chunk.message_index_offsets):
        at = chunk.message_index_offsets[channel] - chunk.chunk_start_offset
        _, _, found, size = INDEX.unpack_from(view, at)
        if found != channel or size % ENTRY.itemsize:
            raise RecordingError('a message index is damaged')
        entries = np.frombuffer(view, ENTRY, size // ENTRY.itemsize, at + INDEX.size)
        parts.append(entries['offset'].astype(np.int64))
    offsets = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return np.sort(offsets) if (offsets[1:] < offsets[:-1]).any() else offsets


def _records(view: memoryview) -> Bytes:
    """The records of a chunk, decompressed."""
    at = RECORD.size
    _, _, size, crc = CHUNK.unpack_from(view, at)
    at += CHUNK.size
    (length,) = COUNT.unpack_from(view, at)
    at += COUNT.size
    compression = bytes(view[at : at + length]).decode()
    at += length
    (stored,) = LENGTH.unpack_from(view, at)
    data = view[at + LENGTH.size :]
    if len(data) != stored or size > LARGEST_CHUNK:
        raise RecordingError(f'a chunk claims {size} bytes, at most {LARGEST_CHUNK} are allowed')
    content = data if compression == '' else expanded(data, compression, size)
    records = np.frombuffer(content, np.uint8)
    if records.size != size or (crc and crc32(records) != crc):
        raise RecordingError('a chunk is damaged: its size or its checksum is wrong')
    return records


def _block(records: Bytes, offsets: npt.NDArray[np.int64], channels: set[int]) -> MessageBlock:
    """The messages that begin at some offsets, in the order of their log times."""
    last = records.size - HEAD.itemsize
    if offsets[0] < 0 or offsets[-1] > last:
        raise RecordingError('a message index points out of its chunk')
    heads = records_at(records, offsets, HEAD)
    starts = offsets + HEAD.itemsize
    sizes = heads['size'].astype(np.int64) - COUNTED
    known = np.zeros(len(heads), bool)
    for channel in channels:
        known |= heads['channel'] == channel
    if not (
        (heads['opcode'] == MESSAGE).all()
        and known.all()
        and (sizes >= 0).all()
        and (sizes <= records.size - starts).all()
    ):
        raise RecordingError('a message index does not point to its messages')
    times = heads['log_time'].astype(np.int64)
    if (times[1:] < times[:-1]).any():
        order = np.argsort(times, kind='stable')
        times, starts, sizes = times[order], starts[order], sizes[order]
    return MessageBlock(times, records, starts, sizes)
