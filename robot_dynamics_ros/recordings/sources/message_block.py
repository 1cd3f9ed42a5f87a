"""Serialized messages of one topic that stand in one buffer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .state_rows import Bytes, Times

# Of messages that are read one by one: so many, and as many bytes, become one block.
MESSAGES, BYTES = 4096, 1 << 23


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
    """The records (N,) that begin at some bytes: a view where these are equally spaced.

    Args:
        buffer: bytes (B,); all records end within it.
        starts: (N,) first byte of each record.
        dtype: of one record.
    """
    spacing = int(starts[1] - starts[0]) if len(starts) > 1 else dtype.itemsize
    if spacing >= 0 and (np.diff(starts) == spacing).all():
        place, shape = int(starts[0]), (len(starts),)
        return np.ndarray(shape, dtype, buffer, offset=place, strides=(spacing,))
    # One element for each byte at which a record could begin: `take` copies whole records.
    raw = np.dtype(f'V{dtype.itemsize}')
    windows = np.ndarray((buffer.size - dtype.itemsize + 1,), raw, buffer, strides=(1,))
    return windows[starts].view(dtype)
