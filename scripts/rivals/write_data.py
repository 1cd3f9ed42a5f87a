"""Write what all tools get of a recording: arrays of its fitted part, and a URDF.

Usage: write_data.py RECORDING URDF FOLDER [RECORDED=JOINT]

The division, the cutoffs and the filtered motions are those of `robot_dynamics identify`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from moving_bodies import urdf_of

from robot_dynamics_ros.comparison.recorded_joints import compared_model
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.identification.held_out import split_motions
from robot_dynamics_ros.identification.motion_equations import motions_cutoff
from robot_dynamics_ros.identification.recorded_data import Source, still_open
from robot_dynamics_ros.recordings import Recording

NAMES = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
RECORDED = ('times', 'positions', 'velocities', 'efforts')


def main(recording: str, urdf: str, folder: str, *rename: str) -> None:
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    robot = parse_urdf(Path(urdf).read_text())
    opened = Recording.read(recording, robot, rename=dict(pair.split('=') for pair in rename))
    model = compared_model(robot, opened.joints)
    source = Source.surveyed(recording, still_open(opened), opened, model)
    (target / 'robot.urdf').write_text(urdf_of(model))
    chunks = list(opened.chunks())
    cutoff = motions_cutoff(source.cutoff, 1.0 / opened.interval)
    parts = split_motions(opened.motions(cutoff=cutoff), source.split)
    motions = [motion for held_out, motion in parts if not held_out]
    raw = {name: np.concatenate([getattr(one, name) for one in chunks]) for name in RECORDED}
    fitted = raw['times'] < source.split
    np.savez(
        target / 'data.npz',
        joints=np.array(model.joint_names),
        rate=1.0 / opened.interval,
        cutoff=source.cutoff,
        **{f'raw_{name}': values[fitted] for name, values in raw.items()},
        **{
            f'fitted_{name}': np.concatenate([getattr(one, name) for one in motions])
            for name in NAMES
        },
    )


if __name__ == '__main__':
    main(*sys.argv[1:])
