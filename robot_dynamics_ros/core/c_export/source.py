"""The source file of an export."""

from __future__ import annotations

from ..model.gravity import STANDARD_GRAVITY
from .c_text import limit, literal, string, table
from .exported_robot import Advance, ExportedRobot, advance_nothing
from .identifiers import mark_check
from .program_code import program_code
from .sine_code import sine_code

TEXT = """\
/* See {package}.h. */
#include <{package}/{package}.h>

{check}
{includes}
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "compile without -ffast-math and -ffinite-math-only: NaN must stay visible"
#endif

/* Arrays that are not one another's part. */
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#define {macro}_RESTRICT restrict
#elif defined(__GNUC__) || defined(_MSC_VER)
#define {macro}_RESTRICT __restrict
#else
#define {macro}_RESTRICT
#endif

"""


def source(robot: ExportedRobot, advance: Advance = advance_nothing) -> str:
    """Text of `<package>.c`, which C99 and C++17 compilers take.

    Args:
        robot: what is exported.
        advance: is called with 1 after each quantity.
    """
    names = robot.names
    codes = []
    for quantity in robot.quantities:
        codes.append(program_code(quantity.program, names))
        advance(1)
    sines = any(code.takes_angles for code in codes)
    included = '<stdint.h>' if robot.own_sincos else '<math.h>'
    head = TEXT.format(
        package=names.package,
        macro=names.macro,
        check=mark_check(names),
        includes=f'#include {included}\n' if sines else '',
    )
    parts = [*_tables(robot)]
    if sines:
        parts.append(sine_code(names, own=robot.own_sincos))
    for code in codes:
        stack = f'/* Scratch memory on the stack: {code.stack} bytes. */\n'
        parts.append(f'{stack if code.stack else ""}{code.text}\n')
    return head + '\n'.join(parts)


def _tables(robot: ExportedRobot) -> list[str]:
    prefix, size = robot.names.prefix, f'{robot.names.macro}_SIZE'
    joints = robot.model.independent_joints
    limits = {
        'lower': [joint.limits.lower for joint in joints],
        'upper': [joint.limits.upper for joint in joints],
        'velocity_limits': [joint.limits.velocity for joint in joints],
        'effort_limits': [joint.limits.effort for joint in joints],
    }
    # One name a line: the wrapping of `table` would break a name that holds spaces.
    joint_names = ',\n    '.join(string(joint.name) for joint in joints)
    return [
        f'const char *const {prefix}_joint_names[{size}] = {{\n    {joint_names}\n}};',
        *(
            table(f'const double {prefix}_{name}[{size}]', map(limit, values))
            for name, values in limits.items()
        ),
        table(f'const double {prefix}_standard_gravity[3]', map(literal, STANDARD_GRAVITY)) + '\n',
    ]
