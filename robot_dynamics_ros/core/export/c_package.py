"""The texts of an exported package: each template with what it says of one robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from textwrap import indent
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from ..algorithms.friction import CONSTANTS, TERMS
from ..algorithms.kinematics import Axes
from ..compiler.program import OPERATIONS, Program, evaluate
from ..compiler.python import divide
from ..compiler.sine import sine_and_cosine
from ..model.gravity import STANDARD_GRAVITY
from ..model.robot import RobotModel
from ..model.sampling import random_states
from ..quantity import INPUTS, RESULT_AXES, Input, Quantity
from .c_code import (
    RESULT,
    comment,
    filled,
    in_comment,
    literal,
    program_code,
    prototype,
    shared_code,
    square_root,
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
# The sine of exported code: the recorded results have the bits of its own.
OWN: Mapping[str, Callable[..., Any]] = {
    **OPERATIONS,
    'div': divide,
    'sqrt': square_root,
    'sin': lambda angle: sine_and_cosine(angle)[0],
    'cos': lambda angle: sine_and_cosine(angle)[1],
}
STATES = 3
# Inertial parameters, of which each state takes a multiple: with other numbers there is no body.
BOX = (1.5, 0.03, -0.02, 0.15, 0.02, 0.001, 0.025, 0.002, 0.001, 0.015)


@dataclass(frozen=True)
class Function:
    """A quantity, the program that computes it, and the link whose frame it is of."""

    program: Program  #: its name is that of the function, without the prefix
    quantity: Quantity
    frame: str | None


@dataclass(frozen=True)
class ExportedRobot:
    """The content of an export.

    Attributes:
        model: the robot, without the payloads that are an input.
        prefix: of functions and tables: `ur5` gives `ur5_gravity_torque`.
        functions: in the order in which they were asked for.
        axes: of Jacobians.
        payload_joint: the joint whose body carries the payload that is an input; empty for none.
        urdf_hash: SHA-256 of the text of the URDF; empty if it is not known.
    """

    model: RobotModel
    prefix: str
    functions: tuple[Function, ...]
    axes: Axes
    payload_joint: str
    urdf_hash: str

    @property
    def package(self) -> str:
        """Of the package, its library, its headers and its namespace in C++."""
        return f'{self.prefix}_dynamics'


def package_files(robot: ExportedRobot) -> dict[str, str]:
    """The text of each file by its path in the package."""
    values, package = package_values(robot), robot.package
    paths = {
        f'include/{package}/{package}.h': 'dynamics.h',
        f'include/{package}/{package}.hpp': 'dynamics.hpp',
        f'src/{package}.c': 'dynamics.c',
        'check/check.c': 'check.c',
        'CMakeLists.txt': 'CMakeLists.txt',
        'package.xml': 'package.xml',
    }
    return {path: filled(template, values) for path, template in paths.items()}


def package_values(robot: ExportedRobot) -> dict[str, object]:
    """What stands in the templates for each name."""
    model, prefix, macro = robot.model, robot.prefix, robot.prefix.upper()
    joints, functions = model.independent_joints, robot.functions
    programs = [function.program for function in functions]
    sizes = {name: size for program in programs for name, size in program.inputs.items()}
    limits = {
        name: [getattr(joint.limits, name.removesuffix('_limits')) for joint in joints]
        for name in LIMITS
    }
    codes = [program_code(program, prefix) for program in programs]
    names = {'package': robot.package, 'prefix': prefix, 'macro': macro}
    return {
        **names,
        # Of the exported package: its content changes with the URDF, whose hash the header holds.
        'version': '1.0.0',
        'robot_in_xml': escape(in_comment(model.name)),
        'introduction': comment(
            filled('introduction', {**names, **_introduction(robot, sizes)}).splitlines()
        ),
        'size': model.size,
        'input_sizes': '\n'.join(
            f'#define {macro}_{name.upper()}_SIZE {size}'
            for name, size in sizes.items()
            if INPUTS[name].labels is not Input.labels
        ),
        'declared_tables': '\n'.join(
            f'/* {text} */\nextern const double {prefix}_{name}[{macro}_SIZE];'
            for name, text in LIMITS.items()
        ),
        'prototypes': '\n\n'.join(
            f'{comment(_about(robot, function))}\n{prototype(function.program, prefix)};'
            for function in functions
        ),
        # One name a line: the wrapping of `table` would break a name that holds spaces.
        'joint_names': ',\n    '.join(string(joint.name) for joint in joints),
        'tables': '\n'.join(
            table(f'const double {prefix}_{name}', np.clip(values, -LARGEST, LARGEST).tolist())
            for name, values in {**limits, 'standard_gravity': STANDARD_GRAVITY}.items()
        ),
        'code': '\n'.join([*shared_code(codes, prefix), *codes]),
        'viewed_tables': '\n'.join(
            f'inline constexpr auto &{name} = ::{prefix}_{name};'
            for name in ('joint_names', *LIMITS)
        ),
        'gravity': ', '.join(map(literal, STANDARD_GRAVITY)),
        'views': '\n\n'.join(_view(program, prefix) for program in programs),
        'longest': max(len(program.outputs) for program in programs),
        'checks': indent(
            '\n'.join(each for program in programs for each in _checks(robot, program)), '    '
        ),
    }


def _introduction(robot: ExportedRobot, sizes: dict[str, int]) -> dict[str, str]:
    """What the head of the header says of a robot: a line is a paragraph."""
    model = robot.model
    followers = ', '.join(
        f'"{in_comment(joint.name)}" = {joint.coordinate.multiplier:g} '
        f'"{in_comment(joint.mimicked)}" + {joint.coordinate.offset:g}'
        for joint in model.joints
        if joint.mimicked is not None
    )
    inputs = [f'{name} ({size}): {_input_text(model, name)}.' for name, size in sizes.items()]
    if robot.payload_joint:
        inputs.append(f'The payload is on the body of joint "{in_comment(robot.payload_joint)}".')
    inputs += [
        f'Payload "{in_comment(payload.name)}" on link "{in_comment(payload.frame)}", '
        f'{payload.mass:g} kg, is included.'
        for payload in model.payloads
    ]
    try:
        version = metadata.version('robot_dynamics_ros')
    except metadata.PackageNotFoundError:
        version = '(from source)'
    return {
        'robot': in_comment(model.name),
        'written_by': version,
        'known_hash': robot.urdf_hash or 'not known',
        'joints': '\n'.join(
            f'   {index:3} {joint.kind:10} {in_comment(joint.name)}'
            for index, joint in enumerate(model.independent_joints)
        ),
        'mimics': followers
        and f'Mimic joints have no entry: {followers}. Torques and inertias of the joint that '
        'they follow include theirs.\n',
        'inputs': '\n'.join(inputs),
    }


def _input_text(model: RobotModel, name: str) -> str:
    if name != 'friction':
        return INPUTS[name].text
    names = '", "'.join(in_comment(joint.name) for joint in model.joints)
    terms = ', '.join(
        f'{term} [{" or ".join(dict.fromkeys(units))}]' for term, units in TERMS.items()
    )
    return (
        f'coefficients, one kind after the other, each of joints "{names}": {terms}; then '
        f'constants of the law, which must be positive: {", ".join(CONSTANTS)}'
    )


def _about(robot: ExportedRobot, function: Function) -> Iterator[str]:
    """What the result of a function is, for this robot, and when there is none."""
    quantity, program = function.quantity, function.program
    text = f'{RESULT}: {quantity.text}, ({", ".join(map(str, program.shape))}) [{quantity.unit}].'
    if function.frame is not None:
        text += f' Frame: link "{in_comment(function.frame)}".'
    if quantity.takes_axes:
        text += f' Axes: {robot.axes}.'
    for number, axis in enumerate(quantity.shape):
        if isinstance(axis, str) and axis != 'n':
            labels = '", "'.join(map(in_comment, RESULT_AXES[axis](robot.model)))
            text += f' Along axis {number}: "{labels}".'
    yield text
    for number, (_, reason) in enumerate(program.conditions, start=1):
        yield f'Returns {number}: {in_comment(reason)}.'


def _view(program: Program, prefix: str) -> str:
    """A function of the C++ view."""
    arguments = [f'Input<{size}> {name}' for name, size in program.inputs.items()]
    arguments.append(f'Output<{len(program.outputs)}> {RESULT}')
    passed = ', '.join(f'{name}.data()' for name in [*program.inputs, RESULT])
    return (
        f'[[nodiscard]] inline int {program.name}({", ".join(arguments)}) noexcept\n'
        f'{{\n    return ::{prefix}_{program.name}({passed});\n}}'
    )


def _checks(robot: ExportedRobot, program: Program) -> Iterator[str]:
    """Blocks that check one program, at the same states of a robot in each export.

    The results are evaluated step by step, in the order of the C code.
    """
    for number, inputs in enumerate(_recorded_inputs(robot.model, program)):
        result, conditions = evaluate(program, inputs, OWN)
        failed = [index for index, value in enumerate(conditions, start=1) if not value > 0.0]
        wanted, expected = (failed[0], {}) if failed else (0, {'expected': result})
        call = f'{robot.prefix}_{program.name}({", ".join([*inputs, RESULT])})'
        given = 'result, 0' if failed else f'expected, {len(result)}'
        tables = [
            table(f'static const double {name}', row) for name, row in (inputs | expected).items()
        ]
        text = '\n'.join([
            *tables,
            f'failed += differs("{program.name}", {number}, {call}, {wanted},',
            f'                  {given});',
        ])  # fmt: skip
        yield f'{{\n{indent(text, "    ")}\n}}'


def _recorded_inputs(model: RobotModel, program: Program) -> Iterator[dict[str, list[float]]]:
    """Values for every input; a base that stands upright, then some that do not."""
    generator = np.random.default_rng(0)
    for number, state in enumerate(random_states(model, STATES)):
        values = {
            'q': state.q,
            'v': state.v,
            'a': state.a,
            'gravity': generator.uniform(-9.81, 9.81, 3) if number else STANDARD_GRAVITY,
            'payload': number * np.array(BOX),
        }
        yield {
            name: list(map(float, values.get(name, generator.uniform(-1.0, 1.0, size))))
            for name, size in program.inputs.items()
        }
