"""A program computed step by step, with any scalars: slow, and in the order in which it stands."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..scalar import Scalar, cos, sin, sqrt
from .expression import Expression
from .program import Program

OPERATIONS: Mapping[str, Callable[..., Any]] = {
    'neg': operator.neg,
    'add': operator.add,
    'sub': operator.sub,
    'mul': operator.mul,
    'div': operator.truediv,
    'sin': sin,
    'cos': cos,
    'sqrt': sqrt,
}


def evaluate(
    program: Program, inputs: Mapping[str, Sequence[Scalar]]
) -> tuple[list[Scalar], list[Scalar]]:
    """What a program computes.

    Args:
        program: to compute.
        inputs: the entries of each input vector by its name.

    Returns:
        The entries of the result, row-major, and the values that must be positive for there to be
        one. Those that are constant are floats.
    """
    values: dict[int, Scalar] = {}

    def value(operand: Scalar) -> Scalar:
        return values[operand.index] if isinstance(operand, Expression) else operand

    for step in program.steps():
        if step.operation == 'input':
            vector, index = step.operands
            values[step.index] = inputs[vector][index]
        else:
            values[step.index] = OPERATIONS[step.operation](*map(value, step.operands))
    conditions = [value(condition) for condition, _ in program.conditions]
    return [value(output) for output in program.outputs], conditions
