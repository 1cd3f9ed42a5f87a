"""The file of `robot_dynamics thresholds`, which the node and `robot_dynamics contacts` read.

For each joint by name it has the bandwidth of the observer that the thresholds were learned with,
and the parts of both bands::

    joints:
      elbow:
        bandwidth: 20.0
        collision: {constant: 4.1, velocity: 0.6, acceleration: 0.0}
        push: {constant: 3.3, velocity: 1.2, acceleration: 0.1}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external.thresholds import BANDS, PARTS, ContactThresholds
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

from .parameter_yaml import yaml_value

BANDWIDTH = 'bandwidth'
# [B]: a file of this kind has some kB.
LARGEST = 1 << 20


@dataclass(frozen=True)
class LearnedThresholds:
    """The content of a threshold file, by joint name.

    Attributes:
        bandwidths: of the observer that the thresholds were learned with [Hz].
        by_joint: their coefficients (2, 3), see `ContactThresholds`.
    """

    bandwidths: dict[str, float]
    by_joint: dict[str, Array]

    def text(self) -> str:
        """The file, without a head; four digits, as thresholds are not more exact."""
        lines = ['joints:']
        for joint, coefficients in self.by_joint.items():
            lines += [
                f'  {yaml_value(joint)}:',
                f'    {BANDWIDTH}: {yaml_value(_rounded(self.bandwidths[joint]))}',
            ]
            for band, values in zip(BANDS, coefficients.tolist(), strict=True):
                parts = dict(zip(PARTS, map(_rounded, values), strict=True))
                lines.append(f'    {band}: {yaml_value(parts)}')
        return '\n'.join([*lines, ''])

    def of(self, joints: Sequence[str]) -> ContactThresholds:
        """Those of some joints, in this order.

        Raises:
            ParameterError: one of them has none.
        """
        if lacking := [name for name in joints if name not in self.by_joint]:
            raise ParameterError(
                f'no thresholds of {", ".join(lacking)} (it has {", ".join(self.by_joint)}): '
                'robot_dynamics thresholds learns them from recordings with their efforts'
            )
        each = [self.by_joint[name] for name in joints]
        return ContactThresholds(np.stack(each, axis=-1))


def read_thresholds(file: str | Path, robot: Sequence[str]) -> LearnedThresholds:
    """The thresholds in a file of `robot_dynamics thresholds`.

    Args:
        file: its path.
        robot: names of all joints of the robot.

    Raises:
        ParameterError: the file cannot be read, is not one of these, has joints that the robot
            does not have, or a value that is not allowed.
    """
    try:
        joints = _content(Path(file))
        if unknown := [str(name) for name in joints if name not in robot]:
            raise ParameterError(
                f'the robot has no joint {", ".join(unknown)}, it has {", ".join(robot)}: these '
                'are thresholds of another robot'
            )
        coefficients, bandwidths = {}, {}
        for name, values in joints.items():
            given = values if isinstance(values, dict) else {}
            rows = [_numbers(name, band, given.get(band), PARTS) for band in BANDS]
            coefficients[name] = np.array(rows)
            (bandwidths[name],) = _numbers(name, BANDWIDTH, given, (BANDWIDTH,))
            ContactThresholds(coefficients[name][:, :, None])
    except ParameterError as error:
        raise ParameterError(f'{file}: {error}') from None
    return LearnedThresholds(bandwidths, coefficients)


def _content(file: Path) -> Mapping[str, Any]:
    """What the file says of joints."""
    import yaml

    try:
        with file.open('rb') as opened:
            text = opened.read(LARGEST).decode()
        content = yaml.safe_load(text)
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        reason = ' '.join(str(error).split())[:200]
        raise ParameterError(f'cannot be read: {reason}') from None
    joints = content.get('joints') if isinstance(content, dict) else None
    if not isinstance(joints, dict) or not joints:
        raise ParameterError(
            'no thresholds by joint name: robot_dynamics thresholds --output writes such a file'
        )
    return joints


def _numbers(joint: str, what: str, given: Any, names: Sequence[str]) -> list[float]:
    """The numbers with these names, all of them."""
    numbers = []
    for name in names:
        value = given.get(name) if isinstance(given, dict) else None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ParameterError(
                f'{what} of {joint} is {given!r}, numbers are needed: {", ".join(names)}'
            )
        numbers.append(float(value))
    return numbers


def _rounded(value: float) -> float:
    return float(f'{value:.4g}')
