"""The RMS that each tool leaves of the held-out efforts of a recording, joint by joint.

Usage: judge.py RECORDING URDF FOLDER [RECORDED=JOINT]

FOLDER is one of write_data.py, with the parameters of the other tools as JSON. The parameters of a
tool give torques of the held-out states with its own law of Coulomb friction; these and the
measured efforts pass the same low pass. Below each RMS is the ratio of that of `identify` to it,
with its 95 % interval: where it holds 1, the difference is inside the interval.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.algorithms.friction import smooth_sign
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.friction import SMOOTHING
from robot_dynamics_ros.identification import (
    Equations,
    Identified,
    Identifier,
    MotionEquations,
)
from robot_dynamics_ros.identification.held_out import Torques, residuals, split_motions
from robot_dynamics_ros.identification.motion_equations import motions_cutoff
from robot_dynamics_ros.identification.parameters import USUAL
from robot_dynamics_ros.identification.recorded_data import RecordedData
from robot_dynamics_ros.recordings import Motion, Recording

# FloBaRoID's width of the sign of friction [rad/s or m/s].
WIDTH = 0.02
SIGNS: Mapping[str, Callable[[Array], Array]] = {
    'smooth': lambda v: smooth_sign(v, SMOOTHING)[0],
    'sign': np.sign,
    'tanh': lambda v: np.tanh(v / WIDTH),
}


def identified(
    recording: str, urdf: str, rename: Sequence[str]
) -> tuple[Identified, RecordedData]:
    """The identification of a recording, and its data with the last third held out."""
    text = Path(urdf).read_text()
    names = dict(pair.split('=') for pair in rename)
    found = Identifier(text).fit([Recording.read(recording, parse_urdf(text), rename=names)])
    (source,) = found.data.sources
    split = replace(source, split=found.judgement.recordings[0].split)
    return found, replace(found.data, sources=[split])


def least_squares(data: RecordedData) -> Array:
    """Parameters (p,) by least squares of what is fitted, without weights or constraints."""
    rows = np.concatenate(list(data.equations.reduced().triangles))
    lengths = np.linalg.norm(rows[:, :-1], axis=0)
    lengths[lengths == 0.0] = 1.0
    found: Array = np.linalg.lstsq(rows[:, :-1] / lengths, rows[:, -1], rcond=1e-6)[0] / lengths
    return found


def tool_torques(
    data: RecordedData, found: Mapping[str, list[float]], sign: Callable[[Array], Array]
) -> Array:
    """Filtered torques (N, n) of parameters by name at the held-out states [N m or N]."""
    (source,) = data.sources
    armature, viscous, coulomb, offset = (
        np.array(found[term]) for term in ('armature', 'viscous', 'coulomb', 'offset')
    )

    def with_torques(motion: Motion) -> Motion:
        q, v, a = motion.positions, motion.velocities, motion.accelerations
        rigid = data.dynamics.regressor(q, v, a) @ np.array(found['bodies'])
        friction = viscous * v + coulomb * sign(v)
        return replace(motion, efforts=rigid + armature * a + friction + offset)

    cutoff = motions_cutoff(data.cutoff, 1.0 / source.survey.interval)
    made = MotionEquations(data.layout, data.dynamics, cutoff=data.cutoff)
    with source.opens() as recording:
        parts = split_motions(recording.motions(cutoff=cutoff), source.split)
        motions = (with_torques(motion) for held_out, motion in parts if held_out)
        return Equations.joined(made.of_motions(motions)).efforts


def show(name: str, held: Torques, ours: Array, theirs: Array) -> None:
    """Print the RMS of torques (N, n), and the ratio of our RMS to it with its interval."""
    both = residuals([replace(held, nominal=theirs, identified=ours)])
    print(f'{name:32}', *(f'{rms:16.4f}' for rms in both.nominal))
    ratios = zip(both.gain, *both.gain_interval, strict=True)
    print(f'{"":32}', *(f'{f"{x:.2f} ({low:.2f}-{high:.2f})":>16}' for x, low, high in ratios))


def main(recording: str, urdf: str, folder: str, *rename: str) -> None:
    found, data = identified(recording, urdf, rename)
    plain = replace(data, terms=USUAL, constants={}, known={})
    nominal = plain.layout.nominal()
    (torques,) = plain.torques(nominal, least_squares(plain))
    held = torques.part(torques.held_out)
    ours = found.judgement.samples[0].identified
    print(f'{"":32}', *(f'{joint[-16:]:>16}' for joint in data.layout.joints))
    show('identify', held, ours, ours)
    show('URDF', held, ours, held.nominal)
    show('least squares', held, ours, held.identified)
    for file in sorted(Path(folder).glob('f*.json')):
        tool = json.loads(file.read_text())
        show(file.stem, held, ours, tool_torques(data, tool, SIGNS[tool['sign']]))


if __name__ == '__main__':
    main(*sys.argv[1:])
