"""Zstandard with limits: Python's own from 3.14 on, else its backport, which rosbags brings."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, BinaryIO

from robot_dynamics_ros.core.errors import RecordingError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# First bytes of each frame.
MAGIC = b'\x28\xb5\x2f\xfd'
BLOCK = 1 << 20

ZstdError = zstd.ZstdError


def expanded(data: Any, most: int) -> bytes:
    """The content of one frame.

    Args:
        data: the frame.
        most: bytes that it may have.

    Raises:
        RecordingError: it has more.
        ZstdError: it is damaged.
    """
    decompressor = zstd.ZstdDecompressor()
    content: bytes = decompressor.decompress(data, max_length=most + 1)
    if len(content) > most or not decompressor.eof:
        raise RecordingError(f'compressed data expand to more than {most} bytes, or end too early')
    return content


def expanded_blocks(file: BinaryIO) -> Iterator[bytes]:
    """The content of a compressed file, block by block.

    Raises:
        ZstdError: it is damaged.
        EOFError: it ends within a frame.
    """
    with zstd.ZstdFile(file) as reader:
        while block := reader.read(BLOCK):
            yield block
