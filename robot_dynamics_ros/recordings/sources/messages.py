"""Serialized messages of one topic, many at a time, in one buffer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from .source import Bytes, Times

# Of messages that are read one by one, so many become one block.
MESSAGES = 4096


@dataclass(frozen=True)
class MessageBlock:
    """Messages that follow each other in a file.

    Attributes:
        log_times: (N,) [ns].
        buffer: holds all messages.
        starts: (N,) first byte of each message.
        sizes: (N,) bytes of each message.
        ros1: whether ROS 1 has serialized them, else ROS 2.
    """

    log_times: Times
    buffer: Bytes
    starts: npt.NDArray[np.int64]
    sizes: npt.NDArray[np.int64]
    ros1: bool = False

    def message(self, index: int) -> bytes:
        """One of the messages."""
        start = int(self.starts[index])
        return self.buffer[start : start + int(self.sizes[index])].tobytes()


def joined_blocks(
    messages: Iterable[tuple[int, bytes]], *, ros1: bool = False
) -> Iterator[MessageBlock]:
    """Blocks of messages that come one by one, each with its log time [ns]."""
    coming = iter(messages)
    while pending := list(islice(coming, MESSAGES)):
        sizes = np.array([len(data) for _, data in pending], np.int64)
        buffer = np.frombuffer(b''.join(data for _, data in pending), np.uint8)
        times = np.array([time for time, _ in pending], np.int64)
        yield MessageBlock(times, buffer, np.cumsum(sizes) - sizes, sizes, ros1)


def bytes_at(buffer: Bytes, starts: npt.NDArray[np.int64], size: int) -> Any:
    """Bytes (N, size) from some starts (N,) on.

    Raises:
        IndexError: they end behind the buffer.
    """
    # One element for each byte at which they could begin: whole elements are copied.
    raw, count = np.dtype(f'V{size}'), max(0, buffer.size - size + 1)
    windows = np.ndarray((count,), raw, buffer, strides=(1,))
    return windows[starts].view(np.uint8).reshape(-1, size)
