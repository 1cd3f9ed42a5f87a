"""Serializes joint states as any middleware may do it: either byte order, anything as padding."""

from struct import pack


class CdrWriter:
    """Plain CDR; alignment counts from after the header."""

    def __init__(self, order='<', padding=0):
        self.order = order
        self._padding = bytes([padding])
        self._data = b''

    def align(self, size):
        self._data += self._padding * (-len(self._data) % size)

    def number(self, kind, value):
        self.align(8 if kind == 'd' else 4)
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
        return bytes([0, self.order == '<', 0, 0]) + self._data


def serialized(message, order='<', padding=0):
    """The bytes of a JointState; `order` as the module struct writes it."""
    writer = CdrWriter(order, padding)
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
