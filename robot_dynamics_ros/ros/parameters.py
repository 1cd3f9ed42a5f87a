"""Parameters of a node of rclpy: their files, and a table declared, read, and changed."""

from __future__ import annotations

import textwrap
from array import array
from collections.abc import Callable, Mapping, Sequence, Sized
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Any

import rclpy
import yaml
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.exceptions import ParameterNotDeclaredException
from rclpy.node import Node

from robot_dynamics_ros.core.errors import ParameterError, RobotDynamicsError
from robot_dynamics_ros.parameter_yaml import PARAMETERS, Block, parameter_blocks, stands_for

from .parameter import Parameter, Table

# Sets the values by name.
Changes = Mapping[str, Any]
# Nodes in the message about a file that is for others.
MOST_NAMES = 10


def declare(node: Node, table: Table) -> None:
    """Declare every parameter of a table on a node.

    Neither types nor values are checked here but by `read`: rclpy would end the process where a
    parameter file holds a wrong one, and the node says the reason and waits for a better one.
    """
    for row in table.rows.values():
        described = descriptor(row, table)
        if row.is_map:
            # Each entry that is given; its own name too, so that `read` can refuse it.
            for name, given in _overrides(node).items():
                if name == row.name or name.startswith(f'{row.name}.'):
                    node.declare_parameter(name, given.value, described)
            continue
        value = node.declare_parameter(row.name, row.default, described).value
        empty = value is None or (isinstance(value, Sized) and not len(value))
        if row.is_array and empty and not described.read_only:
            # rclpy takes an empty list in a file for no value, and one in Python for bytes:
            # `ros2 param dump` would write null, which a parameter file holds for a text.
            kind = rclpy.Parameter.Type[row.type.upper()]
            node.set_parameters([rclpy.Parameter(row.name, kind, [])])


def descriptor(row: Parameter, table: Table) -> ParameterDescriptor:
    """What `ros2 param describe` shows of a parameter.

    Ranges and the type stand in the words of `additional_constraints`. As `floating_point_range`
    and as a static type, rclpy would end the process where a parameter file holds a wrong value,
    and would refuse 2 for 2.0.
    """
    words = [row.description, row.details]
    if row.empty:
        words.append(f'Empty: {row.empty}.')
    if row.unit:
        words.append(f'Unit: {row.unit}.')
    words.append('Live: a change takes effect at once.' if row.live else f'Read {table.read}.')
    constraints = ', '.join(filter(None, [row.type.replace('_', ' '), row.allowed()]))
    if row.choices:
        meanings = (f'{choice} ({meaning})' for choice, meaning in row.choices.items())
        constraints += f': {", ".join(meanings)}'
    return ParameterDescriptor(
        description=' '.join(filter(None, words)),
        additional_constraints=constraints,
        read_only=table.read_only and not row.live,
        dynamic_typing=True,
    )


def read(
    node: Node,
    table: Table,
    changes: Changes | None = None,
    *,
    files: ParameterFiles | None = None,
) -> dict[str, Any]:
    """The checked value of every parameter of a table, by name.

    Args:
        node: on which the table was declared.
        table: the parameters.
        changes: values that take the place of the node's, by name.
        files: for relative paths; None leaves them as they are.

    Raises:
        ParameterError: one has the wrong type, or is not allowed.
    """
    changes = changes or {}

    def value(name: str) -> Any:
        return changes[name] if name in changes else node.get_parameter(name).value

    found = {}
    for name, row in table.rows.items():
        if row.is_map and not node.has_parameter(name):
            entries = node.get_parameters_by_prefix(name)
            found[name] = row.checked({entry: value(f'{name}.{entry}') for entry in entries})
        else:
            found[name] = row.checked(value(name))
            if row.path and found[name] and files is not None:
                found[name] = str(files.path(name, found[name]))
    return found


def accept_changes(
    node: Node,
    table: Table,
    check: Callable[[Changes], None],
    apply: Callable[[], None],
) -> None:
    """Check each change of the parameters of a table, and apply it.

    Args:
        node: on which the table was declared.
        table: the parameters.
        check: raises RobotDynamicsError where values, by name, are refused; each was checked
            by its row.
        apply: uses the values that were set.
    """

    def own(changes: list[rclpy.Parameter[Any]]) -> dict[str, Any]:
        return {each.name: each.value for each in changes if table.row_of(each.name)}

    def require_declared(changes: list[rclpy.Parameter[Any]]) -> list[rclpy.Parameter[Any]]:
        # The exception that rclpy itself raises lists no name.
        if names := [each.name for each in changes if not node.has_parameter(each.name)]:
            raise ParameterNotDeclaredException([_with_nearest(name, table) for name in names])
        return changes

    def checked(changes: list[rclpy.Parameter[Any]]) -> SetParametersResult:
        try:
            for name, value in own(changes).items():
                _check_one(name, value, table)
            check(own(changes))
        except RobotDynamicsError as error:
            # rclpy has written the types of the refused values into the descriptors.
            for change in changes:
                present = node.get_parameter(change.name).type_.value
                node.describe_parameter(change.name).type = present
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def applied(changes: list[rclpy.Parameter[Any]]) -> None:
        for name, value in own(changes).items():
            # rclpy gives numbers as arrays, which print their type; a description fills pages.
            text = str(value.tolist() if isinstance(value, array) else value)
            node.get_logger().info(f'{name} is now {textwrap.shorten(text, 200)}')
        if own(changes):
            apply()

    node.add_pre_set_parameters_callback(require_declared)
    node.add_on_set_parameters_callback(checked)
    node.add_post_set_parameters_callback(applied)


def unknown(node: Node, table: Table) -> str:
    """Names of parameters given to a node that it does not have, with the nearest that it has."""
    names = sorted(name for name in _overrides(node) if not node.has_parameter(name))
    return ', '.join(_with_nearest(name, table) for name in names)


def _check_one(name: str, value: Any, table: Table) -> None:
    """Check a value that is to be set, also of one entry of a map; None deletes."""
    row = table.row_of(name)
    if row is None or value is None:
        raise ParameterError(f'{name} cannot be deleted: set a value')
    row.checked(value if row.name == name else {name.removeprefix(f'{row.name}.'): value})


def _with_nearest(name: str, table: Table) -> str:
    """A name that the table does not have, with the nearest that it has."""
    near = get_close_matches(name, table.rows, n=1)
    return f'{name} (did you mean {near[0]}?)' if near else name


def _overrides(node: Node) -> Changes:
    """The parameters that a node was given, by name."""
    # rclpy keeps them for the declarations, and has no public way to ask.
    given: Changes = getattr(node, '_parameter_overrides', {})
    return given


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
