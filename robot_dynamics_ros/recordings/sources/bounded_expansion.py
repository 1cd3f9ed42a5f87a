"""Decompression with limits: what a few bytes expand to may not fit into memory.

zstd is Python's own from 3.14 on, else its backport, which rosbags brings.
"""

from __future__ import annotations

import bz2
import gzip
import importlib
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from robot_dynamics_ros.core.errors import RecordingError

# First bytes of a frame of zstd.
MAGIC = b'\x28\xb5\x2f\xfd'
# A recording shrinks to a tenth; what expands to more than so many times its size is a bomb.
LARGEST_RATIO = 100
# [bytes] that any file may expand to, and that none may.
ALWAYS_ALLOWED, LARGEST = 1 << 26, 1 << 34


def zstd() -> Any:
    """The module of zstd, at its first use: what reads no recordings needs none."""
    name = 'compression.zstd' if sys.version_info >= (3, 14) else 'backports.zstd'
    return importlib.import_module(name)


DECOMPRESSORS: dict[str, Callable[[], Any]] = {
    'zstd': lambda: zstd().ZstdDecompressor(),
    'lz4': lambda: importlib.import_module('lz4.frame').LZ4FrameDecompressor(),
    'bz2': bz2.BZ2Decompressor,
}


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


class ExpandedFile(io.RawIOBase):
    """What a file that gzip or zstd has compressed expands to, within limits."""

    def __init__(self, file: Path) -> None:
        """Open it; the ending of its name says the compression."""
        self._file = file
        expanding: Any = gzip.GzipFile if file.suffix == '.gz' else zstd().ZstdFile
        self._source = expanding(file)
        self._allowed = min(max(LARGEST_RATIO * file.stat().st_size, ALWAYS_ALLOWED), LARGEST)
        self._size = 0

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes.

        Raises:
            RecordingError: these are more than the file may expand to.
            ZstdError, OSError, zlib.error: it is damaged.
            EOFError: it ends too early.
        """
        count: int = self._source.readinto(buffer)
        self._size += count
        if self._size > self._allowed:
            raise RecordingError(
                f'{self._file} expands to {self._size} bytes or more, allowed are '
                f'{self._allowed}: if it is a recording, decompress it first'
            )
        return count

    def close(self) -> None:
        """Close the file."""
        self._source.close()
        super().close()
