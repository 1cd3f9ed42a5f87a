"""From which residual on a joint is touched, and the file that `robot_dynamics thresholds` writes.

The file is YAML; for each joint by name the bandwidth of the observer that the thresholds were
learned with, and the parts of both bands::

    joints:
      elbow:
        bandwidth: 20.0
        collision: {constant: 4.1, velocity: 0.6, acceleration: 0.0}
        push: {constant: 3.3, velocity: 1.2, acceleration: 0.1}
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.errors import ParameterError

BANDS = ('collision', 'push')
PARTS = ('constant', 'velocity', 'acceleration')
BANDWIDTH = 'bandwidth'
# Threshold of a band in which nothing is detected [N m or N].
NEVER = 1e300
# [B]: a file of this kind has some kB.
LARGEST_FILE = 1 << 20


@dataclass(frozen=True)
class ContactThresholds:
    """c_0 + c_1 |v| + c_2 |a| of each joint, for both bands of the residual.

    Attributes:
        coefficients: (2, 3, n) of collision and push: c_0 [N m or N], c_1 [N m s/rad or N s/m]
            and c_2 [kg m^2 or kg]; c_0 is `NEVER` where nothing is detected.
        false_alarms_per_hour: of both bands and all joints together; NaN where nothing is known.
        seconds: of the recording that they were learned from; 0 where they were not.
    """

    coefficients: Array
    false_alarms_per_hour: float = field(default=math.nan, compare=False)
    seconds: float = field(default=0.0, compare=False)

    def __post_init__(self) -> None:
        """Check the coefficients.

        Raises:
            ParameterError: one is not finite, negative, or a constant part that is not positive.
        """
        values = self.coefficients
        good = np.isfinite(values) & (values >= 0.0)
        good[:, 0] &= values[:, 0] > 0.0
        if not good.all():
            band, part, joint = np.argwhere(~good)[0].tolist()
            raise ParameterError(
                f'{BANDS[band]} threshold: {PARTS[part]} of joint {joint} is '
                f'{values[band, part, joint]}, it must be finite and '
                f'{"not negative" if part else "positive"}'
            )

    @classmethod
    def of(
        cls, size: int, collision: npt.ArrayLike = NEVER, push: npt.ArrayLike = NEVER
    ) -> ContactThresholds:
        """Constant thresholds; a number stands for all joints, and without one nothing is found.

        Args:
            size: number of joints, n.
            collision: (n,) positive [N m or N].
            push: (n,) likewise.

        Raises:
            ParameterError: a value is not finite and positive.
        """
        coefficients = np.zeros((2, 3, size))
        coefficients[0, 0], coefficients[1, 0] = collision, push
        return cls(coefficients)

    @property
    def size(self) -> int:
        """Number of joints, n."""
        return len(self.coefficients[0, 0])

    @property
    def detects(self) -> tuple[bool, bool]:
        """Whether collisions, and pushes, are detected at all."""
        collision, push = self.coefficients[:, 0] < NEVER
        return bool(collision.any()), bool(push.any())

    def limits(self, motion: Array) -> Array:
        """Thresholds of collision and push (..., 2, n) [N m or N].

        Args:
            motion: (..., 2, 2, n) speed and absolute acceleration of each band.
        """
        coefficients = self.coefficients
        limits: Array = coefficients[:, 0] + (coefficients[:, 1:] * motion).sum(axis=-2)
        return limits

    def above(self, limits: Array) -> list[tuple[str, int]]:
        """Band and index of each joint whose constant part is above its effort limit (n,)."""
        constants = self.coefficients[:, 0]
        found = np.argwhere((constants > limits) & (constants < NEVER)).tolist()
        return [(BANDS[band], joint) for band, joint in found]


@dataclass(frozen=True)
class LearnedThresholds:
    """The content of a threshold file, by joint name.

    Attributes:
        bandwidths: of the observer that the thresholds were learned with [Hz].
        by_joint: their coefficients (2, 3), see `ContactThresholds`.
    """

    bandwidths: dict[str, float]
    by_joint: dict[str, Array]

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
            text = opened.read(LARGEST_FILE).decode()
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
