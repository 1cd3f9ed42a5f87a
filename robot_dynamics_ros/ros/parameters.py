"""A table of parameters: what each row allows; declared on a node of rclpy, and read.

With it, the parameter files that a process was started with.

A table itself needs no ROS: the command knows the names of `parameter_table` without it.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.parameter_yaml import PARAMETERS, parameter_blocks, read_yaml, stands_for

if TYPE_CHECKING:
    from rclpy.node import Node

ParameterType = Literal['bool', 'double', 'string', 'double_array', 'string_array', 'double_map']
# What is needed, in words, and the type of each entry. A file says 1 where it means 1.0.
NEEDED: dict[str, tuple[str, type]] = {
    'bool': ('a bool is needed', bool),
    'double': ('a number is needed', float),
    'string': ('a string is needed', str),
    # The command line takes [0, 0, -9.81] for a string.
    'double_array': ('a list is needed, such as [0.0, 0.0, -9.81]', float),
    'string_array': ("a list is needed, such as ['a', 'b']", str),
    'double_map': ('a number for each name is needed, such as {some_joint: 0.02}', float),
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a node.

    Attributes:
        name: of the parameter.
        type: of its values; an array or a map may be empty. An array of strings holds each once,
            and no empty ones. A map has one number for each name; in ROS each of them is a
            parameter of its own, such as `locked_joints.finger_joint`.
        default: value where none is given.
        description: what it is, in one sentence.
        details: further sentences.
        unit: of its numbers; empty for none.
        least: smallest number.
        above: number that each must exceed.
        most: largest number.
        infinite: whether infinity is allowed, for "no limit".
        choices: the strings that are allowed, with what each means.
        size: number of values that an array of numbers must hold; 0: as many as joints.
        path: whether a string is the path of a file, relative to the parameter file that gives it.
        empty: what an empty string, array or map stands for.
        live: whether a change takes effect at once; see `Table.read` for the others.
    """

    name: str
    type: ParameterType
    default: Any
    description: str
    details: str = ''
    unit: str = ''
    least: float = -math.inf
    above: float = -math.inf
    most: float = math.inf
    infinite: bool = False
    choices: Mapping[str, str] = field(default_factory=dict)
    size: int = 0
    path: bool = False
    empty: str = ''
    live: bool = False

    @property
    def many(self) -> str:
        """How it holds several values: 'array' or 'map'; empty for a single one."""
        return self.type.partition('_')[2]

    def checked(self, value: Any) -> Any:
        """A value that came from ROS, as the type says: arrays as lists without empty strings.

        Raises:
            ParameterError: it has the wrong type, or is not allowed.
        """
        if not self.many:
            return self._entry(self.name, value)
        if self.many == 'map' and isinstance(value, Mapping):
            return {key: self._entry(f'{self.name}.{key}', each) for key, each in value.items()}
        # An empty list in a parameter file arrives as None.
        values = () if value is None else value
        listed = isinstance(values, Iterable) and not isinstance(values, str | Mapping)
        if self.many == 'map' or not listed:
            raise ParameterError(f'{self.name} is {value!r}, {NEEDED[self.type][0]}')
        entries = [
            self._entry(f'{self.name}[{index}]', entry)
            for index, entry in enumerate(values)
            if entry != ''
        ]
        for entry in entries:
            if self.type == 'string_array' and entries.count(entry) > 1:
                raise ParameterError(f'{self.name}: {entry!r} is named twice')
        if self.size and len(entries) != self.size:
            raise ParameterError(
                f'{self.name} has {len(entries)} values, {self.size} are needed: {entries}'
            )
        return entries

    def allowed(self) -> str:
        """What is required of its values beyond the type, in words; empty for nothing."""
        words = [self._interval()]
        if self.type == 'double_array':
            words.append(f'{self.size} values' if self.size else 'one value per joint')
        if self.choices:
            words.append(f'{"any" if self.many else "one"} of {", ".join(self.choices)}')
        return ', '.join(filter(None, words))

    def _interval(self) -> str:
        limits = {'at least': self.least, 'greater than': self.above, 'at most': self.most}
        words = [f'{word} {limit:g}' for word, limit in limits.items() if math.isfinite(limit)]
        return ' and '.join(words + ['.inf for no limit'] * self.infinite)

    def _entry(self, name: str, value: Any) -> Any:
        needed, kind = NEEDED[self.type.partition('_')[0]]
        # In Python a bool is an integer, in ROS it is not.
        if kind is float and type(value) is int:
            value = float(value)
        if not isinstance(value, kind):
            raise ParameterError(f'{name} is {value!r}, {needed}')
        if self.choices and value not in self.choices:
            raise ParameterError(f'{name} is {value!r}, allowed are {", ".join(self.choices)}')
        if kind is float:
            within = self.above < value and self.least <= value <= self.most
            if not (within and (math.isfinite(value) or self.infinite)):
                finite = '' if self.infinite or math.isfinite(self.most) else 'finite'
                words = ' and '.join(filter(None, (self._interval(), finite)))
                unit = f' [{self.unit}]' if self.unit else ''
                raise ParameterError(f'{name} is {value}, it must be {words}{unit}')
        return value


@dataclass(frozen=True)
class Table:
    """All parameters of a node.

    Attributes:
        groups: the parameters by heading, in the order of the documents.
        read: when those are read that are not live, such as "on configure".
        read_only: whether those can never be set while the node runs.
    """

    groups: Mapping[str, tuple[Parameter, ...]]
    read: str
    read_only: bool = False

    @property
    def rows(self) -> dict[str, Parameter]:
        """The parameters by name."""
        return {row.name: row for rows in self.groups.values() for row in rows}

    def row_of(self, name: str) -> Parameter | None:
        """The row of a parameter of a node, also of one entry of a map; None if there is none."""
        row = self.rows.get(name) or self.rows.get(name.partition('.')[0])
        return row if row is not None and (row.name == name or row.many == 'map') else None

    def nearest(self, name: str) -> str:
        """A name that is not in the table, with the nearest that is."""
        near = get_close_matches(name, self.rows, n=1)
        return f'{name} (did you mean {near[0]}?)' if near else name


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


def given(node: Node) -> Mapping[str, Any]:
    """The parameters that a node was given at its start, by name."""
    # rclpy keeps them for the declarations, and has no public way to ask.
    return getattr(node, '_parameter_overrides', {})


def declare(node: Node, table: Table) -> None:
    """Declare every parameter of a table on a node, with what `ros2 param describe` shows of it.

    Types and ranges are words, which `read` checks. As static types and ranges, rclpy would end
    the process where a parameter file holds a wrong value, and would refuse 2 for 2.0; this node
    says the reason and waits for a better one.
    """
    from rcl_interfaces.msg import ParameterDescriptor
    from rclpy.parameter import Parameter as Value

    for row in table.rows.values():
        constraints = ', '.join(filter(None, [row.type.replace('_', ' '), row.allowed()]))
        if row.choices:
            meanings = (f'{choice} ({meaning})' for choice, meaning in row.choices.items())
            constraints += f': {", ".join(meanings)}'
        words = [row.description, row.details, row.empty and f'Empty: {row.empty}.']
        read_when = 'Live: a change takes effect at once.' if row.live else f'Read {table.read}.'
        words += [row.unit and f'Unit: {row.unit}.', read_when]
        descriptor = ParameterDescriptor(
            description=' '.join(filter(None, words)),
            additional_constraints=constraints,
            read_only=table.read_only and not row.live,
            dynamic_typing=True,
        )
        if row.many == 'map':
            # Each entry that is given; its own name too, so that `read` can refuse it.
            for name in given(node):
                if table.row_of(name) is row:
                    node.declare_parameter(name, None, descriptor)
            continue
        value = node.declare_parameter(row.name, row.default, descriptor).value
        if row.many and not (value or table.read_only) and isinstance(value, Sized | None):
            # rclpy takes an empty list in a file for no value, and one in Python for bytes:
            # `ros2 param dump` would write null, which a parameter file holds for a text.
            node.set_parameters([Value(row.name, Value.Type[row.type.upper()], [])])


def read(
    node: Node,
    table: Table,
    changes: Mapping[str, Any] | None = None,
    *,
    files: ParameterFiles | None = None,
) -> dict[str, Any]:
    """The checked value of every parameter of a table that a node has declared, by name.

    Values of `changes` take the place of the node's; without `files`, relative paths stay.

    Raises:
        ParameterError: one has the wrong type, or is not allowed, or the node was given one that
            it does not have.
    """

    def elsewhere(name: str) -> bool:
        """Whether it is of the quality of service of a topic that the node does not have."""
        topic = name.rsplit('.', 2)[0]
        return name.startswith('qos_overrides.') and not node.get_parameters_by_prefix(topic)

    names = [name for name in given(node) if not node.has_parameter(name)]
    if unknown := sorted(name for name in names if not elsewhere(name)):
        raise ParameterError(
            f'{", ".join(map(table.nearest, unknown))}: no such parameter; correct the name, or '
            'remove it, and start the node again'
        )

    def value(name: str) -> Any:
        return changes[name] if changes and name in changes else node.get_parameter(name).value

    found = {}
    for name, row in table.rows.items():
        if row.many == 'map' and not node.has_parameter(name):
            entries = node.get_parameters_by_prefix(name)
            found[name] = row.checked({entry: value(f'{name}.{entry}') for entry in entries})
        else:
            found[name] = row.checked(value(name))
        if row.path and found[name] and files is not None:
            found[name] = str(files.path(name, found[name]))
    return found
