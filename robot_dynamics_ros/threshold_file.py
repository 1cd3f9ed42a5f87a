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

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robot_dynamics_ros.control.external.thresholds import BANDS, PARTS, ContactThresholds
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

from .parameter_yaml import errors_in, finite_number, read_yaml, values_by_joint, yaml_value

BANDWIDTH = 'bandwidth'
KIND = 'a file of robot_dynamics thresholds --output'


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
    content = read_yaml(Path(file))
    bandwidths, by_joint = {}, {}
    with errors_in(file):
        for joint, values in values_by_joint(content, KIND).items():
            if joint not in robot:
                raise ParameterError(
                    f'the robot has no joint {joint}, it has {", ".join(robot)}: these are '
                    'thresholds of another robot'
                )
            bands = {band: values.get(band) for band in BANDS}
            if lacking := [band for band, parts in bands.items() if not isinstance(parts, dict)]:
                raise ParameterError(f'{lacking[0]} of {joint} is needed: {", ".join(PARTS)}')
            rows = [
                [finite_number(f'{part} of {band} of {joint}', parts.get(part)) for part in PARTS]
                for band, parts in bands.items()
            ]
            by_joint[joint] = np.array(rows)
            ContactThresholds(by_joint[joint][:, :, None])
            bandwidths[joint] = finite_number(f'{BANDWIDTH} of {joint}', values.get(BANDWIDTH))
    return LearnedThresholds(bandwidths, by_joint)


def _rounded(value: float) -> float:
    return float(f'{value:.4g}')
