"""The first fade is an experiment: does something else compensate gravity already?

Where nothing else does, gravity compensation that is not complete yet lifts nothing: the arm
falls, stands on its brake, or is held by a hand. Where the driver adds gravity as well, the torque
that fades in is not needed, and the arm rises, faster and faster.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot_dynamics_ros.core.checks import Array

# A joint has moved from here on [rad or m].
MOVED = 0.002
# A joint carries gravity from this share of its effort limit on [-].
CARRIED = 0.02
REMEDY = 'the driver compensates gravity itself, remove gravity from terms'


class FirstFade:
    """Watches the arm while gravity fades in from zero.

    A joint that carries gravity has moved along its gravity torque by more than `MOVED`, and the
    arm as a whole has risen, and rises faster than at the begin. A joint of a falling arm may move
    upwards too, but the arm does not; an arm that swings upwards becomes slower.

    Attributes:
        running: whether the arm is watched.
    """

    def __init__(self, size: int) -> None:
        """Watch nothing yet; size: number of commanded joints, k."""
        self.running = False
        # Of each joint: position, and distance along its gravity torque since the begin. The work
        # against gravity since then, and its power at the begin.
        self._q, self._distance = np.zeros((2, size))
        self._work = self._power = 0.0

    def begin(self, q: Array, v: Array, gravity: Array) -> None:
        """Watch from this state on; arguments as of `step`."""
        self.running, self._work, self._power = True, 0.0, float(gravity @ v)
        self._q[:] = q
        self._distance.fill(0.0)

    def end(self) -> None:
        """Watch no longer."""
        self.running = False

    def step(
        self, q: Array, v: Array, gravity: Array, limits: Array, joints: Sequence[str]
    ) -> str:
        """Watch a state.

        Args:
            q: (k,) positions [rad or m].
            v: (k,) velocities [rad/s or m/s].
            gravity: (k,) gravity torque there [N m or N].
            limits: (k,) effort limits [N m or N]; infinite for none.
            joints: names of the joints, k of them.

        Returns:
            Why gravity is compensated twice, for a fault; empty if it is not known to be.
        """
        moved, up = q - self._q, np.sign(gravity)
        self._q[:] = q
        self._distance += up * moved
        self._work += float(gravity @ moved)
        scale = np.where(np.isfinite(limits), limits, np.abs(gravity).max())
        moves = (np.abs(gravity) > CARRIED * scale) & (self._distance > MOVED)
        rises = self._work > 0.0 and gravity @ v > max(self._power, 0.0)
        if not (rises and moves.any()):
            return ''
        joint = int(moves.argmax())
        return (
            f'{joints[joint]} moves along its gravity torque while gravity fades in, by '
            f'{self._distance[joint]:.2g} rad or m: {REMEDY}'
        )
