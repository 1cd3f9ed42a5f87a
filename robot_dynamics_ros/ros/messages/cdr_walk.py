"""Walks through a serialized message, field by field."""

from __future__ import annotations

from struct import Struct

# Bytes before the first field: the encoding and its options. Alignment counts from there.
HEADER_SIZE = 4
COUNT = Struct('=I')
DOUBLE_SIZE = 8


class CdrWalk:
    """Finds the fields of a message in plain CDR, in the byte order of this machine.

    Source: OMG DDSI-RTPS 2.5, section 10 (header); OMG CORBA 3.3, part 2, section 9.3 (alignment,
    strings, sequences).

    Attributes:
        mask: 255 for each byte of the header and of the fields that are kept, 0 for the others.
    """

    def __init__(self, data: bytes) -> None:
        """Stand before the first field.

        Raises:
            ValueError: data ends before a field that is to be kept, here and in each `keep`.
        """
        self._data = data
        self._at = 0
        self.mask = bytearray(len(data))
        self._keep(HEADER_SIZE)

    def keep_count(self) -> int:
        """The number of elements of a sequence, or of bytes of a string."""
        self._align(COUNT.size)
        start = self._at
        self._keep(COUNT.size)
        (count,) = COUNT.unpack_from(self._data, start)
        return int(count)

    def keep_text(self) -> None:
        """Walk over a string."""
        self._keep(self.keep_count())

    def skip(self, size: int) -> None:
        """Walk over this many bytes."""
        self._at += size

    def skip_doubles(self) -> slice:
        """Walk over a sequence of doubles, keep its count; the bytes of the values."""
        count = self.keep_count()
        if count:
            self._align(DOUBLE_SIZE)
        start = self._at
        self.skip(count * DOUBLE_SIZE)
        return slice(start, self._at)

    def _align(self, size: int) -> None:
        self._at += -(self._at - HEADER_SIZE) % size

    def _keep(self, size: int) -> None:
        end = self._at + size
        if end > len(self._data):
            raise ValueError(f'the message ends at byte {len(self._data)}, a field at {end}')
        self.mask[self._at : end] = b'\xff' * size
        self._at = end
