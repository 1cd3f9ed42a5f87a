"""How often the 95 % intervals of `Identifier` hold the truth, over many recordings of three arms.

The bodies are not those of the URDF; each joint has a rotor that the URDF lacks, and friction with
constants that are in the basis of the regression, or not.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from figures import Figure, printed, urdf
from recorded_states import RATE, Signals, write_recording

from robot_dynamics_ros.core import JointFriction, RobotDynamics, RobotModel, parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.identification import Identified, Identifier
from robot_dynamics_ros.recordings import Recording

ARMS = 'UR5', 'xArm7', 'Panda'
RECORDINGS, SECONDS = 8, 20.0
# Constants of friction, on the grid of the basis and off it: v_0 [rad/s] and displacement [rad].
CASES = {'on the grid': (0.05, 0.02), 'off the grid': (0.035, 0.027)}
# Of the range of each torque; [rad/s].
EFFORT_NOISE, VELOCITY_NOISE = 0.005, 1e-3
ARMATURE, VISCOUS, COULOMB, PRESLIDING, LOAD, OFFSET = 0.3, 1.5, 1.0, 0.5, 0.05, -0.7
# Of a body: the mass of a point that it has beside the URDF; [m] how far off it is.
POINT_MASS, DISTANCE = 0.2, 0.1
CUTOFF = 10.0
# Shares of the intervals that hold the truth, at least and at most.
LEAST, MOST = 0.88, 0.99


def measure() -> list[Figure]:
    """The share of intervals that do not hold the truth, for each kind and case."""
    print(f'\nidentification: {RECORDINGS} recordings of {SECONDS:g} s a case ...', flush=True)
    figures = []
    for case, (smoothing, displacement) in CASES.items():
        held: dict[str, list[bool]] = defaultdict(list)
        for arm in ARMS:
            text = urdf(arm)
            model = parse_urdf(text)
            true = RobotDynamics(_other_bodies(model))
            friction = _friction(model, smoothing, displacement)
            for seed in range(RECORDINGS):
                found = _identified(text, true, friction, seed)
                for kind, inside in _inside(found, true.model, friction).items():
                    held[kind] += inside
        for kind, inside in held.items():
            share = float(np.mean(inside))
            title = f'95 % intervals, {kind}, constants {case}: share inside, of {len(inside)}'
            print(f'{title}: {share:.3f}', flush=True)
            figures.append(printed(f'{title}: missed', 1.0 - share, '', 1.0 - LEAST))
    return figures


def _identified(text: str, true: RobotDynamics, friction: JointFriction, seed: int) -> Identified:
    """The identification of a recording that was written and read."""
    signals = _signals(true, friction, np.random.default_rng(seed))
    with tempfile.TemporaryDirectory() as folder:
        joints = list(true.model.joint_names)
        file = write_recording(Path(folder) / 'bag', joints, len(signals[0]), signals)
        return Identifier(text).fit([Recording.read([file], joints=joints, cutoff=CUTOFF)])


def _inside(found: Identified, true: RobotModel, friction: JointFriction) -> dict[str, list[bool]]:
    """Whether each interval holds the truth."""
    base, parameters = found.parameters.base, true.inertial_parameters()
    rotors = np.array([joint.armature for joint in true.independent_joints]) + ARMATURE
    values = base.combination @ np.concatenate([parameters, rotors])
    sums = zip(found.parameters.sums, values.tolist(), strict=True)
    rows = {row.name: row for row in found.parameters.joints}
    each = (rows.get(f'{name} armature') for name in true.joint_names)
    curves = []
    for index, curve in enumerate(found.parameters.curves.values()):
        v = np.zeros((len(curve.velocities), true.size))
        v[:, index] = curve.velocities
        slips = np.broadcast_to(np.sign(v)[:, None], (len(v), 2, true.size))
        load = np.full_like(v, curve.load)
        truth = friction.torque(v, load=load, slips=slips)[:, index]
        curves += ((curve.low <= truth) & (truth <= curve.high)).tolist()
    return {
        'base parameters': [row.low <= x <= row.high for row, x in sums if np.isfinite(row.low)],
        'rotors': [
            row.low <= x <= row.high
            for row, x in zip(each, rotors.tolist(), strict=True)
            if row is not None and np.isfinite(row.low)
        ],
        'friction': curves,
    }


def _friction(model: RobotModel, smoothing: float, displacement: float) -> JointFriction:
    """The same friction of each joint."""
    names = [joint.name for joint in model.joints]
    return JointFriction(
        model,
        smoothing=smoothing,
        viscous=dict.fromkeys(names, VISCOUS),
        coulomb=dict.fromkeys(names, COULOMB),
        presliding=dict.fromkeys(names, PRESLIDING),
        displacement=dict.fromkeys(names, displacement),
        load=dict.fromkeys(names, LOAD),
    )


def _other_bodies(model: RobotModel) -> RobotModel:
    """The robot with a point mass at each body."""
    random = np.random.default_rng(0)
    other = model
    for body, joint in enumerate(model.joints):
        link = next(frame.name for frame in model.frames if frame.body == body)
        place = random.uniform(-DISTANCE, DISTANCE, 3)
        other = other.with_payload(link, POINT_MASS * joint.inertia.mass, place, name=link)
    return other


def _signals(true: RobotDynamics, friction: JointFriction, random: np.random.Generator) -> Signals:
    """Positions, velocities and efforts of one motion, sums of sines below 1 Hz, with noise."""
    times = np.arange(round(SECONDS * RATE)) / RATE
    rates = 2.0 * np.pi * random.uniform(0.05, 0.8, (4, true.model.size))
    angles = times[:, None, None] * rates + random.uniform(0.0, 2.0 * np.pi, rates.shape)
    q, v, a = (0.3 * (rates**k * np.sin(angles + 0.5 * k * np.pi)).sum(axis=1) for k in range(3))
    rigid: Array = true.inverse_dynamics(q, v, a)
    efforts = rigid + friction.torque(v, load=rigid, slips=friction.slips().along(q))
    efforts += ARMATURE * a + OFFSET
    efforts += EFFORT_NOISE * np.ptp(efforts, axis=0) * random.normal(size=efforts.shape)
    return q, v + random.normal(0.0, VELOCITY_NOISE, v.shape), efforts
