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
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from robot_dynamics_ros.control.external.thresholds import BANDS, PARTS, ContactThresholds
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

from .parameter_yaml import errors_in, finite_number, read_yaml, values_by_joint, yaml_value


@dataclass(frozen=True)
class LearnedThresholds:
    """The content of a threshold file, by joint name."""

    bandwidths: dict[str, float]  #: of the observer that the thresholds were learned with [Hz]
    by_joint: dict[str, Array]  #: their coefficients (2, 3), see `ContactThresholds`

    def text(self) -> str:
        """The file, without a head; four digits, as thresholds are not more exact."""
        lines = ['joints:\n']
        for joint, rows in self.by_joint.items():
            values: dict[str, Any] = {'bandwidth': float(f'{self.bandwidths[joint]:.4g}')}
            for band, row in zip(BANDS, rows, strict=True):
                values[band] = dict(zip(PARTS, (float(f'{x:.4g}') for x in row), strict=True))
            lines.append(f'  {yaml_value(joint)}:\n')
            lines += [f'    {key}: {yaml_value(value)}\n' for key, value in values.items()]
        return ''.join(lines)

    def of(self, joints: Sequence[str]) -> ContactThresholds:
        """Those of some joints, in this order.

        Raises:
            ParameterError: one of them has none.
        """
        if lacking := [name for name in joints if name not in self.by_joint]:
            raise ParameterError(
                f'no thresholds of {", ".join(lacking)}, only of {", ".join(self.by_joint)}'
            )
        return ContactThresholds(np.stack([self.by_joint[name] for name in joints], axis=-1))


def read_thresholds(file: str | Path, robot: Sequence[str]) -> LearnedThresholds:
    """The thresholds in a file of `robot_dynamics thresholds`, of a robot with these joints.

    Raises:
        ParameterError: the file cannot be read, is not one of these, has joints that the robot
            does not have, or a value that is not allowed.
    """
    content, found = read_yaml(Path(file)), LearnedThresholds({}, {})
    with errors_in(file):
        kind = 'a file of robot_dynamics thresholds --output'
        for joint, values in values_by_joint(content, kind).items():
            if joint not in robot:
                allowed = ', '.join(robot)
                raise ParameterError(f'no joint {joint}, of another robot? It has {allowed}')
            rows = np.empty((len(BANDS), len(PARTS)))
            for (i, band), (k, part) in product(enumerate(BANDS), enumerate(PARTS)):
                row = values.get(band)
                value = row.get(part) if isinstance(row, dict) else None
                rows[i, k] = finite_number(f'{part} of {band} of {joint}', value)
            ContactThresholds(rows[:, :, None])  # it checks them
            bandwidth = finite_number(f'bandwidth of {joint}', values.get('bandwidth'))
            found.by_joint[joint], found.bandwidths[joint] = rows, bandwidth
    return found
