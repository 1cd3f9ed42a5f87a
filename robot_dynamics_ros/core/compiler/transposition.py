"""LLVM IR between rows in memory and columns in vector registers, of which each lane is a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence

# Adds an instruction, and returns the name of its value.
Instruction = Callable[[str], str]


def columns_of(value: Instruction, pieces: Sequence[str], width: int) -> list[str]:
    """The columns of pieces of rows.

    Args:
        value: see `Instruction`.
        pieces: `width` doubles of each row; as many rows as lanes, a power of two.
        width: a power of two, at most as many as lanes.
    """
    # Vector i holds the rows i, i + width, i + 2 width and so on, one after the other.
    joined = [_joined(value, pieces[i::width], width) for i in range(width)]
    return _exchanged(value, joined, len(pieces))


def pieces_of(value: Instruction, columns: Sequence[str], lanes: int) -> list[str]:
    """The pieces of rows that these columns are: `columns_of` the other way round."""
    width = len(columns)
    vectors = _exchanged(value, columns, lanes)
    if width == lanes:
        return vectors
    return [
        _shuffled(value, lanes, vectors[row % width], 'undef', range(first, first + width))
        for row in range(lanes)
        for first in [row - row % width]
    ]


def _joined(value: Instruction, pieces: Sequence[str], width: int) -> str:
    """Vectors of `width` doubles, one after the other in one vector."""
    while len(pieces) > 1:
        pairs = zip(pieces[::2], pieces[1::2], strict=True)
        pieces = [_shuffled(value, width, a, b, range(2 * width)) for a, b in pairs]
        width *= 2
    return pieces[0]


def _exchanged(value: Instruction, vectors: Sequence[str], lanes: int) -> list[str]:
    """Vectors in which the lowest bits of the lane and the number of the vector change places.

    With as many vectors as lanes this is a transposition; with fewer, one of each square.
    """
    vectors = list(vectors)
    bit = 1
    while bit < len(vectors):
        for i in range(len(vectors)):
            if not i & bit:
                low = [(k & ~bit) + (lanes if k & bit else 0) for k in range(lanes)]
                pair = vectors[i], vectors[i | bit]
                vectors[i] = _shuffled(value, lanes, *pair, low)
                vectors[i | bit] = _shuffled(value, lanes, *pair, [k + bit for k in low])
        bit *= 2
    return vectors


def _shuffled(
    value: Instruction, lanes: int, first: str, second: str, places: Sequence[int]
) -> str:
    """Entries of two vectors of `lanes` doubles; from `lanes` on those of the second."""
    mask = ', '.join(f'i32 {place}' for place in places)
    kind = f'<{lanes} x double>'
    return value(f'shufflevector {kind} {first}, {kind} {second}, <{len(places)} x i32> <{mask}>')
