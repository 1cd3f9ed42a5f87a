"""Serializes joint states as any middleware may do it: either byte order, anything as padding."""

from struct import pack


class CdrWriter:
    """Plain CDR; alignment counts from after the header. Version 2 aligns doubles to 4 bytes."""

    def __init__(self, order='<', padding=0, version=1):
        self.order = order
        self._version = version
        self._padding = bytes([padding])
        self._data = b''

    def align(self, size):
        self._data += self._padding * (-len(self._data) % size)

    def number(self, kind, value):
        self.align(8 if kind == 'd' and self._version == 1 else 4)
        self._data += pack(self.order + kind, value)

    def text(self, text):
        data = text.encode() + b'\0'
        self.number('I', len(data))
        self._data += data

    def doubles(self, values):
        self.number('I', len(values))
        for value in values:
            self.number('d', value)

    def message(self):
        encoding = {1: 0, 2: 6}[self._version] + (self.order == '<')
        return bytes([0, encoding, 0, 0]) + self._data


def serialized(message, order='<', padding=0, version=1):
    """The bytes of a JointState; `order` as the module struct writes it."""
    writer = CdrWriter(order, padding, version)
    stamp = message.header.stamp
    writer.number('i', stamp.sec)
    writer.number('I', stamp.nanosec)
    writer.text(message.header.frame_id)
    writer.number('I', len(message.name))
    for name in message.name:
        writer.text(name)
    for values in (message.position, message.velocity, message.effort):
        writer.doubles(values)
    return writer.message()
