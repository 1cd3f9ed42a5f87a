"""What builds, finds and checks an export: CMake, package.xml, a program with known results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from textwrap import indent
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from ..compiler.program import OPERATIONS, Program, evaluate
from ..compiler.python import divide
from ..compiler.sine import sine_and_cosine
from ..model.gravity import STANDARD_GRAVITY
from ..model.robot import RobotModel
from ..model.sampling import random_states
from .c_code import RESULT, in_comment, square_root, table
from .c_sources import ExportedRobot

CMAKE = """\
# Written by robot_dynamics export-c.
cmake_minimum_required(VERSION 3.16)
project({package} VERSION {version} LANGUAGES C)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library({package} src/{package}.c)
add_library({package}::{package} ALIAS {package})
set_target_properties({package} PROPERTIES
  C_STANDARD 99
  C_STANDARD_REQUIRED ON
  C_EXTENSIONS OFF
  POSITION_INDEPENDENT_CODE ON
  WINDOWS_EXPORT_ALL_SYMBOLS ON)
# The same bits on every processor.
target_compile_options({package} PRIVATE
  $<$<C_COMPILER_ID:GNU,Clang,AppleClang>:-ffp-contract=off>)
target_include_directories({package} PUBLIC
  $<BUILD_INTERFACE:${{CMAKE_CURRENT_SOURCE_DIR}}/include>
  $<INSTALL_INTERFACE:${{CMAKE_INSTALL_INCLUDEDIR}}>)

include(CTest)
if(BUILD_TESTING)
  add_executable({package}_check check/check.c)
  set_target_properties({package}_check PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
  target_link_libraries({package}_check PRIVATE {package})
  add_test(NAME {package}_check COMMAND {package}_check)
endif()

set(config ${{CMAKE_INSTALL_LIBDIR}}/cmake/{package})
install(TARGETS {package} EXPORT {package}
  ARCHIVE DESTINATION ${{CMAKE_INSTALL_LIBDIR}}
  LIBRARY DESTINATION ${{CMAKE_INSTALL_LIBDIR}}
  RUNTIME DESTINATION ${{CMAKE_INSTALL_BINDIR}})
# It needs no other package: the list of its targets is all that find_package reads.
install(EXPORT {package}
  FILE {package}-config.cmake NAMESPACE {package}:: DESTINATION ${{config}})
write_basic_package_version_file(${{CMAKE_CURRENT_BINARY_DIR}}/{package}-config-version.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${{CMAKE_CURRENT_BINARY_DIR}}/{package}-config-version.cmake
  DESTINATION ${{config}})
install(DIRECTORY include/ DESTINATION ${{CMAKE_INSTALL_INCLUDEDIR}})
install(FILES package.xml DESTINATION ${{CMAKE_INSTALL_DATADIR}}/{package})
# By this empty file ROS finds the package.
file(WRITE ${{CMAKE_CURRENT_BINARY_DIR}}/resource/{package} "")
install(FILES ${{CMAKE_CURRENT_BINARY_DIR}}/resource/{package}
  DESTINATION ${{CMAKE_INSTALL_DATADIR}}/ament_index/resource_index/packages)
"""
PACKAGE = """\
<?xml version="1.0"?>
<package format="3">
  <name>{package}</name>
  <version>{version}</version>
  <description>Dynamics of the robot {robot} in C99, exported by robot_dynamics_ros.</description>
  <maintainer email="maintainer@example.com">the owner of the robot</maintainer>
  <license>Apache-2.0</license>

  <buildtool_depend>cmake</buildtool_depend>

  <export>
    <build_type>cmake</build_type>
  </export>
</package>
"""
# Of the exported package: its content changes with the URDF, whose hash the header holds.
VERSION = '1.0.0'


def cmake_lists(robot: ExportedRobot) -> str:
    """Text of `CMakeLists.txt`: library, check, and what `find_package` needs."""
    return CMAKE.format(package=robot.package, version=VERSION)


def package_xml(robot: ExportedRobot) -> str:
    """Text of `package.xml`, by which colcon builds the package."""
    name = escape(in_comment(robot.model.name))
    return PACKAGE.format(package=robot.package, version=VERSION, robot=name)


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
CHECK = """\
/* Checks {package} as it was compiled: at recorded states its results must have the recorded bits.
 * Ends with status 0 if they have, with 1 and a line for each that has not. */
#include <stdio.h>

#include <{package}/{package}.h>

static double result[{size}];

/* Returns whether a result differs, and reports the first entry that does. */
static int differs(const char *name, int state, int returned, int wanted, const double *expected,
                   int size)
{{
    int i;
    if (returned != wanted) {{
        fprintf(stderr, "%s, state %d: returned %d, not %d\\n", name, state, returned, wanted);
        return 1;
    }}
    for (i = 0; i < size; ++i) {{
        if (!(result[i] == expected[i])) {{
            fprintf(stderr, "%s, state %d: entry %d is %.17g, not %.17g\\n", name, state, i,
                    result[i], expected[i]);
            return 1;
        }}
    }}
    return 0;
}}

int main(void)
{{
    int failed = 0;
{checks}
    printf("{package}: %s\\n", failed ? "FAILED" : "all results as recorded");
    return failed ? 1 : 0;
}}
"""


def check_program(robot: ExportedRobot) -> str:
    """Text of `check.c`, C99 with a standard library."""
    return CHECK.format(
        package=robot.package,
        size=max(len(program.outputs) for program in robot.programs),
        checks='\n'.join(_checks(robot, program) for program in robot.programs),
    )


def _checks(robot: ExportedRobot, program: Program) -> str:
    """The statements that check one program, at the same states of a robot in each export.

    The results are evaluated step by step, in the order of the C code.
    """
    blocks = []
    for number, inputs in enumerate(_recorded_inputs(robot.model, program)):
        result, conditions = evaluate(program, inputs, OWN)
        failed = [index for index, value in enumerate(conditions, start=1) if not value > 0.0]
        wanted, expected = (failed[0], {}) if failed else (0, {'expected': result})
        tables = [
            table(f'static const double {name}[{len(values)}]', values)
            for name, values in (inputs | expected).items()
        ]
        call = f'{robot.prefix}_{program.name}({", ".join([*inputs, RESULT])})'
        given = 'result, 0' if failed else f'expected, {len(result)}'
        text = '\n'.join([
            *tables,
            f'failed += differs("{program.name}", {number}, {call}, {wanted},',
            f'                  {given});',
        ])  # fmt: skip
        blocks.append(f'{{\n{indent(text, "    ")}\n}}')
    return indent('\n'.join(blocks), '    ')


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
