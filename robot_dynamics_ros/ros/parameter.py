"""A parameter of a node: name, type, default, allowed values, and words. Needs no ROS."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from robot_dynamics_ros.core.errors import ParameterError

ParameterType = Literal['bool', 'double', 'string', 'double_array', 'string_array', 'double_map']
# Of an entry: what is needed in words, and the type. A file says 1 where it means 1.0.
ENTRIES: dict[str, tuple[str, type]] = {
    'bool': ('a bool', bool),
    'double': ('a number', float),
    'string': ('a string', str),
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
    def is_array(self) -> bool:
        """Whether its values are arrays."""
        return self.type.endswith('_array')

    @property
    def is_map(self) -> bool:
        """Whether its values are maps from names to numbers."""
        return self.type.endswith('_map')

    def checked(self, value: Any) -> Any:
        """A value that came from ROS, as the type says: arrays as lists without empty strings.

        Raises:
            ParameterError: it has the wrong type, or is not allowed.
        """
        if self.is_map:
            if not isinstance(value, Mapping):
                raise ParameterError(
                    f'{self.name} is {value!r}, a number for each name is needed, such as '
                    f'{self.name}: {{some_joint: 0.02}}'
                )
            return {key: self._entry(f'{self.name}.{key}', one) for key, one in value.items()}
        return self._array(value) if self.is_array else self._entry(self.name, value)

    def allowed(self) -> str:
        """What is required of its values beyond the type, in words; empty for nothing."""
        words = [self._interval()]
        if self.type == 'double_array':
            words.append(f'{self.size} values' if self.size else 'one value per joint')
        if self.choices:
            words.append(f'{"any" if self.is_array else "one"} of {", ".join(self.choices)}')
        return ', '.join(filter(None, words))

    def _interval(self) -> str:
        limits = {'at least': self.least, 'greater than': self.above, 'at most': self.most}
        words = [f'{word} {limit:g}' for word, limit in limits.items() if math.isfinite(limit)]
        if self.infinite:
            words.append('.inf for no limit')
        return ' and '.join(words)

    def _array(self, value: Any) -> list[Any]:
        # An empty list in a parameter file arrives as None.
        if value is None:
            value = []
        if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
            # The command line takes [0, 0, -9.81] for a string.
            example = "['a', 'b']" if self.type == 'string_array' else '[0.0, 0.0, -9.81]'
            raise ParameterError(f'{self.name} is {value!r}, a list is needed, such as {example}')
        entries = [
            self._entry(f'{self.name}[{index}]', entry)
            for index, entry in enumerate(value)
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

    def _entry(self, name: str, value: Any) -> Any:
        needed, kind = ENTRIES[self._entry_type]
        # In Python a bool is an integer, in ROS it is not.
        if kind is float and type(value) is int:
            value = float(value)
        if not isinstance(value, kind):
            raise ParameterError(f'{name} is {value!r}, {needed} is needed')
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

    @property
    def _entry_type(self) -> str:
        return self.type.removesuffix('_array').removesuffix('_map')


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
        return row if row is not None and (row.name == name or row.is_map) else None
