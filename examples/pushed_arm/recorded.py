"""Writes a recording of a simulated UR5 that is pushed at its tool, and its URDF.

python -m pushed_arm.recorded; then, as docs/external_forces.md has it,
robot_dynamics contacts pushed.csv --urdf pushed.urdf --plot pushed.html
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robot_dynamics_ros.demo import default_urdf

from .experiments import HOME, SPEED, TOOL, follow
from .felt_arm import FeltArm, Noise, with_friction
from .motions import random_motion

FRICTION = 0.05  # [-], of the effort limit; and as much at 1 rad/s
SECONDS = 20.0
SAMPLES = 2  # periods of the arm between two states of the recording
# Begin and end [s], and force at the tool, in its axes [N].
PUSHES = ((6.0, 6.4, (24.0, 0.0, -32.0)), (13.0, 13.6, (0.0, 30.0, 0.0)))


def recorded(arm: FeltArm) -> Iterator[NDArray[np.float64]]:
    """Time, positions, velocities and measured efforts of a random motion with pushes."""
    for index in follow(arm, random_motion(HOME, SPEED, SECONDS, seed=2)):
        physics = arm.physics
        if index == 0:
            for begin, end, force in PUSHES:
                physics.outside.push(TOOL, (*force, 0.0, 0.0, 0.0), physics.time + begin)
                physics.outside.push(TOOL, np.zeros(6), physics.time + end)
        if index % SAMPLES == 0:
            yield np.concatenate([[physics.time], physics.position, arm.v, arm.effort])


def main() -> None:
    """Simulate, and write both files."""
    urdf = with_friction(default_urdf().read_text(), FRICTION)
    arm = FeltArm(urdf, Noise(), seed=1)
    kinds = ('position', 'velocity', 'effort')
    names = ['time', *(f'{joint}_{kind}' for kind in kinds for joint in arm.physics.joints)]
    Path('pushed.urdf').write_text(urdf)
    np.savetxt(
        'pushed.csv', [*recorded(arm)], fmt='%.9g', delimiter=',', header=','.join(names),
        comments='',
    )  # fmt: skip


if __name__ == '__main__':
    main()
