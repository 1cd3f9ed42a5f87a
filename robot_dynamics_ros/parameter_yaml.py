"""YAML of parameters: files of ROS, with blocks for nodes by name, and values by joint."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from robot_dynamics_ros.core.errors import ParameterError

PARAMETERS = 'ros__parameters'
# Last parts of the names of blocks that are for dynamics_node, whatever is in them.
NODES = ('*', '**', 'robot_dynamics')
# What stands for one part of a name, and for any number of them.
WILDCARDS = {'*': '/[^/]+', '**': '(?:/[^/]+)*'}
# Nodes in the message about a file that is for others.
MOST_NAMES = 10
# Name and values.
Block = tuple[str, Mapping[str, Any]]
# Of a file [B]: those of parameters have some kB.
LARGEST = 1 << 20
# Characters of a line of a comment.
WIDTH = 95
# Words that YAML 1.1, which ROS reads, takes for a bool or for nothing, or splits, are not plain.
PLAIN = re.compile(r'(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z][a-z_]*')


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Reads 1e-3 as a number, as ROS does."""


_Loader.add_implicit_resolver(
    'tag:yaml.org,2002:float', re.compile(r'[-+]?\d+[eE][-+]?\d+\Z'), [*'-+0123456789']
)


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Quotes text that YAML 1.1 might take for something else, and repeats equal values."""

    def ignore_aliases(self, data: object) -> bool:
        return True

    def represent_text(self, text: str) -> yaml.Node:
        quoted = "'" if text.isprintable() else '"'
        style = None if PLAIN.fullmatch(text) else quoted
        return self.represent_scalar('tag:yaml.org,2002:str', text, style=style)


_Dumper.add_representer(str, _Dumper.represent_text)


def read_yaml(file: Path) -> Any:
    """The content of a YAML file of parameters.

    Raises:
        ParameterError: the file cannot be read, is larger than 1 MiB, or is not YAML.
    """
    try:
        with file.open('rb') as opened:
            content = opened.read(LARGEST + 1)
    except OSError as error:
        raise ParameterError(f'{file}: cannot be read: {error.strerror}') from None
    if len(content) > LARGEST:
        raise ParameterError(f'{file} is larger than {LARGEST >> 20} MiB: not a parameter file')
    try:
        return yaml.load(content.decode(), _Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = ' '.join(str(error).split())[:200]
        raise ParameterError(f'{file}: cannot be read as YAML: {reason}') from None


@contextmanager
def errors_in(file: Path | str) -> Iterator[None]:
    """Errors of parameters begin with the name of their file."""
    try:
        yield
    except ParameterError as error:
        raise ParameterError(f'{file}: {error}') from None


def values_by_joint(content: Any, kind: str) -> dict[str, Mapping[str, Any]]:
    """What a file says of joints, below its key `joints`: values by name, for each joint.

    Args:
        content: of the file.
        kind: of file, for the message.

    Raises:
        ParameterError: it has no joints, or one has no values by name.
    """
    joints = content.get('joints') if isinstance(content, dict) else None
    if not isinstance(joints, dict) or not joints:
        raise ParameterError(f'no values by joint name below `joints`: {kind} is needed')
    for joint, values in joints.items():
        if not isinstance(values, dict):
            raise ParameterError(f'joint {joint} has {values!r}: its values are needed by name')
    return {str(joint): values for joint, values in joints.items()}


def finite_number(name: str, value: Any) -> float:
    """A number of a file.

    Raises:
        ParameterError: it is none, or not finite; the message begins with the name.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ParameterError(f'{name} is {value!r}, a number is needed')
    if not math.isfinite(value):
        raise ParameterError(f'{name} is {value}, it must be finite')
    return float(value)


def parameter_blocks(content: Any) -> list[Block]:
    """The blocks of a file, in its order; namespaces may be keys of their own.

    Args:
        content: of the file.
    """
    return list(_blocks(content, '', set()))


def node_parameters(blocks: Sequence[Block], names: Collection[str]) -> dict[str, Any]:
    """All values for one dynamics_node; as in ROS, later blocks have precedence.

    Args:
        blocks: of a file.
        names: of parameters: a block that has one is for dynamics_node, whatever its own name.

    Raises:
        ParameterError: no block is for dynamics_node, or two are for different nodes.
    """
    ours = [
        (name, values)
        for name, values in blocks
        if name.rsplit('/', 1)[-1] in NODES or not values.keys().isdisjoint(names)
    ]
    if not ours:
        others = ', '.join(name for name, _ in blocks) or 'none'
        raise ParameterError(
            f'no block /** or robot_dynamics with {PARAMETERS} (blocks: {others}): name a '
            'parameter file of dynamics_node'
        )
    found = dict.fromkeys(name for name, _ in ours)
    # Is there a node that all are for, with the namespace of one and the last part of another?
    spaces, last = ([name.rpartition('/')[part] for name in found] for part in (0, 2))
    nodes = [f'{space}/{own}' for space in spaces for own in last]
    if not any(all(stands_for(name, node) for name in found) for node in nodes):
        raise ParameterError(
            f'parameters of several nodes ({", ".join(found)}): name a file with those of one '
            'node; blocks /** are for every node'
        )
    return {name: value for _, values in ours for name, value in values.items()}


def stands_for(name: str, node: str) -> bool:
    """Whether the name of a block, which may have wildcards, is that of a node, as in rcl."""
    parts = name.split('/')[1:]
    expression = ''.join(WILDCARDS.get(part, f'/{re.escape(part)}') for part in parts)
    return re.fullmatch(expression, node) is not None


class ParameterFiles:
    """Those of a process; they are read once, as the launcher may remove them later.

    Attributes:
        refusal: why a file is without effect; empty if each has a block for the node. Without one
            the node would run on defaults that nobody chose.
    """

    def __init__(self, arguments: Sequence[str], node_name: str) -> None:
        """Read the files.

        Args:
            arguments: of the process.
            node_name: full name of the node, such as `/arm/robot_dynamics`.
        """
        self.refusal = ''
        # Of each block for the node, the folder of its file.
        self._values: list[tuple[Path, Block]] = []
        for file in _files(arguments):
            try:
                blocks = parameter_blocks(read_yaml(Path(file)))
            except ParameterError:
                blocks = []  # ROS refuses the file itself.
            own = [block for block in blocks if stands_for(block[0], node_name)]
            self._values += [(Path(file).resolve().parent, block) for block in own]
            if not own and not self.refusal:
                names = [name for name, _ in blocks]
                found = ', '.join(names[:MOST_NAMES] + ['...'] * (len(names) > MOST_NAMES))
                self.refusal = (
                    f'parameter file {file} has no block for {node_name}, it has '
                    f'{found or "none"}: name a block {node_name} or /**, with {PARAMETERS} below '
                    'it, or leave out the file. Then start the node again'
                )

    def path(self, parameter: str, value: str) -> Path:
        """The file that a parameter names.

        Args:
            parameter: name of the parameter.
            value: an absolute path, or one relative to the last parameter file that gives it; to
                the working directory where none does.
        """
        for folder, (_, values) in reversed(self._values):
            if str(values.get(parameter)) == value:
                return folder / Path(value).expanduser()
        return Path(value).expanduser().absolute()


def _files(arguments: Sequence[str]) -> list[str]:
    """The parameter files of a command line; those between `--ros-args` and `--` count."""
    files, within = [], False
    for argument, following in pairwise([*arguments, '']):
        if argument in ('--ros-args', '--'):
            within = argument == '--ros-args'
        elif argument == '--params-file' and within:
            files.append(following)
    return files


def _blocks(content: Any, name: str, seen: set[int]) -> Iterator[Block]:
    """Name and values of each block.

    Args:
        content: of the file, or of a namespace.
        name: of the namespace.
        seen: ids of what was looked at: in YAML one value may stand at many places.
    """
    if not isinstance(content, dict) or id(content) in seen:
        return
    seen.add(id(content))
    for key, entry in content.items():
        if key == PARAMETERS and isinstance(entry, dict):
            yield name, entry
        else:
            yield from _blocks(entry, f'{name}/{str(key).strip("/")}', seen)


def yaml_value(value: Any) -> str:
    """A value of a parameter as ROS reads it from YAML, in one line."""
    text: str = yaml.dump(
        [value], Dumper=_Dumper, default_flow_style=True, width=math.inf, allow_unicode=True,
        sort_keys=False,
    )  # fmt: skip
    return text.strip()[1:-1]


def yaml_comment(title: str, sentences: Iterable[str]) -> str:
    """A comment above other lines: a title and sentences; empty where there is no sentence."""
    lines = []
    for sentence in sentences:
        # Names of files may hold what no YAML may.
        plain = ''.join(each if each.isprintable() else ' ' for each in sentence)
        lines += textwrap.wrap(' '.join(plain.split()), WIDTH, initial_indent='  ')
    return ''.join(f'# {line}\n' for line in [title, *lines]) + '#\n' if lines else ''
