"""A robot from a URDF file, a xacro file with arguments, a recording, or a topic; its gravity.

A xacro file is expanded as the command `xacro` does it: it may include files, and is trusted.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from robot_dynamics_ros.core import RobotModel, parse_urdf
from robot_dynamics_ros.core.checks import checked_gravity
from robot_dynamics_ros.core.errors import ModelError, ParameterError, StateError, UrdfError
from robot_dynamics_ros.core.urdf_xml import decode, is_xacro, read_xml
from robot_dynamics_ros.recordings.sources import BAGS, open_source

from .output import Command, Output, reads

# [B]: the largest descriptions, with every number of every mesh transform, have a few MiB.
MAX_FILE = 64 * 2**20
# Of xacro: an argument that a file declares, or asks for.
ARGUMENT = re.compile(r'<xacro:arg\b[^>]*?\bname\s*=\s*["\']([^"\']+)|\$\(arg\s+([^)\s]+)')
Vector = tuple[float, ...]


def description_options(command: Command) -> Command:
    """Give a subcommand FILE with its arguments and --topic: `words` and `topic`."""
    topic = click.option('--topic', metavar='TOPIC', help='Topic, such as /robot_description.')
    return click.argument('words', nargs=-1, metavar='[FILE] [NAME:=VALUE]...')(topic(command))


def gravity_option(
    default: str | None = '0,0,-9.81', words: str = ''
) -> Callable[[Command], Command]:
    """The option --gravity: an argument `gravity`, None where there is no default."""
    return click.option(
        '--gravity', metavar='X,Y,Z', default=default, show_default=True,
        help=f'Gravity in the axes of the root link [m/s^2].{words}',
        callback=lambda _, option, value: value and gravity_of(option.opts[0], value.split(',')),
    )  # fmt: skip


def gravity_of(name: str, value: Any) -> Vector:
    """The three numbers of an option or a parameter of that name [m/s^2]."""
    try:
        return tuple(checked_gravity([float(each) for each in value]).tolist())
    except (StateError, TypeError, ValueError) as error:
        why = error if isinstance(error, StateError) else f'{value!r}'
        raise ParameterError(f'{name}: {why}: three numbers are needed, in m/s^2') from None


def robot_of_words(words: Sequence[str], topic: str | None) -> tuple[RobotModel, str, Path | None]:
    """The robot that words or a topic name, its URDF, and the file that it is from."""
    files, arguments = files_and_arguments(words)
    if len(files) + (topic is not None) != 1:
        named = ', '.join(repr(str(file)) for file in files) or 'none'
        raise ParameterError(
            f'one FILE or --topic is needed, named: {named} (arguments of xacro are name:=value)'
        )
    if topic is None:
        reads(*files)
        return *read_robot(files[0], arguments), files[0]
    read = click.get_current_context().obj
    try:
        if read is None:
            raise ModuleNotFoundError
        text = read(topic)  # it imports ROS
    except ModuleNotFoundError:
        raise ParameterError(
            f'{topic}: a topic needs ROS 2: source the setup file of ROS, or name a file'
        ) from None
    return robot_of_text(text, topic), text, None


def files_and_arguments(words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The files, and the arguments of xacro (`name:=value`), of a command line."""
    arguments = [word for word in words if ':=' in word]
    return [Path(word) for word in words if ':=' not in word], arguments


def robot_of_text(text: str, source: str) -> RobotModel:
    """The robot that the text of a URDF describes."""
    with _errors_of(source):
        return parse_urdf(text)


def read_robot(
    file: Path, arguments: Sequence[str] = (), *, arguments_of_others: bool = False
) -> tuple[RobotModel, str]:
    """The robot of a URDF, xacro file or recording, and the text of its URDF.

    The arguments are of a xacro file, each `name:=value`; some may be for others of several files.
    A message on what cannot be used begins with the file.
    """
    with _errors_of(file):
        if file.is_dir() or file.name.endswith(BAGS):
            text = newest_description(open_source([file]).descriptions, str(file))
            if text is None:
                raise UrdfError('nothing was recorded on /robot_description: name a URDF or xacro')
        elif is_xacro(read_xml(text := _read_text(file))):
            text = _expanded(file, arguments, arguments_of_others)
            return parse_urdf(text), text
        if arguments and not arguments_of_others:
            raise ParameterError(f'{file} takes no {arguments[0]!r}, only xacro files do')
        return parse_urdf(text), text


@contextlib.contextmanager
def _errors_of(source: object) -> Iterator[None]:
    try:
        yield
    except ModelError as error:
        raise type(error)(f'{source}: {error}') from None


def newest_description(texts: Sequence[str], name: str) -> str | None:
    """The last of the descriptions of a recording; that there are others is reported."""
    if len(texts) > 1:
        Output().warning(
            f'{name}: {len(texts)} different texts on /robot_description: the newest one is used'
        )
    return texts[-1] if texts else None


def _read_text(file: Path) -> str:
    with file.open('rb') as opened:
        content = opened.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        raise UrdfError(f'it is larger than {MAX_FILE // 2**20} MiB: not a URDF')
    return decode(content)


def _expanded(file: Path, arguments: Sequence[str], arguments_of_others: bool) -> str:
    """The URDF that a xacro file stands for; raises UrdfError."""
    try:
        import xacro
    except ImportError:
        raise UrdfError('it is xacro, which is not installed: pip install xacro') from None
    given = dict(argument.split(':=', 1) for argument in arguments)
    known_before = len(xacro.all_includes)
    try:
        # Warnings, such as that of a deprecated form.
        with contextlib.redirect_stderr(io.StringIO()):
            document = xacro.process_file(str(file), mappings=dict(given), verbosity=0)
    # Xacro evaluates Python: what it raises depends on the file.
    except Exception as error:
        said = ' '.join(str(error).split()) or repr(error)
        raise UrdfError(f'xacro cannot expand it: {said}') from None
    # Xacro ignores what no file asks for: a misspelt name would give another robot.
    files = [file, *map(Path, xacro.all_includes[known_before:])]
    texts = [path.read_text(encoding='utf-8', errors='replace') for path in files]
    known = {one or other for text in texts for one, other in ARGUMENT.findall(text)}
    unknown = sorted(given.keys() - known)
    if unknown and not arguments_of_others:
        names = ', '.join(sorted(known)) or 'none'
        raise UrdfError(f'it has no argument {", ".join(unknown)}; its arguments: {names}')
    return str(document.toprettyxml(indent='  '))
