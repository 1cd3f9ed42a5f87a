"""Decompression with limits: what a few bytes expand to may not fit into memory.

zstd is Python's own from 3.14 on, else its backport, which rosbags brings.
"""

from __future__ import annotations

import bz2
import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import lz4.frame

from robot_dynamics_ros.core.errors import RecordingError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# First bytes of a frame of zstd.
MAGIC = b'\x28\xb5\x2f\xfd'
BLOCK = 1 << 20
DECOMPRESSORS: dict[str, Callable[[], Any]] = {
    'zstd': zstd.ZstdDecompressor,
    'lz4': lz4.frame.LZ4FrameDecompressor,
    'bz2': bz2.BZ2Decompressor,
}

ZstdError = zstd.ZstdError


def expanded(data: Any, compression: str, most: int) -> bytes:
    """The content of one frame or stream.

    Args:
        data: the frame.
        compression: one of `DECOMPRESSORS`.
        most: bytes that the content may have.

    Raises:
        RecordingError: it has more, or the compression is unknown.
        Exception: it is damaged; each library has its own class.
    """
    if compression not in DECOMPRESSORS:
        known = ', '.join(DECOMPRESSORS)
        raise RecordingError(f'compression {compression[:20]!r} is unknown, known are {known}')
    decompressor = DECOMPRESSORS[compression]()
    content: bytes = decompressor.decompress(data, max_length=most + 1)
    if len(content) > most:
        raise RecordingError(f'compressed data expand to more than {most} bytes')
    if not decompressor.eof:
        raise RecordingError('compressed data end too early')
    return content


def expanded_blocks(file: BinaryIO) -> Iterator[bytes]:
    """The content of a file that zstd has compressed, block by block.

    Raises:
        ZstdError: it is damaged.
        EOFError: it ends within a frame.
    """
    with zstd.ZstdFile(file) as reader:
        while block := reader.read(BLOCK):
            yield block
