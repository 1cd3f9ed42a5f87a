"""Parameter files of dynamics_node: what they say of friction, observer and thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from robot_dynamics_ros.contacts import WatchSettings
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.recordings.extra import required

from ..surroundings import ParameterNames

VALUES = 'ros__parameters'
# Names of blocks that are for dynamics_node, after the last slash.
NODES = ('*', '**', 'robot_dynamics')
# Parameters that rclpy declares.
OF_EVERY_NODE = ('use_sim_time', 'start_type_description_service', 'qos_overrides')
FRICTION = ('viscous', 'coulomb', 'viscous_negative', 'coulomb_negative')
THRESHOLDS = tuple(
    f'{band}_threshold{part}'
    for band in ('collision', 'push')
    for part in ('', '_velocity', '_acceleration')
)
NUMBERS = {'friction_smoothing': 'smoothing', 'contact_cutoff': 'cutoff'}
CHECK = 'driver_gravity_check'
LISTS = {'torque_offset': 'offset', 'armature': 'armature', 'external_bandwidth': 'bandwidth'}


def with_parameter_files(
    settings: WatchSettings, files: Sequence[Path], joints: Sequence[str]
) -> WatchSettings:
    """The settings with what files say; later ones have precedence.

    Args:
        settings: without them.
        files: each as dynamics_node takes it with --params-file.
        joints: of the robot: those of a file that does not name its joints.

    Raises:
        ParameterError: a file is not one, or a value is not what the parameter takes.
        OSError: a file cannot be read.
    """
    for file in files:
        settings = _with(settings, _parameters(file), _File(file, tuple(joints)))
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
        return dict(zip(self.joints, values, strict=False))

    def number(self, name: str, given: Any) -> float:
        """A finite number."""
        if isinstance(given, bool) or not isinstance(given, (int, float)):
            raise ParameterError(f'{self._path}: {name} has {given!r}, a number is needed')
        if not math.isfinite(given):
            raise ParameterError(f'{self._path}: {name} has {given}, it must be finite')
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
    if 'joints' in values:
        file.choose(file.names('joints', values['joints']))

    def by_joint(names: Sequence[str], prefix: str = '') -> Iterator[tuple[str, dict[str, float]]]:
        for name in names:
            if f'{prefix}{name}' in values:
                given = file.by_joint(f'{prefix}{name}', values[f'{prefix}{name}'])
                if given:
                    yield name, given

    changes: dict[str, Any] = {
        'friction': {**settings.friction, **dict(by_joint(FRICTION, 'friction_'))},
        'thresholds': {**settings.thresholds, **dict(by_joint(THRESHOLDS))},
        **{
            attribute: file.number(name, values[name])
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
    blocks = dict(_blocks(content, ''))
    ours = [values for name, values in blocks.items() if name.rsplit('/', 1)[-1] in NODES]
    if not ours:
        found = ', '.join(blocks) or 'none'
        raise ParameterError(
            f'{file} has no block /** or robot_dynamics with {VALUES} (blocks: {found}): name a '
            'parameter file of dynamics_node'
        )
    return {name: value for values in ours for name, value in values.items()}


def _blocks(content: Any, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and values of each block."""
    if not isinstance(content, dict):
        return
    for key, entry in content.items():
        if key == VALUES and isinstance(entry, dict):
            yield name, entry
        else:
            yield from _blocks(entry, f'{name}/{str(key).strip("/")}')
