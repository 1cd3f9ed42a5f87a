"""How often the 95 % intervals of base parameters hold the true values, over many recordings.

The bodies are not those of the URDF, so that an estimate that stays near it is wrong: with bounds
that are active or not (Coulomb friction 0 or more), and with a prior of weight 1 or 30.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from figures import Figure, printed, urdf
from recorded_states import RATE, Signals, write_recording

from robot_dynamics_ros.core import RobotDynamics, RobotModel, parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.identification import (
    Equations,
    MotionEquations,
    ParameterLayout,
    base_rows,
    identify,
)
from robot_dynamics_ros.identification.base_parameters import structure_of
from robot_dynamics_ros.recordings import Recording

ROBOT = 'UR5'
RECORDINGS, SECONDS = 25, 20.0
# Coulomb friction [N m], and weight of the prior.
CASES = ((2.0, 1.0), (2.0, 30.0), (0.0, 1.0), (0.0, 30.0))
# Of the range of each torque; [rad/s].
EFFORT_NOISE, VELOCITY_NOISE = 0.005, 1e-3
ARMATURE, VISCOUS, OFFSET, SMOOTHING = 0.3, 1.5, -0.7, 0.01
# Of a body: the mass of a point that it has beside the URDF; [m] how far off it is.
POINT_MASS, DISTANCE = 0.2, 0.1
# Of the motions, and of the equations [Hz].
WIDE, CUTOFF = 80.0, 10.0
# Share of the intervals that do not hold the truth.
BOUND = 0.1


def measure() -> list[Figure]:
    """The share of intervals that do not hold the truth, for each estimate and case."""
    print(f'\nidentification: {RECORDINGS} recordings of {SECONDS:g} s a case ...', flush=True)
    layout = ParameterLayout(parse_urdf(urdf(ROBOT)))
    described, true = RobotDynamics(layout.model), RobotDynamics(_other_bodies(layout.model))
    structure = structure_of(layout, described)
    made = MotionEquations(layout, described, cutoff=CUTOFF, effort_levels=np.inf)
    figures = []
    for coulomb, weight in CASES:
        held: dict[str, list[bool]] = {'least squares': [], 'consistent': []}
        for seed in range(RECORDINGS):
            equations = _recorded(true, made, seed, coulomb)
            found = identify(equations, structure, prior_weight=weight)
            truth = found.base.values(_truth(layout, true.model, coulomb))
            for name, one in zip(held, (found.unconstrained, found.final), strict=True):
                rows = base_rows(found.base, one)
                held[name] += [
                    row.low <= x <= row.high for row, x in zip(rows, truth, strict=True)
                ]
        case = f'{"bounds active" if coulomb == 0.0 else "no bound active"}, prior {weight:g}'
        for name, inside in held.items():
            outside = 1.0 - float(np.mean(inside))
            title = f'95 % intervals, {name}, {case}: share outside, of {len(inside)}'
            figures.append(printed(title, outside, '', BOUND))
    return figures


def _recorded(true: RobotDynamics, made: MotionEquations, seed: int, coulomb: float) -> Equations:
    """Equations of a recording that was written and read."""
    joints = made.layout.joints
    with tempfile.TemporaryDirectory() as folder:
        signals = _signals(true, np.random.default_rng(seed), coulomb)
        file = write_recording(Path(folder) / 'bag', list(joints), len(signals[0]), signals)
        recording = Recording.read([file], joints=joints)
        return Equations.joined(made.of_motions(recording.motions(cutoff=WIDE)))


def _other_bodies(model: RobotModel) -> RobotModel:
    """The robot with a point mass at each body."""
    random = np.random.default_rng(0)
    other = model
    for body, joint in enumerate(model.joints):
        link = next(frame.name for frame in model.frames if frame.body == body)
        place = random.uniform(-DISTANCE, DISTANCE, 3)
        other = other.with_payload(link, POINT_MASS * joint.inertia.mass, place, name=link)
    return other


def _truth(layout: ParameterLayout, true: RobotModel, coulomb: float) -> Array:
    """The parameters (p,) of the robot that is recorded."""
    values = layout.nominal()
    bodies = true.inertial_parameters()
    values[: len(bodies)] = bodies
    values[layout.columns('armature')] += ARMATURE
    values[layout.columns('viscous')] = VISCOUS
    values[layout.columns('coulomb')] = coulomb
    values[layout.columns('offset')] = OFFSET
    return values


def _signals(true: RobotDynamics, random: np.random.Generator, coulomb: float) -> Signals:
    """Positions, velocities and efforts of one motion, sums of sines below 1 Hz, with noise."""
    times = np.arange(round(SECONDS * RATE)) / RATE
    rates = 2.0 * np.pi * random.uniform(0.05, 0.8, (4, true.model.size))
    angles = times[:, None, None] * rates + random.uniform(0.0, 2.0 * np.pi, rates.shape)
    q, v, a = (0.3 * (rates**k * np.sin(angles + 0.5 * k * np.pi)).sum(axis=1) for k in range(3))
    friction = VISCOUS * v + coulomb * v / np.hypot(v, SMOOTHING)
    efforts = true.inverse_dynamics(q, v, a) + ARMATURE * a + friction + OFFSET
    efforts += EFFORT_NOISE * np.ptp(efforts, axis=0) * random.normal(size=efforts.shape)
    return q, v + random.normal(0.0, VELOCITY_NOISE, v.shape), efforts
