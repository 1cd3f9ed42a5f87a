"""Watches that motion decays where friction is compensated at the measured velocity."""

from __future__ import annotations

import numpy as np

from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.friction import dead_bands
from robot_dynamics_ros.core.model.robot import RobotModel

# A motion in one direction without a reference lasts no longer [s]. Half of the 10 s within which
# an arm that was nudged rests, or friction is dropped: a joint may turn back once.
LONGEST_MOTION = 5.0
# Time between two looks at the velocities [s]: a look costs as much as the torque of an arm.
BETWEEN = 0.05


class FrictionWatch:
    """Drops friction where a joint moves on and on without a reference, until the arm has rested.

    A joint rests below `TURNING_BAND` or `SLIDING_BAND`. Whether what drives it is friction that
    is compensated too much, or a torque offset that is wrong, cannot be told, and need not be.

    Attributes:
        dropped: which joint has not come to rest, and how fast it is; empty where none is.
    """

    def __init__(self, model: RobotModel) -> None:
        self._model, self.dropped = model, ''
        self._bands = dead_bands(model)
        # Of each joint: -1, 0 at rest, or 1; and for how long [s].
        self._direction, self._since = np.zeros((2, model.size))
        # Since the last look [s].
        self._passed = 0.0

    def reset(self) -> None:
        """Begin at rest."""
        self.dropped, self._passed = '', 0.0
        self._since.fill(0.0)

    def update(self, v: Array, elapsed: float) -> None:
        """Take velocities (n,) [rad/s or m/s], the time since the last ones [s]."""
        self._passed += elapsed
        if self._passed < BETWEEN:
            return
        direction = np.sign(v) * (np.abs(v) > self._bands)
        if not direction.any():
            self.reset()
            return
        self._since = np.where(direction == self._direction, self._since + self._passed, 0.0)
        self._passed = 0.0
        self._direction = direction
        lasting = np.where(direction, self._since, 0.0)
        if not self.dropped and lasting.max() > LONGEST_MOTION:
            index = int(lasting.argmax())
            joint = self._model.independent_joints[index]
            unit = 'm/s' if joint.kind == 'prismatic' else 'rad/s'
            self.dropped = (
                f'{joint.name} has moved in one direction for {LONGEST_MOTION:g} s without a '
                f'reference, at {v[index]:.3g} {unit} now'
            )
