"""A robot from a URDF file, from a xacro file with arguments, or from a topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from robot_dynamics_ros.core import RobotModel, parse_urdf
from robot_dynamics_ros.core.description.urdf_text import is_xacro, read_xml
from robot_dynamics_ros.core.errors import ModelError, ParameterError, UrdfError
from robot_dynamics_ros.xacro_expansion import expand_xacro, expand_xacro_file

# [B]: the largest descriptions, with every number of every mesh transform, have a few MiB.
LARGEST_FILE = 64 * 2**20

# The text of a description by the name of its topic, from a running robot.
TopicReader = Callable[[str], str]


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


def robot_of_text(text: str, source: str) -> tuple[RobotModel, str]:
    """The robot that a text describes, and the text of its URDF.

    Args:
        text: URDF, or xacro that needs no files.
        source: of the text, such as a topic or a recording, for messages.

    Raises:
        ModelError: the description cannot be used; the message begins with the source.
    """
    try:
        urdf = expand_xacro(text) if is_xacro(read_xml(text)) else text
        return parse_urdf(urdf), urdf
    except ModelError as error:
        raise type(error)(f'{source}: {error}') from None


def robot_of_topic(topic: str) -> tuple[RobotModel, str]:
    """The robot whose description a running robot publishes, and the text of its URDF.

    Args:
        topic: name, such as /robot_description.

    Raises:
        ParameterError: ROS is not there, or nothing is published.
        ModelError: the description cannot be used; the message begins with the topic.
    """
    context = click.get_current_context(silent=True)
    # `main` sets it.
    reader: TopicReader | None = None if context is None else context.find_root().obj
    if reader is None:
        raise ParameterError(
            f'{topic}: a topic needs ROS 2: source its setup file and run '
            '`ros2 run robot_dynamics_ros robot_dynamics`, or name a file'
        )
    return robot_of_text(reader(topic), topic)


def files_and_arguments(words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The files, and the arguments of xacro (`name:=value`), of a command line."""
    arguments = [word for word in words if ':=' in word]
    return [Path(word) for word in words if ':=' not in word], arguments


def _read_urdf(file: Path, arguments: Sequence[str] = ()) -> str:
    """The URDF that a file holds, or that a xacro file stands for."""
    for argument in arguments:
        name, separator, _ = argument.partition(':=')
        if not name or not separator:
            raise ParameterError(f'{argument!r} is no argument of xacro, which are name:=value')
    text = _read_text(file)
    if is_xacro(read_xml(text)):
        return expand_xacro_file(file, arguments)
    if arguments:
        raise ParameterError(f'{file} is a URDF: it takes no {arguments[0]!r}, xacro files do')
    return text


def _read_text(file: Path) -> str:
    with file.open('rb') as opened:
        content = opened.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise UrdfError(f'it is larger than {LARGEST_FILE // 2**20} MiB: not a URDF')
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise UrdfError(f'not a text in UTF-8: {error}') from None
