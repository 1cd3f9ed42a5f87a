"""The header, the source and the C++ view of an exported robot."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata

from ..algorithms.kinematics import Axes
from ..compiler.program import Program
from ..model.gravity import STANDARD_GRAVITY
from ..model.robot import RobotModel
from ..quantity import INPUTS, QUANTITIES, RESULT_AXES, Input
from .c_code import (
    RESULT,
    SQUARE_ROOT,
    comment,
    in_comment,
    literal,
    program_code,
    prototype,
    sine_code,
    string,
    table,
)

LARGEST = float.fromhex('0x1.fffffffffffffp+1023')
# Constant tables of what the description allows, and what they hold.
LIMITS = {
    'lower': 'smallest positions [rad or m]',
    'upper': 'largest positions [rad or m]',
    'velocity_limits': 'largest speeds [rad/s or m/s]',
    'effort_limits': 'largest torques or forces [N m or N]',
}


@dataclass(frozen=True)
class ExportedRobot:
    """The content of an export.

    Attributes:
        model: the robot, without the payloads that are an input.
        prefix: of functions and tables: `ur5` gives `ur5_gravity_torque`.
        programs: of the quantities, in the order in which they were asked for.
        frame: link of the quantities of a frame; None for none.
        axes: of Jacobians.
        payload_joint: the joint whose body carries the payload that is an input; empty for none.
        urdf_hash: SHA-256 of the text of the URDF; empty if it is not known.
    """

    model: RobotModel
    prefix: str
    programs: tuple[Program, ...]
    frame: str | None
    axes: Axes
    payload_joint: str
    urdf_hash: str

    @property
    def macro(self) -> str:
        """Prefix of macros."""
        return self.prefix.upper()

    @property
    def package(self) -> str:
        """Of the package, its library, its headers and its namespace in C++."""
        return f'{self.prefix}_dynamics'


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
    for program in robot.programs:
        conditions = [
            f'Returns {number}: {in_comment(reason)}.'
            for number, (_, reason) in enumerate(program.conditions, start=1)
        ]
        text = comment([f'{RESULT}: {_sentence(robot, program)}', *conditions])
        functions.append(f'{text}\n{prototype(program, prefix)};')
    return HEADER.format(
        introduction=comment(_introduction(robot)),
        macro=macro,
        prefix=prefix,
        size=robot.model.size,
        input_sizes='\n'.join(
            f'#define {macro}_{name.upper()}_SIZE {size}'
            for name, size in _sizes(robot).items()
            if INPUTS[name].labels is not Input.labels
        ),
        tables='\n'.join(
            f'/* {text} */\nextern const double {prefix}_{name}[{macro}_SIZE];'
            for name, text in LIMITS.items()
        ),
        functions='\n\n'.join(functions),
    )


def _sentence(robot: ExportedRobot, program: Program) -> str:
    """What the result of a quantity is, for this robot."""
    quantity = QUANTITIES[program.name]
    text = f'{quantity.text}, ({", ".join(map(str, program.shape))}) [{quantity.unit}].'
    if quantity.of_frame:
        text += f' Frame: link "{in_comment(robot.frame or "")}".'
    if quantity.takes_axes:
        text += f' Axes: {robot.axes}.'
    for number, axis in enumerate(quantity.shape):
        if isinstance(axis, str) and axis != 'n':
            labels = '", "'.join(map(in_comment, RESULT_AXES[axis](robot.model)))
            text += f' Along axis {number}: "{labels}".'
    return text


def _sizes(robot: ExportedRobot) -> dict[str, int]:
    """Number of entries of every input of any quantity, by its name."""
    return {name: size for program in robot.programs for name, size in program.inputs.items()}


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
    inputs = [f'{name} ({size}): {INPUTS[name].text}.' for name, size in _sizes(robot).items()]
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

#include <float.h>

#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD > 1
#error "compile so that doubles are computed as doubles, on x86 with -msse2 -mfpmath=sse"
#endif
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) \\
    || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "compile without -ffast-math and its parts: NaN must stay visible, and sines exact"
#endif
/* The same bits on every processor; GCC takes -std=c99 or -ffp-contract=off for that. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#elif defined(__FMA__) && __GNUC__ == 12 && __GNUC_MINOR__ < 3
/* It contracts all the same where it makes vectors of statements (GCC bug 107647). */
#pragma GCC optimize("no-tree-slp-vectorize")
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
    joints = robot.model.independent_joints
    values = {
        name: [getattr(joint.limits, name.removesuffix('_limits')) for joint in joints]
        for name in LIMITS
    }
    tables = [
        table(
            f'const double {prefix}_{name}[{len(entries)}]',
            (max(-LARGEST, min(LARGEST, value)) for value in entries),
        )
        for name, entries in {**values, 'standard_gravity': STANDARD_GRAVITY}.items()
    ]
    head = SOURCE.format(
        package=robot.package,
        prefix=prefix,
        macro=macro,
        # One name a line: the wrapping of `table` would break a name that holds spaces.
        joint_names=',\n    '.join(string(joint.name) for joint in joints),
        tables='\n'.join(tables),
    )
    codes = [program_code(program, prefix) for program in robot.programs]
    sines = [sine_code(prefix)] if any(f'{prefix}_sines(' in code for code in codes) else []
    roots = [SQUARE_ROOT] if any('square_root(' in code for code in codes) else []
    return head + '\n'.join([*roots, *sines, *codes])


VIEW = """\
/* C++ view of {package}.h: sizes are checked when it is compiled. Values are not checked: that
 * inputs are finite must be checked before the call, see there. */
#ifndef {macro}_DYNAMICS_HPP
#define {macro}_DYNAMICS_HPP

#include <array>
#include <cstddef>

#if __cplusplus >= 202002L
#include <version>
#endif
#if defined(__cpp_lib_span)
#include <span>
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

/* An argument of n doubles: from C++20 on whatever std::span takes. */
#if defined(__cpp_lib_span)
template <std::size_t n> using Input = std::span<const double, n>;
template <std::size_t n> using Output = std::span<double, n>;
#else
template <std::size_t n> using Input = const std::array<double, n> &;
template <std::size_t n> using Output = std::array<double, n> &;
#endif

{functions}

}}  // namespace {package}

#endif
"""


def cpp_view(robot: ExportedRobot) -> str:
    """Text of `<package>.hpp`, for C++17 on `std::array`, from C++20 on `std::span`."""
    functions = []
    for program in robot.programs:
        arguments = [f'Input<{size}> {name}' for name, size in program.inputs.items()]
        arguments.append(f'Output<{len(program.outputs)}> {RESULT}')
        passed = ', '.join(f'{name}.data()' for name in [*program.inputs, RESULT])
        functions.append(
            f'[[nodiscard]] inline int {program.name}({", ".join(arguments)}) noexcept\n'
            f'{{\n    return ::{robot.prefix}_{program.name}({passed});\n}}'
        )
    return VIEW.format(
        package=robot.package,
        macro=robot.macro,
        tables='\n'.join(
            f'inline constexpr auto &{name} = ::{robot.prefix}_{name};'
            for name in ('joint_names', *LIMITS)
        ),
        gravity=', '.join(map(literal, STANDARD_GRAVITY)),
        functions='\n\n'.join(functions),
    )
