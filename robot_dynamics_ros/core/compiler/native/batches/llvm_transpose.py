"""LLVM IR between rows in memory, one for each sample, and columns in vector registers."""

from __future__ import annotations

from collections.abc import Sequence

from ..llvm_ir import constant
from .llvm_vectors import VectorCode

# Doubles in a line of the caches.
LINE = 8


def rows_at(code: VectorCode, first: str, offsets: str) -> list[str]:
    """The address of each row, from that of the first and the offsets in memory [bytes]."""
    rows = [first]
    for lane in range(1, code.lanes):
        offset = code.value(f'load i64, ptr {code.place(offsets, lane, "i64")}')
        rows.append(code.place(first, offset, 'i8'))
    return rows


def columns_of(code: VectorCode, rows: Sequence[str], piece: range) -> list[str]:
    """The columns of a piece of the rows at these addresses: vectors with one row in each lane."""
    width = len(piece)
    pieces = [
        code.value(f'load <{width} x double>, ptr {code.place(row, piece.start)}, align 8')
        for row in rows
    ]
    # Vector i holds the rows i, i + width, i + 2 width and so on, one after the other.
    joined = [_joined(code, pieces[i::width], width) for i in range(width)]
    return _exchanged(code, joined)


def fetch(code: VectorCode, rows: Sequence[str], entries: int) -> None:
    """Fetch rows of so many entries into the second cache."""
    for row in rows:
        for start in range(0, entries, LINE):
            address = code.place(row, start)
            code.do(f'call void @llvm.prefetch.p0(ptr {address}, i32 0, i32 2, i32 1)')


def write_rows(code: VectorCode, columns: Sequence[str], rows: Sequence[str], start: int) -> None:
    """Store 1, 2, 4 ... columns into the rows at these addresses.

    Args:
        code: to add to.
        columns: vectors with one lane for each row.
        rows: address of each row.
        start: first of the columns in a row.
    """
    width = len(columns)
    for i, vector in enumerate(_exchanged(code, columns)):
        for first in range(0, code.lanes, width):
            piece = vector
            if width < code.lanes:
                piece = code.shuffled(code.lanes, vector, 'undef', range(first, first + width))
            address = code.place(rows[first + i], start)
            code.do(f'store <{width} x double> {piece}, ptr {address}, align 8')


def write_constants(code: VectorCode, values: Sequence[float], row: str, start: int) -> None:
    """Store values into the row at this address, from entry `start` on."""
    literal = ', '.join(f'double {constant(value)}' for value in values)
    kind = f'<{len(values)} x double>'
    code.do(f'store {kind} <{literal}>, ptr {code.place(row, start)}, align 8')


def _joined(code: VectorCode, pieces: list[str], width: int) -> str:
    """Vectors of `width` doubles, one after the other in one vector."""
    while len(pieces) > 1:
        pairs = zip(pieces[::2], pieces[1::2], strict=True)
        pieces = [code.shuffled(width, a, b, range(2 * width)) for a, b in pairs]
        width *= 2
    return pieces[0]


def _exchanged(code: VectorCode, vectors: Sequence[str]) -> list[str]:
    """Vectors in which the lowest bits of the lane and the number of the vector change places.

    With as many vectors as lanes this is a transposition; with fewer, one of each square.
    """
    vectors, lanes = list(vectors), code.lanes
    bit = 1
    while bit < len(vectors):
        for i in range(len(vectors)):
            if not i & bit:
                low = [(k & ~bit) + (lanes if k & bit else 0) for k in range(lanes)]
                pair = vectors[i], vectors[i | bit]
                vectors[i] = code.shuffled(lanes, *pair, low)
                vectors[i | bit] = code.shuffled(lanes, *pair, [k + bit for k in low])
        bit *= 2
    return vectors
