"""The parameter files of a command line: whether they say anything to the node."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from robot_dynamics_ros.parameter_blocks import PARAMETERS, Block, parameter_blocks, stands_for

# Nodes in the message about a file that is for others.
MOST_NAMES = 10


def refusal(arguments: Sequence[str], node_name: str) -> str:
    """Why a parameter file of a command line is without effect; empty if each has a block.

    Without a block for it, the node would run on defaults that nobody chose.

    Args:
        arguments: of the process.
        node_name: full name of the node, such as `/arm/robot_dynamics`.
    """
    for file in _files(arguments):
        names = [name for name, _ in _blocks(file)]
        if not any(stands_for(name, node_name) for name in names):
            found = ', '.join(names[:MOST_NAMES]) + (', ...' if len(names) > MOST_NAMES else '')
            return (
                f'parameter file {file} has no block for {node_name}, it has {found or "none"}: '
                f'name a block {node_name} or /**, with {PARAMETERS} below it, or leave out the '
                'file. Then start the node again'
            )
    return ''


def folder_of(arguments: Sequence[str], node_name: str, parameter: str, value: str) -> Path:
    """The folder that a relative path in a parameter is for.

    That of the last parameter file of the command line that gives the node this value; the
    working directory where none does.

    Args:
        arguments: of the process.
        node_name: full name of the node.
        parameter: name of the parameter.
        value: of it.
    """
    for file in reversed(_files(arguments)):
        for name, values in _blocks(file):
            if stands_for(name, node_name) and values.get(parameter) == value:
                return Path(file).resolve().parent
    return Path.cwd()


def _files(arguments: Sequence[str]) -> list[str]:
    """The parameter files of a command line; those between `--ros-args` and `--` count."""
    files, within = [], False
    for argument, following in zip(arguments, [*arguments[1:], ''], strict=True):
        if argument in ('--ros-args', '--'):
            within = argument == '--ros-args'
        elif argument == '--params-file' and within:
            files.append(following)
    return files


def _blocks(file: str) -> list[Block]:
    """The blocks of a file; none of one that cannot be read, which ROS refuses itself."""
    try:
        return parameter_blocks(yaml.load(Path(file).read_text(), Loader=yaml.BaseLoader))
    except (OSError, ValueError, yaml.YAMLError):
        return []
