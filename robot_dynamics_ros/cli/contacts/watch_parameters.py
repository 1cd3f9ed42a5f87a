"""Parameter files of dynamics_node: what they say of friction, observer and thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from robot_dynamics_ros.contacts import WatchSettings
from robot_dynamics_ros.contacts.watch_settings import ByJoint
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.parameter_blocks import node_parameters, parameter_blocks
from robot_dynamics_ros.recordings.extra import required

from ..surroundings import ParameterNames

# Parameters that rclpy declares.
OF_EVERY_NODE = ('use_sim_time', 'start_type_description_service', 'qos_overrides')
FRICTION = ('viscous', 'coulomb', 'viscous_negative', 'coulomb_negative')
THRESHOLDS = tuple(
    f'{band}_threshold{part}'
    for band in ('collision', 'push')
    for part in ('', '_velocity', '_acceleration')
)
CONSTANTS = ('collision_threshold', 'push_threshold')
# Bounds of dynamics_node; those of friction are checked where it is computed.
LEAST_CUTOFF, LARGEST_MARGIN = 0.1, 100.0
POSITIVE = (*CONSTANTS, 'external_bandwidth')
NUMBERS = {'friction_smoothing': 'smoothing', 'contact_cutoff': 'cutoff'}
LEAST = {'contact_cutoff': LEAST_CUTOFF}
CHECK = 'driver_gravity_check'
LISTS = {
    'torque_offset': 'offset',
    'armature': 'armature',
    'external_bandwidth': 'bandwidth',
    'friction_smoothing_by_joint': 'smoothings',
}
# Of dynamics_node alone, from which a block for it is known.
OWN = (*(f'friction_{name}' for name in FRICTION), *THRESHOLDS, *NUMBERS, *LISTS, CHECK)


def with_parameter_files(
    settings: WatchSettings, files: Sequence[Path], joints: Sequence[str]
) -> WatchSettings:
    """The settings with what files say; later ones have precedence, also with an empty list.

    Args:
        settings: without them.
        files: each as dynamics_node takes it with --params-file.
        joints: of the robot; lists of a file without `joints` are for those of the last file that
            has them, as in the node, or for these.

    Raises:
        ParameterError: a file is not one, a value is not what the parameter takes, or thresholds
            lack joints that others have.
        OSError: a file cannot be read.
    """
    read = [(_File(file, tuple(joints)), _parameters(file)) for file in files]
    for file, values in read:
        if 'joints' in values:
            file.choose(file.names('joints', values['joints']))
            settings = replace(settings, joints=file.joints)
    for file, values in read:
        if 'joints' not in values and settings.joints:
            file.choose(settings.joints)
        settings = _with(settings, values, file)
    _check_thresholds(settings.thresholds, ', '.join(map(str, files)))
    return settings


def unknown_names(files: Sequence[Path], known: ParameterNames | None) -> str:
    """Names in files that are no parameters of dynamics_node, with the nearest that it has.

    Args:
        files: each as dynamics_node takes it with --params-file.
        known: gives the names of its parameters; None where they are not known.

    Raises:
        ParameterError: a file is not one.
        OSError: a file cannot be read.
    """
    if known is None or not files:
        return ''
    names = [*known()]
    found = []
    for file in files:
        for name in _parameters(file):
            # Of a map, the entries have names of their own.
            if str(name).partition('.')[0] not in {*names, *OF_EVERY_NODE}:
                near = get_close_matches(str(name), names, n=1)
                hint = f', did you mean {near[0]}?' if near else ''
                found.append(f'{name} ({file}{hint})')
    return ', '.join(found)


class _File:
    """Values of one file, checked.

    Attributes:
        joints: that lists of values are for.
    """

    def __init__(self, path: Path, joints: tuple[str, ...]) -> None:
        self._path, self.joints = path, joints

    def choose(self, names: Sequence[str]) -> None:
        """Take these joints of the robot for those of the lists; all if there are none."""
        if unknown := [name for name in names if name not in self.joints]:
            raise ParameterError(
                f'{self._path}: parameter joints has joints that the robot does not have '
                f'({", ".join(unknown)}), it has {", ".join(self.joints)}'
            )
        if len(set(names)) < len(names):
            raise ParameterError(
                f'{self._path}: parameter joints is {", ".join(names)}: name each joint once'
            )
        self.joints = tuple(names) or self.joints

    def by_joint(self, name: str, given: Any) -> dict[str, float]:
        """One value for each joint, or one for all; empty where the list is."""
        values = [self.number(name, each) for each in given] if isinstance(given, list) else None
        if values is None or len(values) not in (0, 1, len(self.joints)):
            raise ParameterError(
                f'{self._path}: {name} is {given!r}, a list of one number for each of the '
                f'{len(self.joints)} joints is needed, or of one for all'
            )
        if len(values) == 1:
            values *= len(self.joints)
        by_joint = dict(zip(self.joints, values, strict=False))
        for joint, value in by_joint.items():
            self._check_size(name, joint, value)
        return by_joint

    def _check_size(self, name: str, joint: str, value: float) -> None:
        """Check that the value of a joint is not too small."""
        positive = name in POSITIVE
        if (value < 0.0 and name in THRESHOLDS) or (value <= 0.0 and positive):
            raise ParameterError(
                f'{self._path}: {name} of {joint} is {value:g}, it must be '
                f'{"greater than" if positive else "at least"} 0'
            )

    def number(self, name: str, given: Any, least: float = -math.inf) -> float:
        """A finite number that is not below another one."""
        if isinstance(given, bool) or not isinstance(given, (int, float)):
            raise ParameterError(f'{self._path}: {name} has {given!r}, a number is needed')
        if not math.isfinite(given):
            raise ParameterError(f'{self._path}: {name} has {given}, it must be finite')
        if given < least:
            raise ParameterError(
                f'{self._path}: {name} is {given:g}, it must be at least {least:g}'
            )
        return float(given)

    def flag(self, name: str, given: Any) -> bool:
        """True or false."""
        if not isinstance(given, bool):
            raise ParameterError(f'{self._path}: {name} is {given!r}, true or false is needed')
        return given

    def vector(self, name: str, given: Any) -> tuple[float, ...]:
        """Three finite numbers."""
        if not isinstance(given, list) or len(given) != 3:
            raise ParameterError(f'{self._path}: {name} is {given!r}, three numbers are needed')
        return tuple(self.number(name, each) for each in given)

    def names(self, name: str, given: Any) -> tuple[str, ...]:
        """A list of names, without empty ones."""
        if not (isinstance(given, list) and all(isinstance(each, str) for each in given)):
            raise ParameterError(f'{self._path}: {name} is {given!r}, a list of names is needed')
        return tuple(each for each in given if each)


def _with(settings: WatchSettings, values: Mapping[str, Any], file: _File) -> WatchSettings:
    """The settings with the values of one file."""

    def by_joint(names: Sequence[str], prefix: str = '') -> Iterator[tuple[str, dict[str, float]]]:
        for name in names:
            if f'{prefix}{name}' in values:
                yield name, file.by_joint(f'{prefix}{name}', values[f'{prefix}{name}'])

    changes: dict[str, Any] = {
        'friction': _replaced(settings.friction, by_joint(FRICTION, 'friction_')),
        'thresholds': _replaced(settings.thresholds, by_joint(THRESHOLDS)),
        **{
            attribute: file.number(name, values[name], LEAST.get(name, -math.inf))
            for name, attribute in NUMBERS.items()
            if name in values
        },
    }
    for name, attribute in LISTS.items():
        for _, given in by_joint([name]):
            changes[attribute] = given
    if CHECK in values:
        changes[CHECK] = file.flag(CHECK, values[CHECK])
    if 'gravity' in values:
        changes['gravity'] = file.vector('gravity', values['gravity'])
    return replace(settings, **changes)


def _check_thresholds(thresholds: Mapping[str, ByJoint], files: str) -> None:
    """Check that each joint with a part of a threshold has the constants that are given.

    Args:
        thresholds: by parameter and joint name, none empty.
        files: their names, for the message.

    Raises:
        ParameterError: a constant lacks a joint.
    """
    for name, values in thresholds.items():
        for constant in CONSTANTS:
            # A band without a constant detects nothing.
            needed = constant in thresholds or name.startswith(f'{constant}_')
            lacking = [each for each in values if each not in thresholds.get(constant, {})]
            if needed and lacking:
                raise ParameterError(
                    f'{files}: {constant} has no value for {", ".join(lacking)}, {name} has: give '
                    'both, or learn them with robot_dynamics thresholds'
                )


def _replaced(
    earlier: Mapping[str, ByJoint], later: Iterable[tuple[str, ByJoint]]
) -> dict[str, ByJoint]:
    """Lists of earlier files, with those of a later one in their place; without empty ones."""
    return {name: values for name, values in {**earlier, **dict(later)}.items() if values}


def _parameters(file: Path) -> dict[str, Any]:
    """All values for dynamics_node in a file."""
    reader = required('ruamel.yaml').YAML(typ='safe')
    text = file.read_text(encoding='utf-8', errors='replace')
    try:
        content = reader.load(text)
    except Exception as error:
        # ruamel.yaml documents no common class of exception.
        why = ' '.join(str(error).split())[:200]
        raise ParameterError(f'{file} cannot be read as YAML: {why}') from None
    try:
        return node_parameters(parameter_blocks(content), OWN)
    except ParameterError as error:
        raise ParameterError(f'{file}: {error}') from None
