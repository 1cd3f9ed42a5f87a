"""Parameter files of dynamics_node: what they say of friction, observer and thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.contacts import WatchSettings
from robot_dynamics_ros.control.external.thresholds import BANDS, NEVER
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.joint_model import AS_DESCRIBED, PARAMETER, read_joint_model
from robot_dynamics_ros.parameter_yaml import (
    errors_in,
    finite_number,
    node_parameters,
    parameter_blocks,
    read_yaml,
)
from robot_dynamics_ros.threshold_file import read_thresholds

from .surroundings import ParameterNames

# Parameters that rclpy declares.
OF_EVERY_NODE = ('use_sim_time', 'start_type_description_service', 'qos_overrides')
THRESHOLDS = tuple(f'{band}_threshold' for band in BANDS)
CHECK = 'driver_gravity_check'
# A file with thresholds, in place of the lists.
FILE = 'contact_thresholds'
# Of dynamics_node alone, from which a block for it is known.
OWN = (PARAMETER, *THRESHOLDS, 'external_bandwidth', CHECK, FILE)


def settings_of_files(files: Sequence[Path], joints: Sequence[str]) -> WatchSettings:
    """What files say; later ones have precedence, also with an empty list.

    Args:
        files: each as dynamics_node takes it with --params-file.
        joints: of the robot; lists are for those of the last file that has `joints`, as in the
            node, or for these.

    Raises:
        ParameterError: a file is not one, a value is not what the parameter takes, a list is for
            other `joints` than the last ones, or thresholds are given twice.
    """
    given = _Given(files, joints)
    file, path = given.of(PARAMETER, '', 'the path of a file')
    of_gravity, gravity = given.of('gravity', list(STANDARD_GRAVITY), 'a list of three numbers')
    with errors_in(of_gravity):
        if len(gravity) != 3:
            raise ParameterError(f'gravity is {gravity!r}, three numbers are needed')
        vector = tuple(finite_number('gravity', each) for each in gravity)
    return WatchSettings(
        joint_model=read_joint_model(file.parent / path) if path else AS_DESCRIBED,
        gravity=vector,
        bandwidth=given.by_joint('external_bandwidth'),
        thresholds=given.thresholds(),
        driver_gravity_check=given.of(CHECK, True, 'true or false')[1],
    )


def unknown_names(files: Sequence[Path], known: ParameterNames | None) -> str:
    """Names in files that are no parameters of dynamics_node, with the nearest that it has.

    Args:
        files: each as dynamics_node takes it with --params-file.
        known: gives the names of its parameters; None where they are not known.

    Raises:
        ParameterError: a file is not one.
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
        values: by name, the file of the last value, and the value.
    """

    def __init__(self, files: Sequence[Path], joints: Sequence[str]) -> None:
        """Read them; raises as `settings_of_files`."""
        self.joints = self._robot = tuple(joints)
        self.values: dict[str, tuple[Path, Any]] = {}
        # Of each file that has `joints`.
        self._orders: dict[Path, tuple[str, ...]] = {}
        for file in files:
            values = _parameters(file)
            self.values |= {name: (file, value) for name, value in values.items()}
            if 'joints' in values:
                _, given = self.of('joints', [], 'a list')
                names = tuple(filter(None, given))
                if len(set(names)) < len(names) or not {*names} <= {*self._robot}:
                    raise ParameterError(
                        f'{file}: joints is {", ".join(map(str, names))}: each is named once, and '
                        f'is one of the robot: {", ".join(self._robot)}'
                    )
                self.joints = self._orders[file] = names or self._robot

    def of(self, name: str, default: Any, needed: str) -> tuple[Path, Any]:
        """The file and the value of a parameter, which has the type of its default."""
        file, value = self.values.get(name, (Path(), default))
        if type(value) is not type(default):
            raise ParameterError(f'{file}: {name} is {value!r}, {needed} is needed')
        return file, value

    def by_joint(self, name: str) -> dict[str, float]:
        """One value for each joint, or one for all; empty where the list is, or is missing."""
        file, given = self.of(name, [], 'a list')
        own = self._orders.get(file, self.joints)
        # The node would take a list for the joints that are commanded, whatever its file says.
        if given and own != self.joints and not (len(given) == 1 and {*own} == {*self.joints}):
            raise ParameterError(
                f'{file}: {name} is for the joints {", ".join(own)}, but joints of the later file '
                f'{self.values["joints"][0]} is {", ".join(self.joints)}, and dynamics_node would '
                f'take {name} for these: give both files the same joints in the same order'
            )
        with errors_in(file):
            if len(given) not in (0, 1, len(self.joints)):
                raise ParameterError(
                    f'{name} is {given!r}, a list of one number for each of the '
                    f'{len(self.joints)} joints is needed, or of one for all'
                )
            values = [finite_number(name, each) for each in given]
            values *= len(self.joints) if len(values) == 1 else 1
            by_joint = dict(zip(self.joints, values, strict=False))
            for joint, value in by_joint.items():
                if value <= 0.0:
                    raise ParameterError(
                        f'{name} of {joint} is {value:g}, it must be greater than 0'
                    )
        return by_joint

    def thresholds(self) -> dict[str, Array]:
        """Those of the lists, or of the file that a parameter names, as `joint_model` does."""
        lists = [self.by_joint(name) for name in THRESHOLDS]
        file, named = self.of(FILE, '', 'the path of a file')
        if not named:
            return {
                joint: np.array([[values.get(joint, NEVER), 0.0, 0.0] for values in lists])
                for joint in self.joints
                if any(joint in values for values in lists)
            }
        if any(lists):
            raise ParameterError(
                f'{file}: {FILE} is {named!r}, and {" or ".join(THRESHOLDS)} is set: set either '
                'the file or the lists'
            )
        return read_thresholds(file.parent / named, self._robot).by_joint


def _parameters(file: Path) -> dict[str, Any]:
    """All values for dynamics_node in a file."""
    content = read_yaml(file)
    if isinstance(content, dict) and isinstance(content.get('joints'), dict):
        # friction.yaml itself.
        return {PARAMETER: file.name}
    with errors_in(file):
        return node_parameters(parameter_blocks(content), OWN)
