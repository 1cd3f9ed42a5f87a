"""A straight-line program: an algorithm, specialised to one robot."""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from ..errors import ModelError
from ..scalar import Scalar, cos, sin, sqrt
from .expression import Expression, ExpressionGraph, nearest

OPERATIONS: Mapping[str, Callable[..., Any]] = {
    'neg': operator.neg,
    'add': operator.add,
    'sub': operator.sub,
    'mul': operator.mul,
    'div': operator.truediv,
    'sin': sin,
    'cos': cos,
    'sqrt': sqrt,
    'nearest': nearest,
}


@dataclass(frozen=True)
class Program:
    """What to compute, with no branch and no loop left.

    Attributes:
        name: of the quantity.
        inputs: size of each input vector by its name, in the order of the arguments.
        shape: of the output.
        outputs: its entries, row-major: expressions of the inputs, and floats.
        conditions: expressions or floats that must be positive for there to be a result, each
            with the text of the refusal.
    """

    name: str
    inputs: Mapping[str, int]
    shape: tuple[int, ...]
    outputs: tuple[Scalar, ...]
    conditions: tuple[tuple[Scalar, str], ...] = ()
    _steps: list[Expression] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._steps.extend(needed_for(self.results))

    def steps(self) -> Sequence[Expression]:
        """The expressions that outputs and conditions need, operands first."""
        return self._steps

    @property
    def results(self) -> list[Scalar]:
        """What is known when all is computed: outputs, and values of the conditions."""
        return [*self.outputs, *(value for value, _ in self.conditions)]

    def constants(self) -> Iterator[float]:
        """The numbers of the robot in its expressions, outputs and conditions."""
        steps = (step.operands for step in self.steps() if step.operation != 'input')
        for operand in chain(self.results, *steps):
            if not isinstance(operand, Expression):
                yield operand


def needed_for(results: Iterable[Scalar], known: Collection[str] = ()) -> list[Expression]:
    """The expressions among some scalars, and all that these need, operands first.

    Args:
        results: expressions and floats.
        known: operations whose results are there, so that they need nothing.
    """
    needed: dict[int, Expression] = {}
    pending = [entry for entry in results if isinstance(entry, Expression)]
    while pending:
        expression = pending.pop()
        if expression.index not in needed:
            needed[expression.index] = expression
            if expression.operation not in known:
                pending += [x for x in expression.operands if isinstance(x, Expression)]
    return [needed[index] for index in sorted(needed)]


def trace(name: str, algorithm: Callable[..., object], inputs: Mapping[str, int]) -> Program:
    """Run an algorithm on expressions and keep what it recorded.

    Args:
        name: of the quantity.
        algorithm: takes one sequence of scalars per input, returns nested lists of scalars.
        inputs: size of each input vector by its name, in the order of the arguments.

    Returns:
        The program; it refuses what the algorithm asks of `require_positive`.

    Raises:
        ModelError: a constant of the program overflows.
    """
    graph = ExpressionGraph()
    vectors = [graph.input_vector(vector, size) for vector, size in inputs.items()]
    result = np.array(algorithm(*vectors), dtype=object)
    graph.close()
    conditions = tuple(graph.conditions)
    program = Program(name, dict(inputs), result.shape, tuple(result.ravel()), conditions)
    if not all(map(math.isfinite, program.constants())):
        raise ModelError(
            f'{name}: products of masses, inertias and lengths of this robot are above '
            f'{sys.float_info.max:.1e}, the largest number: look for a wrong unit in its URDF'
        )
    return program


def evaluate(
    program: Program,
    inputs: Mapping[str, Sequence[Scalar]],
    operations: Mapping[str, Callable[..., Any]] = OPERATIONS,
) -> tuple[list[Scalar], list[Scalar]]:
    """What a program computes, step by step with any scalars: slow, and in that order.

    Args:
        program: to compute.
        inputs: the entries of each input vector by its name.
        operations: what computes each operation; a division of floats by zero raises
            ZeroDivisionError.

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
            values[step.index] = operations[step.operation](*map(value, step.operands))
    conditions = [value(condition) for condition, _ in program.conditions]
    return [value(output) for output in program.outputs], conditions
