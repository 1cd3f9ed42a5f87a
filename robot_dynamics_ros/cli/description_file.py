"""A robot from a URDF file, from a xacro file with arguments, or from a topic.

A xacro file is expanded as the command `xacro` does it: it may include files, and is trusted.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from robot_dynamics_ros.core import RobotModel, parse_urdf
from robot_dynamics_ros.core.errors import ModelError, ParameterError, UrdfError
from robot_dynamics_ros.core.urdf_xml import is_xacro, read_xml
from robot_dynamics_ros.recordings.sources import open_source

from .output import Output, claim
from .surroundings import surroundings

# [B]: the largest descriptions, with every number of every mesh transform, have a few MiB.
LARGEST_FILE = 64 * 2**20

RECORDED_TOPIC = '/robot_description'

# Of xacro: an argument that a file declares or asks for, and a file that it includes.
ARGUMENT = re.compile(r'<xacro:arg\b[^>]*?\bname\s*=\s*["\']([^"\']+)|\$\(arg\s+([^)\s]+)')
INCLUDE = re.compile(r'<xacro:include\b[^>]*?\bfilename\s*=\s*["\']([^"\']+)')


def read_robot(
    file: Path, arguments: Sequence[str] = (), *, arguments_of_others: bool = False
) -> tuple[RobotModel, str]:
    """The robot that a file describes, and the text of its URDF.

    Args:
        file: URDF or xacro.
        arguments: of the xacro file, each `name:=value`.
        arguments_of_others: whether some are for others of several files.

    Raises:
        OSError: the file cannot be read.
        ModelError: the description cannot be used; the message begins with the file.
        ParameterError: an argument has another form, the file takes none, or the subcommand would
            replace a file that it includes.
    """
    with _errors_of(file):
        urdf = _read_urdf(file, arguments, arguments_of_others)
        return parse_urdf(urdf), urdf


def robot_of_text(text: str, source: str) -> tuple[RobotModel, str]:
    """The robot that a text describes, and the text of its URDF.

    Args:
        text: of a URDF.
        source: of the text, such as a topic or a recording, for messages.

    Raises:
        ModelError: the description cannot be used; the message begins with the source.
    """
    with _errors_of(source):
        return parse_urdf(text), text


def robot_of_recording(texts: Sequence[str], name: str) -> tuple[RobotModel, str]:
    """The robot of the newest description of a recording, and its text; others are reported.

    Args:
        texts: different ones that were recorded on /robot_description, the newest one last.
        name: of the recording.

    Raises:
        ModelError: the description cannot be used; the message begins with the recording.
    """
    if len(texts) > 1:
        Output().warning(
            f'{name}: {len(texts)} different texts on {RECORDED_TOPIC}: the newest one is used'
        )
    return robot_of_text(texts[-1], f'{name}: {RECORDED_TOPIC}')


@contextlib.contextmanager
def _errors_of(source: object) -> Iterator[None]:
    """Errors of descriptions begin with their file, topic or recording."""
    try:
        yield
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
    # It imports ROS when it is called.
    read = surroundings().read_topic
    try:
        if read is None:
            raise ModuleNotFoundError(name='rclpy')
        text = read(topic)
    except ModuleNotFoundError as error:
        raise ParameterError(
            f'{topic}: a topic needs ROS 2, whose module {error.name} is not there: source the '
            'setup file of ROS, or name a file'
        ) from None
    return robot_of_text(text, topic)


def robot_of_words(words: Sequence[str], topic: str | None) -> tuple[RobotModel, str, str]:
    """The robot that a command line names: by one file, by a topic, or by both for a recording.

    Args:
        words: the file, and the arguments of xacro.
        topic: of the description; None for a URDF or xacro file.

    Returns:
        The robot, the text of its URDF, and the file or topic that it is from.

    Raises:
        ParameterError: neither is named, or more than one file, or nothing was recorded on
            /robot_description; see also `read_robot`.
        RecordingError: the recording cannot be read.
        OSError: the file cannot be read.
        ModelError: the description cannot be used.
    """
    files, arguments = files_and_arguments(words)
    if topic is not None and not words:
        return *robot_of_topic(topic), topic
    if len(files) != 1:
        named = ', '.join(repr(str(file)) for file in files) or 'none'
        raise ParameterError(
            f'one FILE or --topic is needed, named: {named} (arguments of xacro are name:=value)'
        )
    if topic is None:
        return *read_robot(files[0], arguments), str(files[0])
    recording = files[0]
    if arguments:
        raise ParameterError(f'{recording} is a recording: it takes no {arguments[0]!r}')
    if topic.lstrip('/') != RECORDED_TOPIC.lstrip('/'):
        raise ParameterError(
            f'{recording}: --topic is {topic}, of a recording only {RECORDED_TOPIC} is read'
        )
    with open_source([recording]) as source:
        texts = source.descriptions
    if not texts:
        raise ParameterError(
            f'{recording}: nothing was recorded on {RECORDED_TOPIC}: name a URDF or xacro file'
        )
    return *robot_of_recording(texts, str(recording)), str(recording)


def files_and_arguments(words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The files, and the arguments of xacro (`name:=value`), of a command line."""
    arguments = [word for word in words if ':=' in word]
    return [Path(word) for word in words if ':=' not in word], arguments


def _read_urdf(file: Path, arguments: Sequence[str], arguments_of_others: bool) -> str:
    """The URDF that a file holds, or that a xacro file stands for."""
    mappings = {}
    for argument in arguments:
        name, separator, value = argument.partition(':=')
        if not name or not separator:
            raise ParameterError(f'{argument!r} is no argument of xacro, which are name:=value')
        mappings[name] = value
    text = _read_text(file)
    if is_xacro(read_xml(text)):
        urdf, included = _expanded(file, mappings, arguments_of_others)
        claim(included, {})
        return urdf
    if arguments and not arguments_of_others:
        raise ParameterError(f'{file} is a URDF: it takes no {arguments[0]!r}, xacro files do')
    return text


def _read_text(file: Path) -> str:
    if file.is_dir():
        raise UrdfError(f'it is a folder: name a file in it, or {file}/*.urdf')
    with file.open('rb') as opened:
        content = opened.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise UrdfError(f'it is larger than {LARGEST_FILE // 2**20} MiB: not a URDF')
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise UrdfError('not a URDF, which is a text in UTF-8') from None


def _expanded(
    file: Path, arguments: Mapping[str, str], arguments_of_others: bool
) -> tuple[str, list[Path]]:
    """The URDF that a xacro file stands for, and the files that it includes.

    Args:
        file: to expand.
        arguments: of xacro, by name.
        arguments_of_others: whether it may be given arguments that it does not have.

    Raises:
        UrdfError: the package `xacro` is not installed, cannot expand the file, or the file has no
            such argument.
    """
    try:
        import xacro
    except ImportError:
        raise UrdfError(
            'it is xacro, and the package xacro is not installed: pip install xacro'
        ) from None
    known_before = len(xacro.all_includes)
    try:
        # Warnings, such as that of a deprecated form.
        with contextlib.redirect_stderr(io.StringIO()):
            document = xacro.process_file(str(file), mappings=dict(arguments), verbosity=0)
    # Xacro evaluates Python: what it raises depends on the file.
    except Exception as error:
        said = ' '.join(str(error).split()) or repr(error)
        raise UrdfError(f'xacro cannot expand it: {said}') from None
    included = [Path(name).resolve() for name in xacro.all_includes[known_before:]]
    if not arguments_of_others:
        _check_arguments(arguments, [file.resolve(), *included])
    return document.toprettyxml(indent='  '), included


def _check_arguments(arguments: Mapping[str, str], files: list[Path]) -> None:
    """Check that the files, or those that they would include in other branches, have arguments.

    Raises:
        UrdfError: none of them has one of the arguments.
    """
    known: set[str] = set()
    lost: set[str] = set()
    # The list grows while it is read.
    for file in files:
        text = file.read_text(encoding='utf-8', errors='replace')
        known.update(declared or asked for declared, asked in ARGUMENT.findall(text))
        for name in INCLUDE.findall(text):
            found = (file.parent / name).resolve()
            if not found.is_file():
                lost.add(name)
            elif found not in files:
                files.append(found)
    if ignored := sorted(arguments.keys() - known):
        hint = f'; not looked into: it includes {", ".join(sorted(lost))}' if lost else ''
        named = ', '.join(sorted(known)) or 'none'
        raise UrdfError(f'it has no argument {", ".join(ignored)}; its arguments: {named}{hint}')
