"""The C++ view of an export: a header on std::array, and on std::span where there is one."""

from __future__ import annotations

from ..model.gravity import STANDARD_GRAVITY
from .c_text import literal
from .exported_robot import ExportedQuantity, ExportedRobot
from .identifiers import mark_check
from .program_code import RESULT

TEXT = """\
/* C++ view of {package}.h: sizes are checked when it is compiled. Values are not checked: that
 * inputs are finite must be checked before the call, see there. */
#ifndef {macro}_DYNAMICS_HPP
#define {macro}_DYNAMICS_HPP

#include <array>
#include <cstddef>

#if __cplusplus >= 202002L
#include <version>
#if defined(__cpp_lib_span)
#include <span>
#endif
#endif

#include <{package}/{package}.h>

{check}
namespace {package}
{{

/* Number of joints. */
inline constexpr std::size_t size = {macro}_SIZE;

/* One entry for each joint. */
using Vector = std::array<double, size>;

/* What a function returns if it has written its result. */
inline constexpr int done = {macro}_DONE;
inline constexpr int angle_out_of_range = {macro}_ANGLE_OUT_OF_RANGE;

/* The tables of the C header. */
inline constexpr auto &joint_names = ::{prefix}_joint_names;
inline constexpr auto &lower = ::{prefix}_lower;
inline constexpr auto &upper = ::{prefix}_upper;
inline constexpr auto &velocity_limits = ::{prefix}_velocity_limits;
inline constexpr auto &effort_limits = ::{prefix}_effort_limits;

/* Of Earth, in the axes of a root link that stands upright [m/s^2]. */
inline constexpr std::array<double, 3> standard_gravity{{{gravity}}};

{arrays}

#if defined(__cpp_lib_span)

{spans}

#endif

}}  // namespace {package}

#endif
"""


def cpp_view(robot: ExportedRobot) -> str:
    """Text of `<package>.hpp`, for C++17 and newer."""
    ways = {
        'arrays': ('const std::array<double, {}> &', 'std::array<double, {}> &'),
        'spans': ('std::span<const double, {}> ', 'std::span<double, {}> '),
    }
    functions = {
        way: '\n\n'.join(_function(robot, quantity, *types) for quantity in robot.quantities)
        for way, types in ways.items()
    }
    names = robot.names
    return TEXT.format(
        package=names.package, macro=names.macro, prefix=names.prefix, check=mark_check(names),
        gravity=', '.join(map(literal, STANDARD_GRAVITY)), **functions,
    )  # fmt: skip


def _function(robot: ExportedRobot, quantity: ExportedQuantity, given: str, written: str) -> str:
    program = quantity.program
    arguments = [f'{given.format(size)}{name}' for name, size in program.inputs.items()]
    arguments.append(f'{written.format(len(program.outputs))}{RESULT}')
    passed = ', '.join(f'{name}.data()' for name in [*program.inputs, RESULT])
    listed = ',\n    '.join(arguments)
    return (
        f'[[nodiscard]] inline int {program.name}(\n    {listed}) noexcept\n'
        f'{{\n    return ::{robot.names.prefix}_{program.name}({passed});\n}}'
    )
