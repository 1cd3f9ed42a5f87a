"""The plain-Python back end: always there, and the way to read what is computed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

from ..scalar import require_positive
from .expression import Expression
from .program import Program

FORMATS = {
    'neg': '-{}',
    'add': '{} + {}',
    'sub': '{} - {}',
    'mul': '{} * {}',
    'div': 'divide({}, {})',
    'sin': 'sin({})',
    'cos': 'cos({})',
    'sqrt': 'sqrt({})',
}


def python_source(program: Program) -> str:
    """Source of a function that takes a sequence per input and returns a flat list of floats.

    What is used once stands where it is used; the rest gets a name. The function raises
    SingularMassMatrixError where a condition does not hold.
    """
    steps = program.steps()
    uses = Counter(
        operand.index
        for step in steps
        for operand in step.operands
        if isinstance(operand, Expression)
    )
    uses.update(entry.index for entry in program.results if isinstance(entry, Expression))

    texts: dict[int, str] = {}
    lines = [f'def {program.name}({", ".join(program.inputs)}):']

    def text(operand: object) -> str:
        return texts[operand.index] if isinstance(operand, Expression) else repr(operand)

    for step in steps:
        if step.operation == 'input':
            vector, index = step.operands
            texts[step.index] = f'{vector}{index}'
            lines.append(f'    {vector}{index} = {vector}[{index}]')
            continue
        formula = FORMATS[step.operation].format(*map(text, step.operands))
        # Deep nesting overflows the parser, so long formulas get a name all the same.
        if uses[step.index] == 1 and len(formula) < 400:
            texts[step.index] = f'({formula})'
        else:
            texts[step.index] = f't{step.index}'
            lines.append(f'    t{step.index} = {formula}')
    for value, reason in program.conditions:
        lines.append(f'    require_positive(0.0, {text(value)}, {reason!r})')
    lines.append(f'    return [{", ".join(map(text, program.outputs))}]')
    return '\n'.join(lines) + '\n'


def compile_python(program: Program) -> Callable[..., list[float]]:
    """The function of `python_source`."""
    namespace: dict[str, Any] = {
        'sin': math.sin,
        'cos': math.cos,
        'sqrt': math.sqrt,
        'divide': divide,
        'require_positive': require_positive,
    }
    exec(compile(python_source(program), f'<{program.name}>', 'exec'), namespace)
    return namespace[program.name]


def divide(dividend: float, divisor: float) -> float:
    """As the processor does: by zero the result is infinite or NaN, and seen to be."""
    if divisor:
        return dividend / divisor
    return dividend * math.copysign(math.inf, divisor)
