"""Write what all tools get of a recording: both parts, arrays of the fitted one, and a URDF.

Usage: write_data.py RECORDING URDF FOLDER [RECORDED=JOINT]

The last third of the samples is held out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from moving_bodies import urdf_of

from robot_dynamics_ros.comparison.recorded_joints import compared_model
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.recordings import Recording
from robot_dynamics_ros.regression.rows import motions_cutoff

NAMES = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
# Files of both parts.
PARTS = 'fitted.csv', 'held_out.csv'
FITTED = 2.0 / 3.0


def main(recording: str, urdf: str, folder: str, *rename: str) -> None:
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    robot = parse_urdf(Path(urdf).read_text())
    opened = Recording.read(recording, robot, rename=dict(pair.split('=') for pair in rename))
    model = compared_model(robot, opened.joints)
    (target / 'robot.urdf').write_text(urdf_of(model))
    states = opened.states()
    raw = states.positions, states.velocities, states.efforts
    header = ','.join(
        ['time', *(f'{joint}_{kind}' for kind in ('position', 'velocity', 'effort')
                   for joint in opened.joints)]
    )  # fmt: skip
    table = np.column_stack([states.times, *raw])
    split = round(FITTED * len(table))
    for name, part in zip(PARTS, (table[:split], table[split:]), strict=True):
        np.savetxt(target / name, part, delimiter=',', header=header, comments='', fmt='%.17g')
    fitted = Recording.read(target / PARTS[0], robot)
    cutoff, rate = opened.usual_cutoff(), 1.0 / opened.interval
    motions = list(fitted.motions(cutoff=motions_cutoff(cutoff, rate)))
    np.savez(
        target / 'data.npz',
        joints=np.array(model.joint_names),
        rate=rate,
        cutoff=cutoff,
        **{f'raw_{name}': getattr(states, name)[:split] for name in NAMES if name in vars(states)},
        **{
            f'fitted_{name}': np.concatenate([getattr(one, name) for one in motions])
            for name in NAMES
        },
    )


if __name__ == '__main__':
    main(*sys.argv[1:])
