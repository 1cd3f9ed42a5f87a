"""How often the 95 % intervals of base parameters hold the true values, over many recordings.

The bodies are not those of the description, so that an estimate that stays near it is wrong.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path

import core
import numpy as np
from figures import Figure
from recorded_states import RATE, Signals, write_recording

from robot_dynamics_ros.core import RobotDynamics, RobotModel, parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.identification import (
    EquationOptions,
    LocalEquations,
    ParameterLayout,
    identify,
)
from robot_dynamics_ros.identification.observability import Structure, structure_of
from robot_dynamics_ros.identification.parameter_rows import DEVIATIONS
from robot_dynamics_ros.identification.regression import Cutoffs, MotionEquations
from robot_dynamics_ros.recordings import motions, open_recording

ROBOT = 'UR5'
RECORDINGS, SECONDS = 200, 20.0
# Of the range of each torque; [rad/s].
EFFORT_NOISE, VELOCITY_NOISE = 0.005, 1e-3
ARMATURE, VISCOUS, COULOMB, OFFSET, SMOOTHING = 0.3, 1.5, 2.0, -0.7, 0.01
# Of a body: the mass of a point that it has beside the description; [m] how far off it is.
POINT_MASS, DISTANCE = 0.2, 0.1
CUTOFFS = Cutoffs(motions=80.0, equations=10.0)
# How far the share may be from 0.95: of all intervals, and below it of those of one parameter,
# whose standard deviation is 0.015.
BOUND, LOWEST_BOUND = 0.03, 0.07


def measure() -> list[Figure]:
    """How far the share of intervals that hold the truth is from 0.95, for each estimate."""
    print(f'\nidentification: {RECORDINGS} recordings of {SECONDS:g} s ...', flush=True)
    layout = ParameterLayout(parse_urdf(core.urdf(ROBOT)))
    described, true = RobotDynamics(layout.model), RobotDynamics(_other_bodies(layout.model))
    structure = structure_of(layout, described)
    levels = dict.fromkeys(layout.joints, 1e9)
    options = EquationOptions(cutoff=CUTOFFS.equations, effort_levels=levels)
    made = MotionEquations(layout, options, described)
    held: dict[str, dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for seed in range(RECORDINGS):
        for estimate, found in _held(true, made, structure, seed).items():
            for column, inside in found.items():
                held[estimate][column].append(inside)
    return [figure for name, found in held.items() for figure in _figures(name, found)]


def _figures(estimate: str, held: dict[int, list[bool]]) -> list[Figure]:
    """That of all intervals, and that of the parameter with the lowest share."""
    everything = np.concatenate(list(held.values()))
    share, lowest = float(everything.mean()), min(float(np.mean(one)) for one in held.values())
    print(
        f'{estimate}: {100.0 * share:.1f} % of {len(everything)} intervals hold the truth, '
        f'{100.0 * lowest:.1f} % of those of one parameter at least'
    )
    name = f'identification: 95 % intervals, {estimate}'
    figures = [
        Figure(f'{name}, off by', abs(share - 0.95), '', BOUND),
        Figure(f'{name}, lowest parameter below by', 0.95 - lowest, '', LOWEST_BOUND),
    ]
    for figure in figures:
        print(figure, flush=True)
    return figures


def _held(
    true: RobotDynamics, made: MotionEquations, structure: Structure, seed: int
) -> dict[str, dict[int, bool]]:
    """By estimate and column: whether the interval holds the true base parameter."""
    layout = made.layout
    with tempfile.TemporaryDirectory() as folder:
        signals = _signals(true, np.random.default_rng(seed))
        bag, count = Path(folder) / 'bag', len(signals[0])
        file = write_recording(bag, list(layout.joints), count, signals)
        with open_recording([file], joints=layout.joints) as recording:
            blocks = list(made.of_motions(motions(recording, cutoff=CUTOFFS.motions)))
    found = identify(LocalEquations(blocks), structure)
    truth = found.base.values(_truth(layout, true.model))
    widths = DEVIATIONS * np.sqrt(np.diag(found.unconstrained.base_covariance))
    held = {}
    for estimate in (found.unconstrained, found.final):
        inside = np.abs(found.base.values(estimate.parameters) - truth) <= widths
        held[estimate.method] = dict(zip(found.base.columns, inside.tolist(), strict=True))
    return held


def _other_bodies(model: RobotModel) -> RobotModel:
    """The robot with a point mass at each body."""
    random = np.random.default_rng(0)
    other = model
    for body, joint in enumerate(model.joints):
        link = next(frame.name for frame in model.frames if frame.body == body)
        place = random.uniform(-DISTANCE, DISTANCE, 3)
        other = other.with_payload(link, POINT_MASS * joint.inertia.mass, place, name=link)
    return other


def _truth(layout: ParameterLayout, true: RobotModel) -> Array:
    """The parameters (p,) of the robot that is recorded."""
    values = layout.nominal()
    bodies = true.inertial_parameters()
    values[: len(bodies)] = bodies
    values[layout.columns('armature')] += ARMATURE
    values[layout.columns('viscous')] = VISCOUS
    values[layout.columns('coulomb')] = COULOMB
    values[layout.columns('offset')] = OFFSET
    return values


def _signals(true: RobotDynamics, random: np.random.Generator) -> Signals:
    """Positions, velocities and efforts of one motion, sums of sines below 1 Hz, with noise."""
    times = np.arange(round(SECONDS * RATE)) / RATE
    rates = 2.0 * np.pi * random.uniform(0.05, 0.8, (4, true.model.size))
    angles = times[:, None, None] * rates + random.uniform(0.0, 2.0 * np.pi, rates.shape)
    q, v, a = (0.3 * (rates**k * np.sin(angles + 0.5 * k * np.pi)).sum(axis=1) for k in range(3))
    friction = VISCOUS * v + COULOMB * v / np.hypot(v, SMOOTHING)
    efforts = true.inverse_dynamics(q, v, a) + ARMATURE * a + friction + OFFSET
    efforts += EFFORT_NOISE * np.ptp(efforts, axis=0) * random.normal(size=efforts.shape)
    return q, v + random.normal(0.0, VELOCITY_NOISE, v.shape), efforts
