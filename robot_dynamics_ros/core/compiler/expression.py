"""Expressions: scalars that record what is computed with them.

Constants stay plain floats, so that everything known when the program is written folds away:
`0.0 * x` is 0.0, `1.0 * x` is x, `x + 0.0` is x. Equal expressions of one graph are one object
(hash-consing), so that what is computed twice is recorded once.
"""

from __future__ import annotations

from functools import singledispatch
from numbers import Real
from typing import Any

from ..scalar import Scalar, cos, require_positive, sin, sqrt

# `float` first: the isinstance check of an abstract class is ten times slower.
CONSTANT = (float, Real)


class ExpressionGraph:
    """The expressions of one program, in the order in which they can be computed.

    Attributes:
        conditions: values that must be positive, each with the reason why the program has no
            result otherwise.
    """

    def __init__(self) -> None:
        """Start without expressions."""
        self._nodes: dict[tuple[Any, ...], Expression] = {}
        self.conditions: list[tuple[Scalar, str]] = []

    def input_vector(self, name: str, size: int) -> list[Expression]:
        """The entries of a vector that the program is given."""
        return [self.node('input', name, index) for index in range(size)]

    def node(self, operation: str, *operands: Any) -> Expression:
        """The expression of an operation, which is made only if the graph has none.

        Args:
            operation: see `Expression`.
            operands: expressions of this graph and floats; of an input the name of its vector and
                its index there.
        """
        key = (operation, *operands)
        found = self._nodes.get(key)
        if found is None:
            found = Expression(self, len(self._nodes), operation, operands)
            self._nodes[key] = found
        return found

    def close(self) -> None:
        """End recording: an expression then lives only as long as something refers to it."""
        self._nodes.clear()


class Expression:
    """A node of an `ExpressionGraph`, which can be computed with like a float.

    Operands are expressions of the same graph and real numbers. With anything else an operator
    returns `NotImplemented`, so that the other operand is asked: a `Dual` or an array of
    expressions can stand on either side.

    Attributes:
        graph: to which it belongs.
        index: order of creation; operands have smaller ones.
        operation: input, neg, add, sub, mul, div, sin, cos, sqrt or nearest.
        operands: expressions and floats; of an input the name of its vector and its index there.
    """

    __slots__ = ('graph', 'index', 'operands', 'operation')

    def __init__(
        self, graph: ExpressionGraph, index: int, operation: str, operands: tuple[Any, ...]
    ) -> None:
        """Called by `ExpressionGraph.node` alone."""
        self.graph = graph
        self.index = index
        self.operation = operation
        self.operands = operands

    def __neg__(self) -> Scalar:
        if self.operation == 'neg':
            return self.operands[0]
        if self.operation == 'sub':
            return self.graph.node('sub', self.operands[1], self.operands[0])
        return self.graph.node('neg', self)

    def __add__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Expression):
            if not isinstance(other, CONSTANT):
                return NotImplemented
            return self if other == 0.0 else self.graph.node('add', self, float(other))
        if other.operation == 'neg':
            return self - other.operands[0]
        if self.operation == 'neg':
            return other - self.operands[0]
        # One order for both a + b and b + a, so that they are one node.
        first, second = (self, other) if self.index <= other.index else (other, self)
        return self.graph.node('add', first, second)

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Expression):
            return self + -other if isinstance(other, CONSTANT) else NotImplemented
        if other is self:
            return 0.0
        if other.operation == 'neg':
            return self + other.operands[0]
        if self.operation == 'neg':
            return -(self.operands[0] + other)
        return self.graph.node('sub', self, other)

    def __rsub__(self, other: Scalar) -> Scalar:
        if not isinstance(other, CONSTANT):
            return NotImplemented
        return -self if other == 0.0 else self.graph.node('sub', float(other), self)

    def __mul__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Expression):
            return (
                self._times_constant(float(other))
                if isinstance(other, CONSTANT)
                else NotImplemented
            )
        if self.operation == 'neg':
            return -(self.operands[0] * other)
        if other.operation == 'neg':
            return -(self * other.operands[0])
        first, second = (self, other) if self.index <= other.index else (other, self)
        return self.graph.node('mul', first, second)

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Expression):
            return (
                self._times_constant(1.0 / float(other))
                if isinstance(other, CONSTANT)
                else NotImplemented
            )
        if other is self:
            return 1.0
        if self.operation == 'neg':
            return -(self.operands[0] / other)
        if other.operation == 'neg':
            return -(self / other.operands[0])
        return self.graph.node('div', self, other)

    def __rtruediv__(self, other: Scalar) -> Scalar:
        if not isinstance(other, CONSTANT):
            return NotImplemented
        return 0.0 if other == 0.0 else self.graph.node('div', float(other), self)

    def _times_constant(self, factor: float) -> Scalar:
        if factor == 0.0:
            return 0.0
        if factor == 1.0:
            return self
        if factor < 0.0:
            return -(self * -factor)
        if self.operation == 'neg':
            return -(self.operands[0] * factor)
        if self.operation == 'mul' and isinstance(self.operands[1], float):
            return self.operands[0] * (self.operands[1] * factor)
        return self.graph.node('mul', self, factor)


@sin.register
def _(angle: Expression) -> Expression:
    return angle.graph.node('sin', angle)


@cos.register
def _(angle: Expression) -> Expression:
    return angle.graph.node('cos', angle)


@sqrt.register
def _(square: Expression) -> Expression:
    return square.graph.node('sqrt', square)


@require_positive.register
def _(kind: Expression, value: Scalar, reason: str) -> None:
    kind.graph.conditions.append((value, reason))


@singledispatch
def nearest(number: Scalar) -> Scalar:
    """The nearest whole number; of two the even one."""
    return float(round(number))


@nearest.register
def _(number: Expression) -> Expression:
    return number.graph.node('nearest', number)
