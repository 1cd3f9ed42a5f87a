"""MCAP files that were written by one program, joined without reading their messages.

Compressed chunks are copied as they are; what says where they stand is written anew.

Source: MCAP format specification, https://mcap.dev/spec.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from robot_dynamics_ros.core.errors import RecordingError

from .bag_metadata import joined_metadata

MAGIC = b'\x89MCAP0\r\n'
HEADER, FOOTER, SCHEMA, CHANNEL = 0x01, 0x02, 0x03, 0x04
CHUNK, MESSAGE_INDEX, CHUNK_INDEX, STATISTICS = 0x06, 0x07, 0x08, 0x0B
METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = 0x0C, 0x0D, 0x0E, 0x0F
# Code and length of a record; times, size, checksum and length of the name of a compression.
RECORD, CHUNK_HEAD = struct.Struct('<BQ'), struct.Struct('<QQQII')
CHANNEL_OF, SIZE = struct.Struct('<H'), struct.Struct('<Q')
LENGTH = struct.Struct('<I')
# Name of the metadata of rosbag2, and their only key.
OF_ROSBAG2, SERIALIZED = b'rosbag2', b'serialized_metadata'
# Of an entry of a message index: time and offset.
ENTRY = 16


@dataclass
class _Chunk:
    """A chunk of the joined file, as its index describes it.

    Attributes:
        begin: time of its first message [ns].
        end: of its last [ns].
        place: of its record in the file.
        length: of its record.
        sizes: the bytes that name compression, compressed and uncompressed size.
        indexes: place of the message index of each channel.
        indexed: bytes of these indexes.
    """

    begin: int
    end: int
    place: int
    length: int
    sizes: bytes
    indexes: dict[int, int] = field(default_factory=dict)
    indexed: int = 0

    def record(self) -> bytes:
        """The content of the chunk index."""
        places = b''.join(struct.pack('<HQ', *entry) for entry in self.indexes.items())
        head = struct.pack('<QQQQI', self.begin, self.end, self.place, self.length, len(places))
        return head + places + SIZE.pack(self.indexed) + self.sizes


class McapJoiner:
    """Appends files whose channels with one number are the same, and whose messages are in chunks.

    Of metadata, those of rosbag2 are joined; others, and attachments, are left out.
    """

    def __init__(self, target: BinaryIO) -> None:
        """Write nothing yet.

        Args:
            target: empty file.
        """
        self._target = target
        self._definitions: dict[int, dict[int, bytes]] = {SCHEMA: {}, CHANNEL: {}}
        self._chunks: list[_Chunk] = []
        self._messages: Counter[int] = Counter()
        self._metadata: list[str] = []

    def add(self, source: BinaryIO) -> None:
        """Append the messages of a file, which is complete.

        Args:
            source: at its beginning.

        Raises:
            RecordingError: it is another file.
        """
        if source.read(len(MAGIC)) != MAGIC:
            raise RecordingError(f'{source.name}: it is not an MCAP file')
        for code, content in _records(source):
            if code == HEADER and not self._target.tell():
                self._target.write(MAGIC)
                self._write(HEADER, content)
            elif code == CHUNK:
                self._add_chunk(content)
            elif code == MESSAGE_INDEX:
                self._add_index(content)
            elif code == METADATA:
                self._metadata += _rosbag2_metadata(content)
            elif code in self._definitions:
                (number,) = CHANNEL_OF.unpack_from(content)
                self._definitions[code][number] = content
            elif code == FOOTER:
                return

    def finish(self) -> None:
        """Write what readers look for at the end."""
        metadata = self._write_metadata()
        self._write(DATA_END, bytes(4))
        summary = self._target.tell()
        groups = [
            (SCHEMA, list(self._definitions[SCHEMA].values())),
            (CHANNEL, list(self._definitions[CHANNEL].values())),
            (CHUNK_INDEX, [chunk.record() for chunk in self._chunks]),
            (METADATA_INDEX, metadata),
            (STATISTICS, [self._statistics(len(metadata))]),
        ]
        offsets = []
        for code, contents in groups:
            start = self._target.tell()
            for content in contents:
                self._write(code, content)
            if contents:
                offsets.append(struct.pack('<BQQ', code, start, self._target.tell() - start))
        places = self._target.tell()
        for offset in offsets:
            self._write(SUMMARY_OFFSET, offset)
        self._write(FOOTER, struct.pack('<QQI', summary, places, 0))
        self._target.write(MAGIC)

    def _write_metadata(self) -> list[bytes]:
        """Write those of rosbag2; their index, empty where no file has them."""
        if not self._metadata:
            return []
        place = self._target.tell()
        pair = _text(SERIALIZED) + _text(joined_metadata(self._metadata).encode())
        self._write(METADATA, _text(OF_ROSBAG2) + _text(pair))
        length = self._target.tell() - place
        return [struct.pack('<QQ', place, length) + _text(OF_ROSBAG2)]

    def _write(self, code: int, content: bytes) -> None:
        self._target.write(RECORD.pack(code, len(content)))
        self._target.write(content)

    def _add_chunk(self, content: bytes) -> None:
        begin, end, size, _, name = CHUNK_HEAD.unpack_from(content)
        if begin > end:
            # It has no message, but definitions, which each file has.
            return
        place, names = self._target.tell(), CHUNK_HEAD.size + name
        # Length and name of the compression, and the compressed size behind it.
        sizes = content[CHUNK_HEAD.size - 4 : names + SIZE.size] + SIZE.pack(size)
        self._chunks.append(_Chunk(begin, end, place, RECORD.size + len(content), sizes))
        self._write(CHUNK, content)

    def _add_index(self, content: bytes) -> None:
        number, length = struct.unpack_from('<HI', content)
        chunk = self._chunks[-1]
        chunk.indexes[number] = self._target.tell()
        chunk.indexed += RECORD.size + len(content)
        self._messages[number] += length // ENTRY
        self._write(MESSAGE_INDEX, content)

    def _statistics(self, metadata: int) -> bytes:
        channels = sorted(self._definitions[CHANNEL])
        counts = b''.join(
            struct.pack('<HQ', number, self._messages[number]) for number in channels
        )
        head = struct.pack(
            '<QHIIIIQQI', self._messages.total(), len(self._definitions[SCHEMA]), len(channels),
            0, metadata, len(self._chunks),
            min((chunk.begin for chunk in self._chunks), default=0),
            max((chunk.end for chunk in self._chunks), default=0), len(counts),
        )  # fmt: skip
        return head + counts


def _text(content: bytes) -> bytes:
    return LENGTH.pack(len(content)) + content


def _rosbag2_metadata(content: bytes) -> list[str]:
    """The text in a metadata record of rosbag2; none in another."""
    name, rest = _first_text(content)
    pairs, _ = _first_text(rest)
    key, rest = _first_text(pairs)
    if (name, key) != (OF_ROSBAG2, SERIALIZED):
        return []
    return [_first_text(rest)[0].decode()]


def _first_text(content: bytes) -> tuple[bytes, bytes]:
    """A text with its length before it, and what follows."""
    (length,) = LENGTH.unpack_from(content) if content else (0,)
    return content[LENGTH.size : LENGTH.size + length], content[LENGTH.size + length :]


def _records(source: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Code and content of each record, up to the end of the file."""
    while len(head := source.read(RECORD.size)) == RECORD.size:
        code, length = RECORD.unpack(head)
        yield code, source.read(length)
