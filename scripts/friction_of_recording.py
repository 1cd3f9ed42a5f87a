#!/usr/bin/env python3
"""Draws the friction of one joint, measured and by two laws.

Usage: python scripts/friction_of_recording.py BAG URDF JOINT PICTURE [OLD=NEW of joint names]
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.identification import Identified, Identifier
from robot_dynamics_ros.recordings import Recording

# v_0 of viscous and Coulomb friction alone [rad/s]; what is shown around a reversal [s].
PLAIN, AROUND = 0.01, 1.5


def main(bag: str, urdf: str, joint: str, picture: str, renamed: str = '') -> None:
    text = Path(urdf).read_text()
    rename = dict([renamed.split('=')]) if renamed else {}
    recording = Recording.read(bag, parse_urdf(text), rename=rename)
    index = recording.joints.index(joint)
    found = {
        'viscous and Coulomb': Identifier(text, friction=PLAIN).fit([recording]),
        'law that was chosen': Identifier(text).fit([recording]),
    }
    chosen = found['law that was chosen']
    parts = {name: _predicted(one, index) for name, one in found.items()}
    time, speed, load, friction, _ = parts['law that was chosen']

    figure, axes = plt.subplots(1, 3, figsize=(12.0, 3.8), layout='constrained')
    axes[0].plot(speed, friction, '.', color='0.75', ms=3, label='measured')
    axes[1].plot(time, friction, color='0.6', lw=3, label='measured')
    axes[2].plot(load, np.abs(friction), '.', color='0.75', ms=3, label='measured')
    for name, (times, speeds, loads, _, law) in parts.items():
        axes[0].plot(speeds, law, '.', ms=2, label=name)
        axes[1].plot(times, law, label=name)
        axes[2].plot(loads, np.abs(law), '.', ms=2, label=name)
    turns = time[1:][np.diff(np.sign(speed)) != 0.0]
    middle = turns[len(turns) // 2]
    axes[1].set_xlim(middle - AROUND, middle + AROUND)
    for one, label in zip(axes, ('velocity [rad/s]', 'time [s]', 'load [N m]'), strict=True):
        one.set_xlabel(label)
        one.grid(visible=True, alpha=0.3)
    axes[0].set_ylabel('torque of friction [N m]')
    axes[2].set_ylabel('magnitude [N m]')
    axes[0].legend(loc='lower right')
    terms = ', '.join(chosen.found.laws[index][1:]) or 'no other term'
    figure.suptitle(f'{joint}; chosen: {terms}')
    figure.savefig(picture, dpi=110)


def _predicted(found: Identified, joint: int) -> tuple[Array, ...]:
    """Times, velocities, load, measured torque less the bodies, and the friction of the law."""
    rows, fitted = found.recorded.whole, found.found.fitted
    names = [term.name for term, _ in rows.terms if not term.shared]
    moving, joints = rows.moving[:, joint], rows.shared.shape[1]
    own = fitted.theta[rows.shared.shape[2] :].reshape(joints, -1)[joint]
    rotor = rows.own[:, joint, names.index('armature')] * own[names.index('armature')]
    bodies = (rows.shared @ fitted.theta[: rows.shared.shape[2]])[:, joint]
    load = (rows.rigid[:, joint] + bodies)[moving]
    measured = (rows.torque[:, joint] - bodies - rotor)[moving]
    law = (fitted.predicted(rows)[:, joint] - bodies - rotor)[moving]
    speed = rows.own[moving, joint, names.index('viscous')]
    return rows.times[moving], speed, load, measured, law


if __name__ == '__main__':
    main(*sys.argv[1:])
