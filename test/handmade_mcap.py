"""MCAP files made byte by byte: what recorders do not write, or not rightly.

Source: MCAP format specification.
"""

from struct import pack

MAGIC = b'\x89MCAP0\r\n'
KIND = 'sensor_msgs/msg/JointState'


def text(value):
    return pack('<I', len(value)) + value.encode()


def record(opcode, content):
    return pack('<BQ', opcode, len(content)) + content


def handmade(
    file,
    messages,
    *,
    chunked=True,
    listed=True,
    summary=True,
    claimed=None,
    moved=0,
    compression='',
    profile='ros2',
    encoding='cdr',
    beside=None,
):
    """Write a file with one topic; each argument makes it another one than a recorder's.

    Args:
        file: to write.
        messages: times [ns] and bytes.
        chunked: whether messages are in a chunk.
        listed: whether the chunk is in the index.
        summary: whether the footer says where the summary is.
        claimed: size of the chunk's records that it claims; None: the right one.
        moved: bytes that are added to each offset of the message index.
        compression: of the chunk, by its name alone.
        profile: of the writer.
        encoding: of the messages.
        beside: encoding of another channel, which is empty; None for no other.
    """
    head = MAGIC + record(0x01, text(profile) + text('by hand'))
    schema = record(0x03, pack('<H', 1) + text(KIND) + text('ros2msg') + text(''))
    topic = text('/joint_states') + text(encoding)
    channel = record(0x04, pack('<HH', 1, 1) + topic + pack('<I', 0))
    if beside:
        schema += record(0x03, pack('<H', 2) + text('Log') + text('jsonschema') + text('{}'))
        other = text('/log') + text(beside)
        channel += record(0x04, pack('<HH', 2, 2) + other + pack('<I', 0))
    content, entries = schema + channel, b''
    for time, data in messages:
        entries += pack('<QQ', time, len(content) + moved)
        content += record(0x05, pack('<HIQQ', 1, 0, time, time) + data)
    times = pack('<QQ', messages[0][0], messages[-1][0])
    body, index = content, b''
    if chunked:
        size = len(content) if claimed is None else claimed
        stored = pack('<Q', len(content)) + content
        chunk = record(0x06, times + pack('<QI', size, 0) + text(compression) + stored)
        offsets = record(0x07, pack('<HI', 1, len(entries)) + entries)
        entry = times + pack('<QQ', len(head), len(chunk))
        entry += pack('<IHQ', 10, 1, len(head) + len(chunk)) + pack('<Q', len(offsets))
        entry += text(compression) + pack('<QQ', len(content), size)
        body, index = chunk + offsets, record(0x08, entry)
    counts = pack('<QHIIII', len(messages), 1, 1, 0, 0, chunked) + times
    counts += pack('<IHQ', 10, 1, len(messages))
    body += record(0x0F, pack('<I', 0))
    start = len(head) + len(body) if summary else 0
    whole = schema + channel + (index if listed else b'') + record(0x0B, counts)
    file.write_bytes(head + body + whole + record(0x02, pack('<QQI', start, 0, 0)) + MAGIC)
    return file
