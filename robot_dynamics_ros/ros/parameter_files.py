"""The parameter files that a process was started with."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.parameter_yaml import PARAMETERS, parameter_blocks, read_yaml, stands_for


class ParameterFiles:
    """Those of a process; they are read once, as the launcher may remove them later.

    Attributes:
        refusal: why a file is without effect; empty if each has a block for the node. Without one
            the node would run on defaults that nobody chose.
    """

    def __init__(self, arguments: Sequence[str], node_name: str) -> None:
        """Read the files that arguments of a process name for a node, `/arm/robot_dynamics`."""
        self.refusal = ''
        self._values: list[tuple[Path, Mapping[str, Any]]] = []  # with the folder of the file
        for file in map(Path, _files(arguments)):
            try:
                blocks = [*parameter_blocks(read_yaml(file))]
            except ParameterError:
                blocks = []  # ROS refuses the file itself.
            own = [values for name, values in blocks if stands_for(name, node_name)]
            self._values += [(file.resolve().parent, values) for values in own]
            if not own and not self.refusal:
                found = textwrap.shorten(', '.join(name for name, _ in blocks) or 'none', 300)
                self.refusal = (
                    f'parameter file {file} has no block for {node_name}, it has {found}: name a '
                    f'block {node_name} or /**, with {PARAMETERS} below it, or leave out the '
                    'file. Then start the node again'
                )

    def path(self, parameter: str, value: str) -> Path:
        """The file that a parameter names, by its value.

        A relative path is one to the last parameter file that gives it, or without one to the
        working directory.
        """
        for folder, values in reversed(self._values):
            if str(values.get(parameter)) == value:
                return folder / Path(value).expanduser()
        return Path(value).expanduser().absolute()


def _files(arguments: Sequence[str]) -> Iterator[str]:
    """The parameter files of a command line; those between `--ros-args` and `--` count."""
    within = False
    for argument, following in pairwise([*arguments, '']):
        if argument in ('--ros-args', '--'):
            within = argument == '--ros-args'
        elif argument == '--params-file' and within:
            yield following
