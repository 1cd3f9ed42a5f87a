"""The RMS that each tool leaves of the held-out efforts of a recording, joint by joint.

Usage: judge.py URDF FOLDER

FOLDER is one of write_data.py, with the parameters of the other tools as JSON. The parameters of a
tool give torques of the held-out states with its own law of Coulomb friction; these and the
measured efforts pass the same low pass. Below each RMS is the ratio of that of `identify` to it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from write_data import PARTS

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.algorithms.friction import smooth_sign
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.friction import SMOOTHING
from robot_dynamics_ros.identification import Identified, Identifier
from robot_dynamics_ros.identification.validation import nominal_friction
from robot_dynamics_ros.recordings import Motion, Recording
from robot_dynamics_ros.regression.rows import Rows, make_rows

# FloBaRoID's width of the sign of friction [rad/s or m/s].
WIDTH = 0.02
SIGNS: Mapping[str, Callable[[Array], Array]] = {
    'smooth': lambda v: smooth_sign(v, SMOOTHING)[0],
    'sign': np.sign,
    'tanh': lambda v: np.tanh(v / WIDTH),
}
PLAIN = 'armature', 'viscous', 'coulomb 0.01', 'offset'


def least_squares(fitted: Rows, held_out: Rows) -> Array:
    """Torques (N, n) of unconstrained least squares without weights, beside the URDF's bodies."""
    names = [term.name for term, _ in fitted.terms if not term.shared]
    own = [names.index(name) for name in PLAIN]

    def columns(rows: Rows) -> Array:
        bodies = rows.shared[..., rows.places('bodies')]
        count, joints, size = bodies.shape
        found = np.zeros((count, joints, size + joints * len(own)))
        found[..., :size] = bodies
        for joint in range(joints):
            place = size + joint * len(own) + np.arange(len(own))
            found[:, joint, place] = rows.own[:, joint, own]
        return found

    used = columns(fitted)[fitted.used]
    lengths = np.linalg.norm(used, axis=0)
    lengths[lengths == 0.0] = 1.0
    values = np.linalg.lstsq(used / lengths, fitted.torque[fitted.used], rcond=1e-6)[0] / lengths
    return np.asarray(columns(held_out) @ values)


def tool_torques(
    found: Identified,
    recording: Recording,
    values: Mapping[str, list[float]],
    sign: Callable[[Array], Array],
) -> Array:
    """Filtered torques (N, n) of parameters by name at the held-out states [N m or N]."""
    dynamics, cutoff = found.robot.dynamics, found.recorded.cutoff
    bare = RobotDynamics(dynamics.model.with_armature({}))
    armature, viscous, coulomb, offset = (
        np.array(values[term]) for term in ('armature', 'viscous', 'coulomb', 'offset')
    )

    def with_torques(motion: Motion) -> Motion:
        q, v, a = motion.positions, motion.velocities, motion.accelerations
        rigid = bare.regressor(q, v, a) @ np.array(values['bodies'])
        return replace(
            motion, efforts=rigid + armature * a + viscous * v + coulomb * sign(v) + offset
        )

    motions = map(with_torques, found.robot.segments(recording, cutoff))
    return make_rows(dynamics, [], motions, cutoff=cutoff).torque


def show(name: str, held: Rows, ours: Array, theirs: Array) -> None:
    """Print the RMS of torques (N, n), and the ratio of our RMS to it."""
    rms, own = (
        np.sqrt(np.nanmean(np.where(held.moving, held.torque - one, np.nan) ** 2, axis=0))
        for one in (theirs, ours)
    )
    print(f'{name:32}', *(f'{one:12.4f}' for one in rms))
    mean = float(np.exp(np.mean(np.log(own / rms))))
    print(f'{"":32}', *(f'{one:12.2f}' for one in own / rms), f'geometric mean {mean:.3f}')


def main(urdf: str, folder: str) -> None:
    text = Path(urdf).read_text()
    fitted, held_out = (Recording.read(Path(folder, one), parse_urdf(text)) for one in PARTS)
    found = Identifier(text).fit([fitted], [held_out])
    first, held = found.recorded.parts
    ours = found.predicted[len(first.times) :]
    print(f'{"":32}', *(f'{joint[-12:]:>12}' for joint in found.validation))
    show('identify', held, ours, ours)
    show('URDF', held, ours, nominal_friction(found.robot.model, held))
    show('least squares', held, ours, least_squares(first, held))
    for file in sorted(Path(folder).glob('f*.json')):
        tool = json.loads(file.read_text())
        theirs = tool_torques(found, held_out, tool, SIGNS[tool['sign']])
        show(file.stem, held, ours, theirs)


if __name__ == '__main__':
    main(*sys.argv[1:])
