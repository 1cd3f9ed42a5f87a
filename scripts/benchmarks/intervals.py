"""How often the 95 % intervals of base parameters hold the true values, over many recordings."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import core
import numpy as np
from figures import Figure
from recorded_states import RATE, Signals, write_recording

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.identification.estimation import (
    OutlierWeights,
    disturbed_periods,
    estimate,
    lagged_influence,
    with_correlation,
)
from robot_dynamics_ros.identification.observability import (
    Structure,
    base_parameters,
    structure_of,
)
from robot_dynamics_ros.identification.parameters import ParameterLayout
from robot_dynamics_ros.identification.regression import (
    Cutoffs,
    EquationOptions,
    MotionEquations,
    reduce,
)
from robot_dynamics_ros.recordings import motions, open_recording

ROBOT = 'UR5'
RECORDINGS, SECONDS = 200, 20.0
# Of the range of each torque; [rad/s].
EFFORT_NOISE, VELOCITY_NOISE = 0.005, 1e-3
VISCOUS, COULOMB, SMOOTHING = 1.5, 2.0, 0.01
CUTOFFS = Cutoffs(motions=80.0, equations=10.0)
# Normal half width, and how far the share may be from 0.95.
DEVIATIONS, BOUND = 1.959964, 0.03


def measure() -> list[Figure]:
    """The share that is missing from 0.95, or above it."""
    print(f'\nidentification: {RECORDINGS} recordings of {SECONDS:g} s ...', flush=True)
    layout = ParameterLayout(parse_urdf(core.urdf(ROBOT)))
    dynamics = RobotDynamics(layout.model)
    structure = structure_of(layout, dynamics)
    levels = dict.fromkeys(layout.joints, 1e9)
    options = EquationOptions(cutoff=CUTOFFS.equations, effort_levels=levels)
    made = MotionEquations(layout, options, dynamics)
    true = layout.nominal()
    true[layout.columns('viscous')] += VISCOUS
    true[layout.columns('coulomb')] += COULOMB
    runs = [_held(dynamics, made, structure, true, seed) for seed in range(RECORDINGS)]
    held = np.concatenate(runs)
    share = float(np.mean(held))
    print(f'{len(held)} intervals, {100.0 * share:.1f} % of them hold the truth')
    figures = [Figure('identification: 95 % intervals off by', abs(share - 0.95), '', BOUND)]
    print(figures[0], flush=True)
    return figures


def _held(
    dynamics: RobotDynamics, made: MotionEquations, structure: Structure, true: Array, seed: int
) -> Array:
    """Whether each interval (b,) of one recording holds the true base parameter."""
    layout = made.layout
    with tempfile.TemporaryDirectory() as folder:
        signals = _signals(dynamics, np.random.default_rng(seed))
        bag, count = Path(folder) / 'bag', len(signals[0])
        file = write_recording(bag, list(layout.joints), count, signals)
        with open_recording([file], joints=layout.joints) as recording:
            blocks = list(made.of_motions(motions(recording, cutoff=CUTOFFS.motions)))
    reduced = reduce(blocks)
    base = base_parameters(reduced, structure)
    robust = estimate(reduced, partial(reduce, blocks), base)
    periods = disturbed_periods(blocks, robust.parameters)
    weights = OutlierWeights(robust.parameters, robust.noise, periods)
    weighted = reduce(blocks, weights)
    base = base_parameters(weighted, structure)
    found = estimate(weighted, base=base)
    independence = float(reduced.independent.sum() / reduced.counts.sum())
    found = with_correlation(found, lagged_influence(blocks, found, weights), independence)
    errors = np.abs(base.values(found.parameters) - base.values(true))
    held: Array = errors <= DEVIATIONS * np.sqrt(np.diag(found.base_covariance))
    return held


def _signals(dynamics: RobotDynamics, random: np.random.Generator) -> Signals:
    """Positions, velocities and efforts of one motion, sums of sines below 1 Hz, with noise."""
    times = np.arange(round(SECONDS * RATE)) / RATE
    rates = 2.0 * np.pi * random.uniform(0.05, 0.8, (4, dynamics.model.size))
    angles = times[:, None, None] * rates + random.uniform(0.0, 2.0 * np.pi, rates.shape)
    q, v, a = (0.3 * (rates**k * np.sin(angles + 0.5 * k * np.pi)).sum(axis=1) for k in range(3))
    efforts = dynamics.inverse_dynamics(q, v, a) + _friction(v)
    efforts += EFFORT_NOISE * np.ptp(efforts, axis=0) * random.normal(size=efforts.shape)
    return q, v + random.normal(0.0, VELOCITY_NOISE, v.shape), efforts


def _friction(v: Array) -> Array:
    friction: Array = VISCOUS * v + COULOMB * v / np.hypot(v, SMOOTHING)
    return friction
