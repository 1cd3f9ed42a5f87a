"""MCAP files made byte by byte: what recorders do not write, or not rightly.

Source: MCAP format specification.
"""

from dataclasses import dataclass, field
from struct import pack

MAGIC = b'\x89MCAP0\r\n'
KIND = 'sensor_msgs/msg/JointState'


def text(value):
    return pack('<I', len(value)) + value.encode()


def record(opcode, content):
    return pack('<BQ', opcode, len(content)) + content


@dataclass
class Handmade:
    """One topic; each attribute that is set makes the file another one than a recorder's.

    Attributes:
        messages: times [ns] and bytes.
        compress: of the records of a chunk.
        compression: its name.
        chunked: whether messages are in a chunk.
        claimed: size of the chunk's records that it claims; None: the right one.
        moved: bytes that are added to each offset of the message index.
        listed: whether the chunk is in the index.
        counted: whether there are statistics.
        summary: whether the footer says where the summary is.
        other: bytes of a message on another topic, after the first one.
    """

    messages: list
    topic: str = '/joint_states'
    compress: object = bytes
    compression: str = ''
    chunked: bool = True
    claimed: int | None = None
    moved: int = 0
    listed: bool = True
    counted: bool = True
    summary: bool = True
    other: bytes = b''
    _offsets: list = field(default_factory=list)

    def write(self, file):
        """The file."""
        head = MAGIC + record(0x01, text('ros2') + text('by hand'))
        schema = record(0x03, pack('<H', 1) + text(KIND) + text('ros2msg') + text(''))
        channel = record(0x04, pack('<HH', 1, 1) + text(self.topic) + text('cdr') + pack('<I', 0))
        if self.other:
            named = pack('<HH', 2, 1) + text('/other') + text('cdr') + pack('<I', 0)
            channel += record(0x04, named)
        content = schema + channel
        for time, data in self.messages:
            self._offsets.append((time, len(content) + self.moved))
            content += record(0x05, pack('<HIQQ', 1, 0, time, time) + data)
            if self.other and len(self._offsets) == 1:
                content += record(0x05, pack('<HIQQ', 2, 0, time, time) + self.other)
        body, index = self._chunk(content, len(head)) if self.chunked else (content, b'')
        times = [time for time, _ in self.messages] or [0]
        numbers = (len(self.messages), 1, 1, 0, 0, self.chunked, times[0], times[-1])
        counts = pack('<QHIIIIQQ', *numbers) + pack('<IHQ', 10, 1, len(self.messages))
        summary = schema + channel + (index if self.listed else b'')
        summary += record(0x0B, counts) if self.counted else b''
        body += record(0x0F, pack('<I', 0))
        start = len(head) + len(body) if self.summary else 0
        footer = record(0x02, pack('<QQI', start, 0, 0))
        file.write_bytes(head + body + summary + footer + MAGIC)
        return file

    def _chunk(self, content, start):
        """A chunk with its message index, and its entry in the index of chunks."""
        size = len(content) if self.claimed is None else self.claimed
        times = [time for time, _ in self.messages] or [0]
        data = self.compress(content)
        chunk = record(
            0x06,
            pack('<QQQI', times[0], times[-1], size, 0)
            + text(self.compression)
            + pack('<Q', len(data))
            + data,
        )
        entries = b''.join(pack('<QQ', time, offset) for time, offset in self._offsets)
        index = record(0x07, pack('<HI', 1, len(entries)) + entries)
        place = start + len(chunk)
        entry = pack('<QQQQ', times[0], times[-1], start, len(chunk))
        entry += pack('<IHQ', 10, 1, place) + pack('<Q', len(index)) + text(self.compression)
        return chunk + index, record(0x08, entry + pack('<QQ', len(data), size))
