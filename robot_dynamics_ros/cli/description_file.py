"""A robot from a URDF file, a xacro file with arguments, or a recording; its gravity.

A xacro file is expanded as the command `xacro` does it: it may include files, and is trusted.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from robot_dynamics_ros.core import RobotModel, parse_urdf
from robot_dynamics_ros.core.checks import checked_gravity
from robot_dynamics_ros.core.errors import ModelError, ParameterError, StateError, UrdfError
from robot_dynamics_ros.core.urdf_xml import decode, is_xacro, read_xml
from robot_dynamics_ros.extra import required
from robot_dynamics_ros.recordings.sources import BAGS, open_source

from .output import Output, reads

# [B]: the largest descriptions, with every number of every mesh transform, have a few MiB.
MAX_FILE = 64 * 2**20
# Of xacro: an argument that a file declares, or asks for.
ARGUMENT = re.compile(r'<xacro:arg\b[^>]*?\bname\s*=\s*["\']([^"\']+)|\$\(arg\s+([^)\s]+)')
Vector = tuple[float, ...]


def gravity_of(name: str, value: Any) -> Vector:
    """The three numbers of an option or a parameter of that name [m/s^2]."""
    try:
        return tuple(checked_gravity([float(each) for each in value]).tolist())
    except (StateError, TypeError, ValueError) as error:
        why = error if isinstance(error, StateError) else f'{value!r}'
        raise ParameterError(f'{name}: {why}: three numbers are needed, in m/s^2') from None


def robot_of_words(words: Sequence[str]) -> tuple[RobotModel, str, Path]:
    """The robot that words name, its URDF, and the file that it is from."""
    files, arguments = files_and_arguments(words)
    if len(files) != 1:
        named = ', '.join(repr(str(file)) for file in files) or 'none'
        raise ParameterError(f'one FILE is needed, named: {named} (for xacro: name:=value)')
    reads(*files)
    return *read_robot(files[0], arguments), files[0]


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
        known: set[str] = set()
        if file.is_dir() or file.name.endswith(BAGS):
            text = newest_description(open_source([file]).descriptions, str(file))
            if text is None:
                raise UrdfError('nothing was recorded on /robot_description: name a URDF or xacro')
        elif is_xacro(read_xml(text := _read_text(file))):
            text, known = _expanded(file, dict(one.split(':=', 1) for one in arguments))
        for one in () if arguments_of_others else arguments:
            # Xacro ignores what no file asks for: a misspelt name would give another robot.
            if one.partition(':=')[0] not in known:
                names = ', '.join(sorted(known)) or 'none, only xacro files have'
                raise UrdfError(f'it has no argument {one!r}; its arguments: {names}')
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


def _expanded(file: Path, arguments: dict[str, str]) -> tuple[str, set[str]]:
    """The URDF that a xacro file stands for, and names of its arguments; raises UrdfError."""
    xacro = required('xacro', 'xacro')
    known_before = len(xacro.all_includes)
    try:
        # Warnings, such as that of a deprecated form.
        with contextlib.redirect_stderr(io.StringIO()):
            document = xacro.process_file(str(file), mappings=arguments, verbosity=0)
    # Xacro evaluates Python: what it raises depends on the file.
    except Exception as error:
        said = ' '.join(str(error).split()) or repr(error)
        raise UrdfError(f'xacro cannot expand it: {said}') from None
    files = [file, *map(Path, xacro.all_includes[known_before:])]
    texts = [path.read_text(encoding='utf-8', errors='replace') for path in files]
    known = {one or other for text in texts for one, other in ARGUMENT.findall(text)}
    return str(document.toprettyxml(indent='  ')), known
