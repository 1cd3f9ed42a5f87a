"""One row of a table of parameters: name, type, default, allowed values, and words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from robot_dynamics_ros.core.errors import ParameterError

from .bounds import Bounds

ParameterType = Literal[
    'bool', 'int', 'double', 'string', 'double_array', 'string_array', 'double_map'
]
Check = Callable[[Any], object]


class _Scalar(NamedTuple):
    words: str
    plural: str
    allowed: tuple[type, ...]
    convert: type


_SCALARS: dict[str, _Scalar] = {
    'bool': _Scalar('a bool', 'bools', (bool,), bool),
    'int': _Scalar('an integer', 'integers', (int,), int),
    # A file says 1 where it means 1.0.
    'double': _Scalar('a number', 'numbers', (int, float), float),
    'string': _Scalar('a string', 'strings', (str,), str),
}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a node.

    The attributes have the names of generate_parameter_library where it has the same.

    Attributes:
        name: of the parameter.
        type: of its values; an array or a map may be empty. A map has one number for each name; in
            ROS each of them is a parameter of its own, such as `locked_joints.finger_joint`.
        default: value where none is given.
        description: what it is, in one sentence.
        details: further sentences, for parameter files and `ros2 param describe`.
        unit: of its numbers; empty for none.
        bounds: that a number, or each number of an array, must respect.
        choices: the strings that are allowed, or of which an array may hold each once, with
            what each means.
        unique: whether an array must not hold a value twice; always so with `choices`.
        size: number of values that an array must hold; 0 for any.
        per_joint: whether an array holds one value for each commanded joint, or one for all.
        empty: what an empty string or array stands for.
        check: further check of a value; raises RobotDynamicsError.
        constraint: what `check` allows, in words.
        live: whether a change takes effect at once; see `ParameterTable` for the others.
        shapes_torque: whether a live change alters the commanded torque, and is faded in.
    """

    name: str
    type: ParameterType
    default: Any
    description: str
    details: str = ''
    unit: str = ''
    bounds: Bounds | None = None
    choices: Mapping[str, str] = field(default_factory=dict)
    unique: bool = False
    size: int = 0
    per_joint: bool = False
    empty: str = ''
    check: Check | None = None
    constraint: str = ''
    live: bool = False
    shapes_torque: bool = False

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
            RobotDynamicsError: it has the wrong type, or is not allowed.
        """
        if self.is_map:
            value = self._checked_map(value)
        elif self.is_array:
            value = self._checked_array(value)
        else:
            value = self._checked_entry(self.name, value)
        if self.check is not None:
            self.check(value)
        return value

    def constraints(self) -> list[str]:
        """What is required of its values beyond the type, in words; of choices: only how many."""
        words = []
        if self.bounds is not None and str(self.bounds):
            each = 'each ' if self.is_array or self.is_map else ''
            words.append(f'{each}{self.bounds}')
        if self.constraint:
            words.append(self.constraint)
        if self.size:
            words.append(f'{self.size} values')
        if self.per_joint:
            words.append('one value per joint or one for all')
        if self.choices:
            words.append('any of these, none twice' if self.is_array else 'one of these')
        elif self.unique:
            words.append('no value twice')
        return words

    def _checked_map(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise ParameterError(
                f'{self.name} is {value!r}, a number for each name is needed, such as '
                f'{self.name}: {{some_joint: 0.02}}'
            )
        return {
            name: self._checked_entry(f'{self.name}.{name}', entry)
            for name, entry in value.items()
        }

    def _checked_array(self, value: Any) -> list[Any]:
        # An empty list in a parameter file arrives as None.
        if value is None:
            value = []
        if isinstance(value, str) or not isinstance(value, Iterable):
            plural = _SCALARS[self._entry_type].plural
            hint = _in_brackets(value, _SCALARS[self._entry_type].allowed)
            raise ParameterError(f'{self.name} is {value!r}, a list of {plural} is needed{hint}')
        entries = [
            self._checked_entry(f'{self.name}[{index}]', entry)
            for index, entry in enumerate(value)
            if entry != ''
        ]
        if self.unique or self.choices:
            self._require_unique(entries)
        if self.size and len(entries) != self.size:
            raise ParameterError(
                f'{self.name} has {len(entries)} values, {self.size} are needed: {entries}'
            )
        return entries

    def _checked_entry(self, name: str, value: Any) -> Any:
        scalar = _SCALARS[self._entry_type]
        # In Python a bool is an integer, in ROS it is not.
        mistaken = isinstance(value, bool) and self._entry_type != 'bool'
        if mistaken or not isinstance(value, scalar.allowed):
            raise ParameterError(f'{name} is {value!r}, {scalar.words} is needed')
        if self.choices and value not in self.choices:
            known = ', '.join(self.choices)
            raise ParameterError(f'{name} is {value!r}, allowed are {known}')
        if self.bounds is not None:
            self.bounds.check(name, value, self.unit)
        return scalar.convert(value)

    def _require_unique(self, entries: list[Any]) -> None:
        for entry in entries:
            if entries.count(entry) > 1:
                raise ParameterError(f'{self.name}: {entry!r} is named twice')

    @property
    def _entry_type(self) -> str:
        return self.type.removesuffix('_array').removesuffix('_map')


def _in_brackets(value: Any, allowed: tuple[type, ...]) -> str:
    """How to write a list that was meant, as the end of a sentence; empty if that is not known."""
    if isinstance(value, str) and value.lstrip().startswith('['):
        # The command line takes [0, 0, -9.81] for a string.
        return f': write each number with a decimal point{_with_points(value)}'
    if isinstance(value, allowed) and not isinstance(value, bool):
        return f': write it in brackets, [{value}]'
    return ''


def _with_points(text: str) -> str:
    """The numbers of a list in a text, as they must be written; empty if it is no such list."""
    try:
        return f', {[float(entry) for entry in text.strip().strip("[]").split(",")]}'
    except ValueError:
        return ''
