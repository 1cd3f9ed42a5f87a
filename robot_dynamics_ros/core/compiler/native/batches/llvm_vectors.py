"""LLVM IR that computes with vectors of doubles: one sample of a batch in each lane."""

from __future__ import annotations

from collections.abc import Sequence

from ..llvm_ir import constant

# Of functions that run once in a block or less: without optimisation, they take a fifth of the
# time to compile, and no measurable time more to run.
SELDOM = 'noinline optnone'


class VectorCode:
    """Straight-line code with vectors of one number of lanes, a power of two.

    Attributes:
        lanes: doubles in a vector.
        kind: the type of a vector.
        bits: the type of as many integers of 64 bits.
        lines: the code so far.
    """

    def __init__(self, lanes: int) -> None:
        """Start without code."""
        self.lanes = lanes
        self.kind = f'<{lanes} x double>'
        self.bits = f'<{lanes} x i64>'
        self.lines: list[str] = []

    def value(self, formula: str) -> str:
        """The name of the value of an instruction."""
        name = f'%x{len(self.lines)}'
        self.lines.append(f'  {name} = {formula}')
        return name

    def do(self, *instructions: str) -> None:
        """Add instructions without a value."""
        self.lines += [f'  {instruction}' for instruction in instructions]

    def place(self, array: str, index: int | str, kind: str = 'double') -> str:
        """The address of an entry of an array."""
        if index == 0:
            return array
        return self.value(f'getelementptr {kind}, ptr {array}, i64 {index}')

    def load(self, array: str, index: int | str) -> str:
        """Vector `index` of an array of vectors."""
        return self.value(f'load {self.kind}, ptr {self.place(array, index, self.kind)}')

    def store(self, vector: str, array: str, index: int | str) -> None:
        """Write vector `index` of an array of vectors."""
        self.do(f'store {self.kind} {vector}, ptr {self.place(array, index, self.kind)}')

    def every(self, value: float) -> str:
        """The same constant in every lane."""
        return f'<{", ".join([f"double {constant(value)}"] * self.lanes)}>'

    def every_integer(self, value: int) -> str:
        """The same integer in every lane."""
        return f'<{", ".join([f"i64 {value}"] * self.lanes)}>'

    def fma(self, a: str, b: str, c: str) -> str:
        """Value a b + c, rounded once."""
        arguments = ', '.join(f'{self.kind} {operand}' for operand in (a, b, c))
        return self.value(f'call {self.kind} @llvm.fma.v{self.lanes}f64({arguments})')

    def magnitude(self, vector: str) -> str:
        """The absolute values."""
        return self.value(f'call {self.kind} @llvm.fabs.v{self.lanes}f64({self.kind} {vector})')

    def square_root(self, vector: str) -> str:
        """The square roots."""
        return self.value(f'call {self.kind} @llvm.sqrt.v{self.lanes}f64({self.kind} {vector})')

    def all_hold(self, comparison: str, vector: str, limit: float) -> str:
        """An i1: whether the comparison of LLVM's fcmp holds in every lane."""
        lanes = self.value(f'fcmp {comparison} {self.kind} {vector}, {self.every(limit)}')
        mask = self.value(f'bitcast <{self.lanes} x i1> {lanes} to i{self.lanes}')
        return self.value(f'icmp eq i{self.lanes} {mask}, -1')

    def shuffled(self, lanes: int, first: str, second: str, places: Sequence[int]) -> str:
        """Entries of two vectors of `lanes` doubles; from `lanes` on those of the second."""
        mask = ', '.join(f'i32 {place}' for place in places)
        kind = f'<{lanes} x double>'
        return self.value(
            f'shufflevector {kind} {first}, {kind} {second}, <{len(places)} x i32> <{mask}>'
        )


def declarations(lanes: int) -> list[str]:
    """The intrinsics that `VectorCode` uses."""
    kind = f'<{lanes} x double>'
    return [
        f'declare {kind} @llvm.fma.v{lanes}f64({kind}, {kind}, {kind})',
        f'declare {kind} @llvm.fabs.v{lanes}f64({kind})',
        f'declare {kind} @llvm.sqrt.v{lanes}f64({kind})',
    ]


def attributes(lanes: int) -> str:
    """Attributes #0: of functions that compute with vectors."""
    return (
        'attributes #0 = { nounwind alignstack=64 '
        f'"prefer-vector-width"="{64 * lanes}" "min-legal-vector-width"="{64 * lanes}" }}'
    )
