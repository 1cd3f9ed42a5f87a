"""The program that checks compiled code at recorded states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..compiler.program import Program, evaluate
from ..model.gravity import STANDARD_GRAVITY
from ..model.robot import RobotModel
from ..model.sampling import random_states
from .c_text import literal, table
from .exported_robot import (
    LARGEST_ERROR,
    Advance,
    ExportedQuantity,
    ExportedRobot,
    advance_nothing,
)
from .identifiers import mark_check

COUNT = 3
# Inertial parameters, of which each state takes a multiple.
BOX = (1.5, 0.03, -0.02, 0.15, 0.02, 0.001, 0.025, 0.002, 0.001, 0.015)
# Behind the name of a quantity: what is exported ends with such a name, or with that of a table.
CHECK = '_check'
HEAD = """\
/* Checks {package} as it was compiled: at recorded states its results may differ by {error:g} of
 * the largest entry. Ends with status 0 if they do not, with 1 and a line for each that does. */
#include <stddef.h>
#include <stdio.h>

#include <{package}/{package}.h>

{check}
/* Returns whether a result differs; says so. */
static int differs(const char *name, int state, int wanted, int returned, const double *expected,
                   const double *result, size_t size)
{{
    double largest = 0.0;
    size_t i;
    if (returned != wanted) {{
        fprintf(stderr, "%s, state %d: returned %d, not %d\\n", name, state, returned, wanted);
        return 1;
    }}
    for (i = 0; i < size; ++i) {{
        const double entry = expected[i] < 0.0 ? -expected[i] : expected[i];
        if (entry > largest) {{
            largest = entry;
        }}
    }}
    for (i = 0; i < size; ++i) {{
        const double error = result[i] - expected[i];
        /* Not true of a NaN. */
        if (!(error <= {bound} * largest && error >= -{bound} * largest)) {{
            fprintf(stderr, "%s, state %d: entry %lu is off by %g of %g\\n", name, state,
                    (unsigned long)i, error, largest);
            return 1;
        }}
    }}
    return 0;
}}

"""
MAIN = """\
int main(void)
{{
    int failed = 0;
{calls}
    printf("{package}: %s\\n", failed ? "FAILED" : "all results as recorded");
    return failed ? 1 : 0;
}}
"""


def check_program(robot: ExportedRobot, advance: Advance = advance_nothing) -> str:
    """Text of `check.c`, C99 with a standard library.

    Args:
        robot: what is exported.
        advance: is called with 1 after each quantity.
    """
    names = robot.names
    head = HEAD.format(
        package=names.package, error=LARGEST_ERROR, bound=literal(LARGEST_ERROR),
        check=mark_check(names),
    )  # fmt: skip
    parts = []
    for quantity in robot.quantities:
        parts.append(_quantity(robot, quantity))
        advance(1)
    calls = '\n'.join(
        f'    failed += {quantity.program.name}{CHECK}();' for quantity in robot.quantities
    )
    return head + '\n'.join([*parts, MAIN.format(calls=calls, package=names.package)])


def _quantity(robot: ExportedRobot, quantity: ExportedQuantity) -> str:
    """The function that checks one quantity."""
    program = quantity.program
    size = len(program.outputs)
    lines = [
        f'static int {program.name}{CHECK}(void)',
        '{',
        f'    double result[{size}];',
        '    int failed = 0, returned;',
    ]
    for number, state in enumerate(recorded_states(robot.model, program)):
        lines += _state(robot, quantity, number, state)
    return '\n'.join([*lines, '    return failed;', '}', ''])


def _state(
    robot: ExportedRobot, quantity: ExportedQuantity, number: int, state: RecordedState
) -> list[str]:
    program = quantity.program
    arrays = dict(zip(program.inputs, state.inputs, strict=True))
    if not state.outcome:
        arrays['expected'] = state.result
    tables = '\n'.join(
        table(f'static const double {name}[{len(values)}]', map(literal, values))
        for name, values in arrays.items()
    )
    arguments = ', '.join([*program.inputs, 'result'])
    expected, size = ('result', 0) if state.outcome else ('expected', len(program.outputs))
    lines = [
        '{',
        *(f'    {line}' for line in tables.splitlines()),
        f'    returned = {robot.names.prefix}_{program.name}({arguments});',
        f'    failed += differs("{program.name}", {number}, {state.outcome}, returned,',
        f'                      {expected}, result, {size});',
        '}',
    ]
    return [f'    {line}' for line in lines]


@dataclass(frozen=True)
class RecordedState:
    """What a program is given, and what it gives.

    Attributes:
        inputs: values of each input, in the order of the program.
        outcome: 0, or the number of the condition that does not hold.
        result: entries of the output, row-major; empty if a condition does not hold.
    """

    inputs: tuple[tuple[float, ...], ...]
    outcome: int
    result: tuple[float, ...]


def recorded_states(model: RobotModel, program: Program) -> list[RecordedState]:
    """Some states of a robot, the same in each export.

    They are evaluated step by step, in the order of the C code, and not in native code, whose
    last digit depends on the processor.
    """
    return [
        evaluated(program, {name: draw[name][:size] for name, size in program.inputs.items()})
        for draw in _draws(model, program)
    ]


def _draws(model: RobotModel, program: Program) -> list[dict[str, tuple[float, ...]]]:
    """Values for every input; a base that stands upright, then one that does not."""
    generator = np.random.default_rng(0)
    draws = []
    for number, state in enumerate(random_states(model, COUNT)):
        draw = {
            name: tuple(generator.uniform(-1.0, 1.0, size).tolist())
            for name, size in program.inputs.items()
        }
        tilted = tuple(generator.uniform(-9.81, 9.81, 3).tolist())
        draw |= {'gravity': tilted if number else STANDARD_GRAVITY}
        # Of a small box: with other numbers there is no body, and forward dynamics refuses it.
        draw |= {'payload': tuple(number * value for value in BOX)}
        draw |= {name: tuple(getattr(state, name).tolist()) for name in ('q', 'v', 'a')}
        draws.append(draw)
    return draws


def evaluated(program: Program, inputs: dict[str, tuple[float, ...]]) -> RecordedState:
    """The state with the results of a program there.

    Args:
        program: to evaluate.
        inputs: values of each input, by name.
    """
    result, conditions = evaluate(program, inputs)
    given = tuple(inputs[name] for name in program.inputs)
    for number, condition in enumerate(conditions, start=1):
        if not condition > 0.0:
            return RecordedState(given, number, ())
    return RecordedState(given, 0, tuple(map(float, result)))
