"""Parameter files of dynamics_node: what they say of friction, observer and thresholds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.contacts import WatchSettings
from robot_dynamics_ros.control.external.thresholds import BANDS, NEVER
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.joint_model import (
    AS_DESCRIBED,
    PARAMETER,
    JointModel,
    read_joint_model,
)
from robot_dynamics_ros.parameter_yaml import node_parameters, parameter_blocks
from robot_dynamics_ros.recordings.extra import required
from robot_dynamics_ros.threshold_file import read_thresholds

from ..surroundings import ParameterNames

# Parameters that rclpy declares.
OF_EVERY_NODE = ('use_sim_time', 'start_type_description_service', 'qos_overrides')
THRESHOLDS = tuple(f'{band}_threshold' for band in BANDS)
LARGEST_MARGIN = 100.0
POSITIVE = (*THRESHOLDS, 'external_bandwidth')
CHECK = 'driver_gravity_check'
# A file with thresholds, in place of the lists.
FILE = 'contact_thresholds'
# Of dynamics_node alone, from which a block for it is known.
OWN = (PARAMETER, *POSITIVE, CHECK, FILE)


def settings_of_files(files: Sequence[Path], joints: Sequence[str]) -> WatchSettings:
    """What files say; later ones have precedence, also with an empty list.

    Args:
        files: each as dynamics_node takes it with --params-file.
        joints: of the robot; lists are for those of the last file that has `joints`, as in the
            node, or for these.

    Raises:
        ParameterError: a file is not one, a value is not what the parameter takes, a list is for
            other `joints` than the last ones, or thresholds are given twice.
        OSError: a file cannot be read.
    """
    given = _Given(files, joints)
    values: dict[str, Any] = {
        'joint_model': given.joint_model(),
        'thresholds': given.thresholds(),
        'bandwidth': given.by_joint('external_bandwidth'),
    }
    if CHECK in given:
        values[CHECK] = given.flag(CHECK)
    if 'gravity' in given:
        values['gravity'] = given.vector('gravity')
    if 'joints' in given:
        values['joints'] = given.joints
    try:
        return WatchSettings(**values)
    except ParameterError as error:
        raise ParameterError(f'{", ".join(map(str, files))}: {error}') from None


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


class _Given:
    """The parameters of all files: one set, as in the node.

    Attributes:
        joints: that lists are for.
    """

    def __init__(self, files: Sequence[Path], joints: Sequence[str]) -> None:
        """Read them; raises as `settings_of_files`."""
        self.joints = self._robot = tuple(joints)
        # By name, the file of the last value, and the value.
        self._values: dict[str, tuple[Path, Any]] = {}
        # Of each file that has `joints`.
        self._orders: dict[Path, tuple[str, ...]] = {}
        for file in files:
            values = _parameters(file)
            self._values.update({name: (file, value) for name, value in values.items()})
            if 'joints' in values:
                self._orders[file] = self._known(file, values['joints']) or tuple(joints)
        if 'joints' in self:
            self.joints = self._orders[self._values['joints'][0]]

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def joint_model(self) -> JointModel:
        """That of the file whose path, relative to the parameter file, is given."""
        file, path = self._values.get(PARAMETER, (Path(), ''))
        if not isinstance(path, str):
            raise ParameterError(f'{file}: {PARAMETER} is {path!r}, the path of a file is needed')
        return read_joint_model(file.parent / path) if path else AS_DESCRIBED

    def by_joint(self, name: str) -> dict[str, float]:
        """One value for each joint, or one for all; empty where the list is, or is missing."""
        file, given = self._values.get(name, (Path(), []))
        values = [self._finite(name, each) for each in given] if isinstance(given, list) else None
        if values:
            self._check_joints(name, file, one=len(values) == 1)
        if values is None or len(values) not in (0, 1, len(self.joints)):
            raise ParameterError(
                f'{file}: {name} is {given!r}, a list of one number for each of the '
                f'{len(self.joints)} joints is needed, or of one for all'
            )
        if len(values) == 1:
            values *= len(self.joints)
        by_joint = dict(zip(self.joints, values, strict=False))
        for joint, value in by_joint.items():
            if value <= 0.0:
                raise ParameterError(
                    f'{file}: {name} of {joint} is {value:g}, it must be greater than 0'
                )
        return by_joint

    def thresholds(self) -> dict[str, Array]:
        """Those of the lists, or of the file that a parameter names, as `joint_model` does."""
        lists = {band: self.by_joint(f'{band}_threshold') for band in BANDS}
        file, named = self._values.get(FILE, (Path(), ''))
        if not named:
            return {
                joint: np.array([[lists[band].get(joint, NEVER), 0.0, 0.0] for band in BANDS])
                for joint in self.joints
                if any(joint in values for values in lists.values())
            }
        if any(lists.values()):
            raise ParameterError(
                f'{file}: {FILE} is {named!r}, and {" or ".join(THRESHOLDS)} is set: set either '
                'the file or the lists'
            )
        return read_thresholds(file.parent / str(named), self._robot).by_joint

    def flag(self, name: str) -> bool:
        """True or false."""
        file, given = self._values[name]
        if not isinstance(given, bool):
            raise ParameterError(f'{file}: {name} is {given!r}, true or false is needed')
        return given

    def vector(self, name: str) -> tuple[float, ...]:
        """Three finite numbers."""
        file, given = self._values[name]
        if not isinstance(given, list) or len(given) != 3:
            raise ParameterError(f'{file}: {name} is {given!r}, three numbers are needed')
        return tuple(self._finite(name, each) for each in given)

    def _finite(self, name: str, given: Any) -> float:
        file, _ = self._values[name]
        if isinstance(given, bool) or not isinstance(given, (int, float)):
            raise ParameterError(f'{file}: {name} has {given!r}, a number is needed')
        if not math.isfinite(given):
            raise ParameterError(f'{file}: {name} has {given}, it must be finite')
        return float(given)

    def _known(self, file: Path, given: Any) -> tuple[str, ...]:
        """Names of joints of the robot, each once, without empty ones."""
        if not (isinstance(given, list) and all(isinstance(each, str) for each in given)):
            raise ParameterError(f'{file}: joints is {given!r}, a list of names is needed')
        names = tuple(each for each in given if each)
        if unknown := [name for name in names if name not in self.joints]:
            raise ParameterError(
                f'{file}: parameter joints has joints that the robot does not have '
                f'({", ".join(unknown)}), it has {", ".join(self.joints)}'
            )
        if len(set(names)) < len(names):
            raise ParameterError(
                f'{file}: parameter joints is {", ".join(names)}: name each joint once'
            )
        return names

    def _check_joints(self, name: str, file: Path, *, one: bool) -> None:
        """Check that the list of a file, or its one value, is for the joints that are commanded.

        The node would take it for these, whatever the file says itself.
        """
        own = self._orders.get(file, self.joints)
        if own == self.joints or (one and {*own} == {*self.joints}):
            return
        last, _ = self._values['joints']
        raise ParameterError(
            f'{file}: {name} is for the joints {", ".join(own)}, but joints of the later file '
            f'{last} is {", ".join(self.joints)}, and dynamics_node would take {name} for these: '
            f'write {file} for the same joints in the same order as {last}'
        )


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
    if isinstance(content, dict) and isinstance(content.get('joints'), dict):
        # friction.yaml itself.
        return {PARAMETER: file.name}
    try:
        return node_parameters(parameter_blocks(content), OWN)
    except ParameterError as error:
        raise ParameterError(f'{file}: {error}') from None
