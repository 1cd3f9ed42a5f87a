"""A traced program computed with any scalars: the shortest form of an algorithm for one robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..codegen.expression import Expression
from ..codegen.program import Program
from ..scalar import Scalar, cos, sin


def replay(program: Program, inputs: Mapping[str, Sequence[Scalar]]) -> list[Scalar]:
    """The entries of the result, row-major; those that are constant are floats.

    The conditions of the program are not checked: where the mass matrix is singular, the result is
    not finite, or rounding noise.

    Args:
        program: to compute.
        inputs: the entries of each input vector by its name.
    """
    values: dict[int, Scalar] = {}

    def value(operand: Scalar) -> Scalar:
        return values[operand.index] if isinstance(operand, Expression) else operand

    for step in program.steps():
        if step.operation == 'input':
            vector, index = step.operands
            values[step.index] = inputs[vector][index]
        else:
            values[step.index] = _computed(step.operation, *map(value, step.operands))
    return [value(output) for output in program.outputs]


def _computed(operation: str, a: Scalar, b: Scalar = 0.0) -> Scalar:
    match operation:
        case 'neg':
            return -a
        case 'add':
            return a + b
        case 'sub':
            return a - b
        case 'mul':
            return a * b
        case 'div':
            return a / b
        case 'sin':
            return sin(a)
    return cos(a)
