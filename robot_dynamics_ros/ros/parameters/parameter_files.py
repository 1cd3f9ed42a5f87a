"""The parameter files of a command line: whether they say anything to the node, and why not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from robot_dynamics_ros.core.errors import ParameterError

VALUES = 'ros__parameters'
# What rcl says of a list such as [0, 0, -9.81], in a file or on the command line.
MIXED = 'Sequence should be of same type'
# Nodes in the message about a file that is for others.
MOST_NAMES = 10


def given(arguments: Sequence[str]) -> list[str]:
    """The parameter files of a command line, in its order.

    Args:
        arguments: of the process; those between `--ros-args` and `--` count.
    """
    files, within = [], False
    for argument, following in zip(arguments, [*arguments[1:], ''], strict=True):
        if argument == '--ros-args':
            within = True
        elif argument == '--':
            within = False
        elif argument == '--params-file' and within:
            files.append(following)
    return files


def refusal(arguments: Sequence[str], node_name: str) -> str:
    """Why a parameter file of a command line is without effect; empty if each has a block.

    Args:
        arguments: of the process.
        node_name: full name of the node, such as `/arm/robot_dynamics`.
    """
    try:
        for file in given(arguments):
            check(file, node_name)
    except ParameterError as error:
        return f'{error}. Then start the node again'
    return ''


def check(file: str, node_name: str) -> None:
    """Check that a file has a block for a node: without one, the node would run on defaults.

    Args:
        file: path of the file.
        node_name: full name of the node, such as `/arm/robot_dynamics`.

    Raises:
        ParameterError: the file cannot be read, is empty, or has blocks for other nodes only.
    """
    content = _load(file, yaml.BaseLoader)
    names = list(_block_names(content, ''))
    if any(matches(name, node_name) for name in names):
        return
    if not names:
        raise ParameterError(
            f'parameter file {file} is empty: it needs a block {node_name} or /** with '
            f'{VALUES}; or start without this file'
        )
    found = ', '.join(names[:MOST_NAMES]) + (', ...' if len(names) > MOST_NAMES else '')
    raise ParameterError(
        f'parameter file {file} has no block for {node_name}, it has {found}: name the block '
        f'{node_name} or /**, or start without this file'
    )


def matches(pattern: str, node_name: str) -> bool:
    """Whether a block is for a node, by the rules of rcl.

    Args:
        pattern: name of the block, from the root; * stands for one name of the path, ** for any
            number of them.
        node_name: full name of the node.
    """
    words = {'*': r'/[^/]+', '**': r'(/[^/]+)*'}
    tokens = pattern.strip('/').split('/')
    expression = ''.join(words.get(token, f'/{re.escape(token)}') for token in tokens)
    return re.fullmatch(expression, node_name) is not None


def explained(arguments: Sequence[str], error: Exception) -> str:
    """Why a process cannot start with these arguments, in words that name file and remedy.

    Args:
        arguments: of the process.
        error: of rclpy, which names neither.
    """
    for file in given(arguments):
        try:
            mixed = _mixed_list(_load(file, yaml.SafeLoader))
        except ParameterError as problem:
            return str(problem)
        if mixed:
            return f'parameter file {file}: {mixed}'
    if MIXED in str(error):
        return f'{error}: {_mixed_argument(arguments) or "write decimal points in lists"}'
    return str(error)


def _mixed_argument(arguments: Sequence[str]) -> str:
    """What is wrong with the first NAME:=LIST of several types; empty if there is none."""
    for argument in arguments:
        name, assigned, value = argument.partition(':=')
        if assigned and value.lstrip().startswith('['):
            try:
                mixed = _mixed_list(yaml.safe_load(value), name)
            except yaml.YAMLError:
                continue
            if mixed:
                return mixed
    return ''


def _load(file: str, loader: type[yaml.BaseLoader] | type[yaml.SafeLoader]) -> Any:
    try:
        content = yaml.load(Path(file).read_text(), Loader=loader)
    except OSError as error:
        raise ParameterError(f'parameter file {file} cannot be read: {error.strerror}') from None
    except (yaml.YAMLError, ValueError) as error:
        reason = ' '.join(str(error).split())
        raise ParameterError(f'parameter file {file} is not YAML: {reason}') from None
    if not isinstance(content, dict | None):
        raise ParameterError(
            f'parameter file {file} is a {type(content).__name__}, blocks of nodes are needed'
        )
    for name in _blocks_without_values(content, ''):
        raise ParameterError(
            f'parameter file {file}: block {name} needs {VALUES} with parameters below it'
        )
    return content


def _block_names(content: Any, above: str) -> Iterator[str]:
    """Names of nodes, from the root: namespaces may be keys of their own."""
    for key, value in (content or {}).items():
        if key == VALUES:
            yield above
        elif isinstance(value, dict):
            yield from _block_names(value, f'{above.rstrip("/")}/{str(key).strip("/")}')


def _blocks_without_values(content: Any, above: str) -> Iterator[str]:
    for key, value in (content or {}).items():
        name = f'{above}/{str(key).strip("/")}'
        if key == VALUES:
            if not isinstance(value, dict):
                yield above
        elif isinstance(value, dict):
            yield from _blocks_without_values(value, name)
        else:
            yield above or name


def _mixed_list(content: Any, name: str = '') -> str:
    """What is wrong with the first list of entries of several types; empty if there is none."""
    if isinstance(content, dict):
        found = (_mixed_list(value, str(key)) for key, value in content.items())
        return next(filter(None, found), '')
    if not isinstance(content, list) or len({type(entry) for entry in content}) < 2:
        return ''
    if {type(entry) for entry in content} == {int, float}:
        return (
            f'{name} is {content}, the numbers must be of one type: write each with a decimal '
            f'point, {[float(entry) for entry in content]}'
        )
    return f'{name} is {content}, the entries must be of one type: write names in quotes'
