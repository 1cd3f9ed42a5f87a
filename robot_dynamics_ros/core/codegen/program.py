"""A straight-line program: an algorithm, specialised to one robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..scalar import Scalar
from .expression import Expression, ExpressionGraph


@dataclass(frozen=True)
class Program:
    """What to compute, with no branch and no loop left.

    Attributes:
        name: of the quantity.
        inputs: size of each input vector by its name, in the order of the arguments.
        shape: of the output.
        outputs: its entries, row-major: expressions of the inputs, and floats.
    """

    name: str
    inputs: Mapping[str, int]
    shape: tuple[int, ...]
    outputs: tuple[Scalar, ...]

    def steps(self) -> Iterator[Expression]:
        """The expressions that the outputs need, operands first."""
        needed: dict[int, Expression] = {}
        pending = [entry for entry in self.outputs if isinstance(entry, Expression)]
        while pending:
            expression = pending.pop()
            if expression.index not in needed:
                needed[expression.index] = expression
                pending += [x for x in expression.operands if isinstance(x, Expression)]
        yield from (needed[index] for index in sorted(needed))


def trace(name: str, algorithm: Callable[..., object], inputs: Mapping[str, int]) -> Program:
    """Run an algorithm on expressions and keep what it recorded.

    Args:
        name: of the quantity.
        algorithm: takes one sequence of scalars per input, returns nested lists of scalars.
        inputs: size of each input vector by its name, in the order of the arguments.
    """
    graph = ExpressionGraph()
    vectors = [graph.input_vector(vector, size) for vector, size in inputs.items()]
    result = np.array(algorithm(*vectors), dtype=object)
    graph.close()
    return Program(name, dict(inputs), result.shape, tuple(result.ravel()))
