"""The RMS that each tool leaves of the held-out efforts of a recording, joint by joint.

Usage: judge.py FOLDER

FOLDER is one of write_data.py, with the parameters of the other tools as JSON. The parameters of a
tool give torques of the held-out states with its own law of Coulomb friction; these and the
measured efforts pass the same low pass.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.friction import smooth_sign
from robot_dynamics_ros.identification import (
    EquationOptions,
    IdentifiedParameters,
    LocalEquations,
    ParameterLayout,
    identify,
)
from robot_dynamics_ros.identification.estimation import PeriodWeights
from robot_dynamics_ros.identification.friction_smoothing import certain_smoothings
from robot_dynamics_ros.identification.regression import (
    EquationBlock,
    MotionEquations,
    ReducedEquations,
    reduce,
)
from robot_dynamics_ros.recordings import Motion

NAMES = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
# FloBaRoID's width of the sign of friction [rad/s or m/s].
WIDTH = 0.02
SIGNS: Mapping[str, Callable[[Array], Array]] = {
    'smooth': smooth_sign,
    'sign': np.sign,
    'tanh': lambda v: np.tanh(v / WIDTH),
}
TERMS = ('armature', 'viscous', 'coulomb', 'offset')


class Judge:
    """Torques of parameters against the efforts of the held-out states."""

    def __init__(self, folder: Path) -> None:
        self.layout = ParameterLayout(parse_urdf((folder / 'robot.urdf').read_text()))
        self.dynamics = RobotDynamics(self.layout.model)
        self.data = np.load(folder / 'data.npz')
        levels = dict.fromkeys(self.layout.joints, 1e9)
        cutoff = float(self.data['cutoff'])
        self.options = EquationOptions(cutoff=cutoff, effort_levels=levels)

    def motions(self, part: str) -> Iterator[Motion]:
        """The motions of the fitted or of the held-out part."""
        arrays = {name: self.data[f'{part}_{name}'] for name in NAMES}
        cuts = [*self.data[f'{part}_begins'].tolist(), len(arrays['times'])]
        for begin, end in pairwise(cuts):
            own = {name: values[begin:end] for name, values in arrays.items()}
            cutoff, rate = float(self.data['motion_cutoff']), float(self.data['rate'])
            yield Motion(self.layout.joints, cutoff=cutoff, rate=rate, **own)

    def blocks(self, layout: ParameterLayout, options: EquationOptions) -> list[EquationBlock]:
        """The equations of the fitted part."""
        made = MotionEquations(layout, options, self.dynamics)
        return list(made.of_motions(self.motions('fitted'), 'fitted'))

    def left(self, torque: Callable[[Motion], Array]) -> Array:
        """RMS (n,) of the efforts minus these torques [N m or N]."""
        options = replace(self.options, turning_band=0.0, sliding_band=0.0)
        made = MotionEquations(self.layout, options, self.dynamics)
        squares, counts = np.zeros((2, len(self.layout.joints)))
        for motion in self.motions('held_out'):
            error = replace(motion, efforts=motion.efforts - torque(motion))
            for block in made.of_motions([error]):
                squares += np.sum(np.where(block.used, block.torques, 0.0) ** 2, axis=0)
                counts += block.used.sum(axis=0)
        rms: Array = np.sqrt(squares / counts)
        return rms

    def torque_of(
        self, found: Mapping[str, list[float]], sign: Callable[[Array], Array]
    ) -> Callable[[Motion], Array]:
        """The torques of parameters by name."""
        armature, viscous, coulomb, offset = (np.array(found[term]) for term in TERMS)

        def torque(motion: Motion) -> Array:
            q, v, a = motion.positions, motion.velocities, motion.accelerations
            rigid = self.dynamics.regressor(q, v, a) @ np.array(found['bodies'])
            return rigid + armature * a + viscous * v + coulomb * sign(v) + offset

        return torque

    def by_name(self, parameters: Array) -> dict[str, list[float]]:
        """Parameters (p,) by name, as other tools write them."""
        bodies = parameters[: 10 * len(self.layout.bodies)].tolist()
        terms = {term: parameters[self.layout.columns(term)].tolist() for term in TERMS}
        return {'bodies': bodies, **terms}

    def ours(self) -> Iterator[tuple[str, Array, Array]]:
        """The description, least squares, and both estimates of an identification (p,).

        With the smoothing of the friction of each joint (n,).
        """
        usual = self.layout.smoothings
        yield 'description', self.layout.nominal(), usual
        blocks = self.blocks(self.layout, self.options)
        rows = np.concatenate(list(reduce(blocks).triangles))
        lengths = np.linalg.norm(rows[:, :-1], axis=0)
        lengths[lengths == 0.0] = 1.0
        solution = np.linalg.lstsq(rows[:, :-1] / lengths, rows[:, -1], rcond=1e-6)[0]
        yield 'least squares', solution / lengths, usual
        found = identify(LocalEquations(blocks))
        if found.other_friction:
            found = self.smoothed(found)
        smoothing = found.base.layout.smoothings
        yield 'identify', found.final.parameters, smoothing
        yield 'identify, before the last step', found.unconstrained.parameters, smoothing

    def smoothed(self, found: IdentifiedParameters) -> IdentifiedParameters:
        """As the command does where friction near reversals is not that of the usual law."""
        every = replace(self.options, turning_band=0.0, sliding_band=0.0)
        count, weights = len(self.layout.joints), PeriodWeights(found.left_out)

        def reduced_with(smoothing: float) -> ReducedEquations:
            layout = replace(self.layout, smoothing=(smoothing,) * count)
            return reduce(self.blocks(layout, every), weights)

        chosen = certain_smoothings(reduced_with, found.structure, found.inflation)
        layout = replace(self.layout, smoothing=chosen)
        return identify(LocalEquations(self.blocks(layout, self.options)))


def main(folder: str) -> None:
    judge = Judge(Path(folder))
    print(f'{"":32}', *(f'{joint[-10:]:>10}' for joint in judge.layout.joints))
    for name, parameters, smoothing in judge.ours():
        sign = partial(smooth_sign, smoothing=smoothing)
        _print(name, judge.left(judge.torque_of(judge.by_name(parameters), sign)))
    for file in sorted(Path(folder).glob('f*.json')):
        found = json.loads(file.read_text())
        _print(file.stem, judge.left(judge.torque_of(found, SIGNS[found['sign']])))


def _print(name: str, rms: Array) -> None:
    print(f'{name:32}', *(f'{value:10.4f}' for value in rms))


if __name__ == '__main__':
    main(*sys.argv[1:])
