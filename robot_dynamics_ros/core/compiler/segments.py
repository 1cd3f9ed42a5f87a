"""A program cut into segments, and the places in memory by which they hand over values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..scalar import Scalar
from .expression import Expression
from .program import Program, needed_for

# Actions of a segment; half as many and twice as many are as good.
SEGMENT = 1000

# As so many actions counts an entry that is stored together with others.
TRANSPOSED = 4

SINES = ('sin', 'cos')


@dataclass(frozen=True)
class Check:
    """Stop with that number unless the value is positive."""

    number: int
    value: Scalar


@dataclass(frozen=True)
class Store:
    """Write values into the result, from entry `start` on."""

    start: int
    values: tuple[Scalar, ...]


# An expression is an action too: compute it.
Action = Expression | Check | Store


def angles_of(program: Program) -> list[Expression]:
    """The angles whose sine or cosine the program needs, each once.

    Raises:
        NotImplementedError: an angle depends on a sine.
    """
    sines = [step for step in program.steps() if step.operation in SINES]
    angles = {step.operands[0].index: step.operands[0] for step in sines}
    if any(step.operation in SINES for step in needed_for(angles.values())):
        raise NotImplementedError(f'{program.name}: native code takes no sine of a sine')
    return list(angles.values())


def cut(program: Program, most_stored: int = 1) -> list[list[Action]]:
    """The actions of a program, in segments; inputs, sines and cosines are there before.

    Nothing is stored before every condition is checked.

    Args:
        program: to cut.
        most_stored: entries of the result that one action stores at most.
    """
    segments: list[list[Action]] = []
    room = 0
    stored = 1 if most_stored == 1 else TRANSPOSED
    for action in _actions(program, most_stored):
        if room <= 0:
            segments.append([])
            room = SEGMENT
        segments[-1].append(action)
        room -= stored * len(action.values) if isinstance(action, Store) else 1
    return segments


def pieces(count: int, most: int) -> Iterator[range]:
    """The numbers below `count`, cut into pieces of 1, 2, 4 ... at most `most`, a power of two."""
    start = 0
    while start < count:
        size = most
        while start + size > count:
            size //= 2
        yield range(start, start + size)
        start += size


def _actions(program: Program, most_stored: int) -> Iterator[Action]:
    checks, stores = defaultdict(list), defaultdict(list)
    for number, (value, _) in enumerate(program.conditions, start=1):
        checks[_place(value)].append(Check(number, value))
    last = max(checks, default=-1)
    for piece in pieces(len(program.outputs), most_stored):
        values = program.outputs[piece.start : piece.stop]
        stores[max(last, *map(_place, values))].append(Store(piece.start, values))
    for place, step in [(-1, None), *((step.index, step) for step in program.steps())]:
        if step is not None and step.operation not in ('input', *SINES):
            yield step
        yield from checks[place]
        yield from stores[place]


def _place(value: Scalar) -> int:
    """Index of the step after which a value is known; -1 for a constant."""
    return value.index if isinstance(value, Expression) else -1


def operands_of(action: Action) -> list[Expression]:
    """The expressions that an action reads."""
    if isinstance(action, Expression):
        operands = action.operands
    else:
        operands = action.values if isinstance(action, Store) else (action.value,)
    return [operand for operand in operands if isinstance(operand, Expression)]


def slots_of(segments: Sequence[Sequence[Action]], first: int) -> tuple[dict[int, int], int]:
    """Where in the scratch memory a result lies that a later segment reads.

    Args:
        segments: of the program.
        first: slot that is free.

    Returns:
        The slot of each such expression by its index, and the number of slots, those before
        `first` included. A slot is used again after the last segment that reads it.
    """
    computed: dict[int, int] = {}
    last_read: dict[int, int] = {}
    for number, segment in enumerate(segments):
        for action in segment:
            for operand in operands_of(action):
                if computed.get(operand.index, number) != number:
                    last_read[operand.index] = number
            if isinstance(action, Expression):
                computed[action.index] = number
    slots: dict[int, int] = {}
    free: list[int] = []
    size = first
    for number in range(len(segments)):
        # Read for the last time in the segment before.
        free += [slots[index] for index, last in last_read.items() if last == number - 1]
        for index in (index for index in last_read if computed[index] == number):
            if not free:
                free.append(size)
                size += 1
            slots[index] = free.pop()
    return slots, size
