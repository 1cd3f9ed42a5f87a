"""The files by which CMake and colcon build and find an export."""

from __future__ import annotations

from xml.sax.saxutils import escape

from .c_text import in_comment
from .exported_robot import ExportedRobot
from .identifiers import MARK

# Of the exported package: its content changes with the URDF, whose hash the header holds.
VERSION = '1.0.0'

CMAKE = """\
# Written by robot_dynamics export-c.
cmake_minimum_required(VERSION 3.16)
project({package} VERSION {version} LANGUAGES C)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()
file(STRINGS include/{package}/{package}.h mark REGEX "^#define {macro}_EXPORT {mark}$")
if(NOT mark)
  message(FATAL_ERROR
    "CMakeLists.txt and {package}.h are of two exports: run robot_dynamics export-c again")
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
target_include_directories({package} PUBLIC
  $<BUILD_INTERFACE:${{CMAKE_CURRENT_SOURCE_DIR}}/include>
  $<INSTALL_INTERFACE:${{CMAKE_INSTALL_INCLUDEDIR}}>)
{math}
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
install(EXPORT {package}
  FILE {package}-targets.cmake NAMESPACE {package}:: DESTINATION ${{config}})
file(WRITE ${{CMAKE_CURRENT_BINARY_DIR}}/{package}-config.cmake
  "include(\\"\\${{CMAKE_CURRENT_LIST_DIR}}/{package}-targets.cmake\\")\\n")
write_basic_package_version_file(${{CMAKE_CURRENT_BINARY_DIR}}/{package}-config-version.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES
  ${{CMAKE_CURRENT_BINARY_DIR}}/{package}-config.cmake
  ${{CMAKE_CURRENT_BINARY_DIR}}/{package}-config-version.cmake
  DESTINATION ${{config}})
install(DIRECTORY include/ DESTINATION ${{CMAKE_INSTALL_INCLUDEDIR}})
install(FILES package.xml DESTINATION ${{CMAKE_INSTALL_DATADIR}}/{package})
# By this empty file ROS finds the package.
file(WRITE ${{CMAKE_CURRENT_BINARY_DIR}}/resource/{package} "")
install(FILES ${{CMAKE_CURRENT_BINARY_DIR}}/resource/{package}
  DESTINATION ${{CMAKE_INSTALL_DATADIR}}/ament_index/resource_index/packages)
"""
MATH = """
find_library({macro}_MATH m)
if({macro}_MATH)
  target_link_libraries({package} PUBLIC m)
endif()
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


def cmake_lists(robot: ExportedRobot) -> str:
    """Text of `CMakeLists.txt`: library, check, and what `find_package` needs."""
    names = robot.names
    math = '' if robot.own_sincos else MATH.format(macro=names.macro, package=names.package)
    return CMAKE.format(
        package=names.package, macro=names.macro, version=VERSION, math=math, mark=MARK
    )


def package_xml(robot: ExportedRobot) -> str:
    """Text of `package.xml`, by which colcon builds the package."""
    name = escape(in_comment(robot.model.name))
    return PACKAGE.format(package=robot.names.package, version=VERSION, robot=name)
