"""A robot from a URDF file, or from a xacro file with arguments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from robot_dynamics_ros.core import RobotModel, parse_urdf
from robot_dynamics_ros.core.description.urdf_text import is_xacro, read_xml
from robot_dynamics_ros.core.errors import ModelError, ParameterError, UrdfError
from robot_dynamics_ros.xacro_expansion import expand_xacro_file


def read_robot(file: Path, arguments: Sequence[str] = ()) -> tuple[RobotModel, str]:
    """The robot that a file describes, and the text of its URDF.

    Args:
        file: URDF or xacro.
        arguments: of the xacro file, each `name:=value`.

    Raises:
        OSError: the file cannot be read.
        ModelError: the description cannot be used; the message begins with the file.
        ParameterError: an argument has another form, or the file takes none.
    """
    try:
        urdf = _read_urdf(file, arguments)
        return parse_urdf(urdf), urdf
    except ModelError as error:
        raise type(error)(f'{file}: {error}') from None


def _read_urdf(file: Path, arguments: Sequence[str] = ()) -> str:
    """The URDF that a file holds, or that a xacro file stands for."""
    for argument in arguments:
        name, separator, _ = argument.partition(':=')
        if not name or not separator:
            raise ParameterError(f'{argument!r} is no argument of xacro, which are name:=value')
    try:
        text = file.read_text(encoding='utf-8')
    except UnicodeDecodeError as error:
        raise UrdfError(f'not a text in UTF-8: {error}') from None
    if is_xacro(read_xml(text)):
        return expand_xacro_file(file, arguments)
    if arguments:
        raise ParameterError(f'{file} is a URDF: it takes no {arguments[0]!r}, xacro files do')
    return text
