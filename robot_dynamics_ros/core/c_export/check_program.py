"""The program that checks compiled code at recorded states."""

from __future__ import annotations

from .c_text import literal, table
from .export_mark import mark_check
from .exported_robot import (
    LARGEST_ERROR,
    Advance,
    ExportedQuantity,
    ExportedRobot,
    advance_nothing,
)
from .recorded_states import RecordedState, recorded_states

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
