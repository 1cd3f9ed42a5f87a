"""The parameter files of a command line: whether they say anything to the node."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import yaml

from robot_dynamics_ros.parameter_yaml import PARAMETERS, Block, parameter_blocks, stands_for

# Nodes in the message about a file that is for others.
MOST_NAMES = 10


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
            blocks = _blocks(file)
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
            if values.get(parameter) == value:
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


def _blocks(file: str) -> list[Block]:
    """The blocks of a file; none of one that cannot be read, which ROS refuses itself."""
    try:
        return parameter_blocks(yaml.load(Path(file).read_text(), Loader=yaml.BaseLoader))
    except (OSError, ValueError, yaml.YAMLError):
        return []
