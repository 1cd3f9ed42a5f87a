"""The header, the source and the C++ view of an exported robot."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata

from ..compiler.program import Program
from ..model.gravity import STANDARD_GRAVITY
from ..model.robot import RobotModel
from ..quantity import INPUTS, Input
from .c_code import RESULT, comment, in_comment, literal, prototype, string, table
from .sine_code import sine_code

LARGEST = float.fromhex('0x1.fffffffffffffp+1023')
# Constant tables with one entry for each joint, and what they hold.
TABLES = {
    'lower': 'smallest positions [rad or m]',
    'upper': 'largest positions [rad or m]',
    'velocity_limits': 'largest speeds [rad/s or m/s]',
    'effort_limits': 'largest torques or forces [N m or N]',
}


@dataclass(frozen=True)
class ExportedQuantity:
    """A quantity in C.

    Attributes:
        program: that was exported.
        sentence: what the result is.
        code: definition of the function.
        check: statements that check it at recorded states.
    """

    program: Program
    sentence: str
    code: str
    check: str


@dataclass(frozen=True)
class ExportedRobot:
    """The content of an export.

    Attributes:
        model: the robot, without the payloads that are an input.
        prefix: of functions and tables: `ur5` gives `ur5_gravity_torque`.
        quantities: in the order in which they were asked for.
        urdf_hash: SHA-256 of the text of the URDF; empty if it is not known.
        payload_joint: the joint whose body carries the payload that is an input; empty if none is.
    """

    model: RobotModel
    prefix: str
    quantities: tuple[ExportedQuantity, ...]
    urdf_hash: str
    payload_joint: str

    @property
    def macro(self) -> str:
        """Prefix of macros."""
        return self.prefix.upper()

    @property
    def package(self) -> str:
        """Of the package, its library, its headers and its namespace in C++."""
        return f'{self.prefix}_dynamics'

    @property
    def sizes(self) -> dict[str, int]:
        """Number of entries of every input of any quantity, by its name."""
        return {
            name: size
            for quantity in self.quantities
            for name, size in quantity.program.inputs.items()
        }


HEADER = """\
{introduction}
#ifndef {macro}_DYNAMICS_H
#define {macro}_DYNAMICS_H

/* Number of joints, and of entries of q, v, a and tau. */
#define {macro}_SIZE {size}
/* Numbers of entries of the other inputs. */
{input_sizes}

/* A function returns this if it has written its result. */
#define {macro}_DONE 0
/* An angle that the result depends on is not finite, or not below 2^30 rad; nothing is written. */
#define {macro}_ANGLE_OUT_OF_RANGE (-1)

#ifdef __cplusplus
extern "C" {{
#endif

/* Names of the joints (UTF-8) in the order of every vector. */
extern const char *const {prefix}_joint_names[{macro}_SIZE];
/* What the description allows, one entry for each joint; where it says nothing DBL_MAX,
 * in lower -DBL_MAX. */
{tables}
/* Of Earth, in the axes of a root link that stands upright [m/s^2]. */
extern const double {prefix}_standard_gravity[3];

{functions}

#ifdef __cplusplus
}}
#endif

#endif
"""


def header(robot: ExportedRobot) -> str:
    """Text of `<package>.h`, for C99 and C++."""
    macro, prefix = robot.macro, robot.prefix
    functions = []
    for quantity in robot.quantities:
        conditions = [
            f'Returns {number}: {in_comment(reason)}.'
            for number, (_, reason) in enumerate(quantity.program.conditions, start=1)
        ]
        text = comment([f'{RESULT}: {quantity.sentence}', *conditions])
        functions.append(f'{text}\n{prototype(quantity.program, prefix)};')
    return HEADER.format(
        introduction=comment(_introduction(robot)),
        macro=macro,
        prefix=prefix,
        size=robot.model.size,
        input_sizes='\n'.join(
            f'#define {macro}_{name.upper()}_SIZE {size}'
            for name, size in robot.sizes.items()
            if INPUTS[name].labels is not Input.labels
        ),
        tables='\n'.join(
            f'/* {text} */\nextern const double {prefix}_{name}[{macro}_SIZE];'
            for name, text in TABLES.items()
        ),
        functions='\n\n'.join(functions),
    )


def _introduction(robot: ExportedRobot) -> list[str]:
    model, macro = robot.model, robot.macro
    joints = [
        f'   {index:3} {joint.kind:10} {in_comment(joint.name)}'
        for index, joint in enumerate(model.independent_joints)
    ]
    followers = [
        f'"{in_comment(joint.name)}" = {joint.coordinate.multiplier:g} '
        f'"{in_comment(joint.mimicked)}" + {joint.coordinate.offset:g}'
        for joint in model.joints
        if joint.mimicked is not None
    ]
    mimic = (
        f'Mimic joints have no entry: {", ".join(followers)}. Torques and inertias of the joint '
        'that they follow include theirs.'
    )
    payloads = [
        f'Payload "{in_comment(payload.name)}" on link "{in_comment(payload.frame)}", '
        f'{payload.mass:g} kg, is included.'
        for payload in model.payloads
    ]
    inputs = [f'{name} ({size}): {INPUTS[name].text}.' for name, size in robot.sizes.items()]
    if robot.payload_joint:
        inputs.append(f'The payload is on the body of joint "{in_comment(robot.payload_joint)}".')
    return [
        f'Dynamics of the robot "{in_comment(model.name)}", in C99.',
        '',
        f'Written by robot_dynamics_ros {_version()}, robot_dynamics export-c. Do not edit it: '
        'export again.',
        f'SHA-256 of the URDF: {robot.urdf_hash or "not known"}',
        '',
        'SI units: rad, m, s, kg, N, N m. Vectors have one entry for each joint, in this order:',
        '\n'.join(joints),
        *([mimic] if followers else []),
        'Joints of the URDF that are not named here are fixed, or were locked before the export; '
        'the SHA-256 is that of the whole URDF.',
        'Signs are those of the joint axes of the URDF. Matrices are row-major, without gaps.',
        *inputs,
        *payloads,
        '',
        f'A function returns {macro}_DONE (0) and has then written its whole result; any other '
        'value says why it has written nothing. The result must not overlap an input.',
        '',
        'Check before the call that every input is finite: the functions check the angles that '
        'the result depends on, and the conditions that are named below, and nothing else. A '
        'finite result does not show that the inputs were finite: what does not depend on an '
        'input stays finite where that input is NaN. Finite inputs that are too large can give '
        'results that are not finite.',
        '',
        'The functions take no memory but the stack, keep nothing between calls, and may run in '
        'any number of threads at once. They need no other function: the code is freestanding.',
    ]


def _version() -> str:
    """Of this package; of a source tree that is not installed it is not known."""
    try:
        return metadata.version('robot_dynamics_ros')
    except metadata.PackageNotFoundError:
        return '(from source)'


SOURCE = """\
/* See {package}.h. */
#include <{package}/{package}.h>

#include <stdint.h>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) \\
    || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "compile without -ffast-math and its parts: NaN must stay visible, and sines exact"
#endif
/* The same bits on every processor; GCC takes -std=c99 or -ffp-contract=off for that. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

/* Arrays that are not one another's part. */
#if defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#define {macro}_RESTRICT restrict
#elif defined(__GNUC__) || defined(_MSC_VER)
#define {macro}_RESTRICT __restrict
#else
#define {macro}_RESTRICT
#endif

const char *const {prefix}_joint_names[{macro}_SIZE] = {{
    {joint_names}
}};
{tables}

"""


def source(robot: ExportedRobot) -> str:
    """Text of `<package>.c`, which C99 and C++17 compilers take."""
    prefix, macro = robot.prefix, robot.macro
    limits = [joint.limits for joint in robot.model.independent_joints]
    values = {
        'lower': [limit.lower for limit in limits],
        'upper': [limit.upper for limit in limits],
        'velocity_limits': [limit.velocity for limit in limits],
        'effort_limits': [limit.effort for limit in limits],
        'standard_gravity': STANDARD_GRAVITY,
    }
    tables = [
        table(
            f'const double {prefix}_{name}[{len(entries)}]',
            (max(-LARGEST, min(LARGEST, value)) for value in entries),
        )
        for name, entries in values.items()
    ]
    head = SOURCE.format(
        package=robot.package,
        prefix=prefix,
        macro=macro,
        # One name a line: the wrapping of `table` would break a name that holds spaces.
        joint_names=',\n    '.join(string(joint.name) for joint in robot.model.independent_joints),
        tables='\n'.join(tables),
    )
    codes = [quantity.code for quantity in robot.quantities]
    sines = [sine_code(prefix)] if any(f'{prefix}_sines(' in code for code in codes) else []
    return head + '\n'.join([*sines, *codes])


VIEW = """\
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
{tables}

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
    """Text of `<package>.hpp`, for C++17 on `std::array`, and for C++20 on `std::span` too."""

    def functions(given: str, written: str) -> str:
        texts = []
        for program in (quantity.program for quantity in robot.quantities):
            arguments = [f'{given.format(size)}{name}' for name, size in program.inputs.items()]
            arguments.append(f'{written.format(len(program.outputs))}{RESULT}')
            passed = ', '.join(f'{name}.data()' for name in [*program.inputs, RESULT])
            listed = ',\n    '.join(arguments)
            texts.append(
                f'[[nodiscard]] inline int {program.name}(\n    {listed}) noexcept\n'
                f'{{\n    return ::{robot.prefix}_{program.name}({passed});\n}}'
            )
        return '\n\n'.join(texts)

    return VIEW.format(
        package=robot.package,
        macro=robot.macro,
        tables='\n'.join(
            f'inline constexpr auto &{name} = ::{robot.prefix}_{name};'
            for name in ('joint_names', *TABLES)
        ),
        gravity=', '.join(map(literal, STANDARD_GRAVITY)),
        arrays=functions('const std::array<double, {}> &', 'std::array<double, {}> &'),
        spans=functions('std::span<const double, {}> ', 'std::span<double, {}> '),
    )
