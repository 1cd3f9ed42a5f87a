"""Defects that are planted in recordings of five arms: what is said of them, and what is fitted.

The arms are those of their URDFs but for one defect; what is said beside friction, which no URDF
here has, must be that defect. The identified first moments are compared with the true ones.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from figures import Figure, printed, urdf
from recorded_states import RATE, write_recording

from robot_dynamics_ros.comparison import Comparison
from robot_dynamics_ros.core import RobotDynamics, RobotModel, parse_urdf
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.core.model.gravity import STANDARD_GRAVITY
from robot_dynamics_ros.identification import Identifier
from robot_dynamics_ros.recordings import Recording

ARMS = 'UR5', 'UR10', 'xArm7', 'Panda', 'Z1'
SECONDS = 40.0
# Of the range of the torque of each joint: Coulomb friction, viscous friction a rad/s, noise.
COULOMB, VISCOUS, NOISE = 0.03, 0.02, 0.004
# Rotors, of the median of diag M; two links that are heavier; share of states that are zero.
ROTOR, HEAVIER, ZEROS = 0.5, 1.3, 0.027
TILTED, CEILING = (4.905, 0.0, -8.4957), (0.0, 0.0, 9.81)
# Of the largest first moment.
MOMENTS = 0.05


def measure() -> list[Figure]:
    """How many of the defects are not named as they are, and the worst first moment."""
    print(f'\nplanted defects: {", ".join(ARMS)}, {SECONDS:g} s each ...', flush=True)
    wrong, worst, count = 0, 0.0, 0
    for arm in ARMS:
        text = urdf(arm)
        model = parse_urdf(text)
        inertia = np.median(np.diag(RobotDynamics(model).mass_matrix(np.zeros(model.size))))
        rotor, heavy = ROTOR * float(inertia), _heavier(model)
        flipped = np.where(np.arange(model.size) == 1, -1.0, 1.0)
        cases: dict[str, tuple[set[str], dict[str, Any]]] = {
            'none': (set(), {}),
            'rotors': ({'rotor'}, {'rotor': rotor}),
            'tilted base': ({'turned_base'}, {'gravity': TILTED}),
            'ceiling': ({'turned_base'}, {'gravity': CEILING}),
            'heavy links': ({'mass'}, {'model': heavy}),
            'flipped sign': ({'sign'}, {'signs': flipped}),
            'zeros': ({'samples'}, {'zeros': True}),
        }
        for name, (codes, options) in cases.items():
            recording, count = _recording(**({'model': model} | options)), count + 1
            said = {one.code for one in Comparison(model).of(recording).findings} - {'friction'}
            error = 0.0
            if name != 'flipped sign':
                gravity = options.get('gravity', STANDARD_GRAVITY)
                found = Identifier(text, gravity=gravity).fit([recording])
                error = _error(found, options.get('model', model), options.get('rotor', 0.0))
                said |= {'doubtful'} if found.doubts else set()
            wrong, worst = wrong + (said != codes), max(worst, error)
            print(
                f'{arm:8}{name:14}{", ".join(sorted(said)):30}{100.0 * error:6.1f} %', flush=True
            )
    return [
        printed(f'planted defects: named wrongly, of {count}', wrong, '', 0.0),
        printed('planted defects: error of first moments', worst, '', MOMENTS),
    ]


def _recording(
    model: RobotModel,
    *,
    rotor: float = 0.0,
    gravity: Sequence[float] = STANDARD_GRAVITY,
    signs: Array | float = 1.0,
    zeros: bool = False,
) -> Recording:
    """Sums of sines below 0.65 Hz, with friction and noise, written and read."""
    random, shape = np.random.default_rng(1), (4, model.size)
    rates, phases = random.uniform(0.6, 4.0, shape), random.uniform(0.0, 6.0, shape)
    angles = (np.arange(round(SECONDS * RATE)) / RATE)[:, None, None] * rates + phases
    q, v, a = ((rates**k * np.sin(angles + 0.5 * k * np.pi)).sum(axis=1) for k in range(3))
    # Four sines are at most 4; no joint turns by more than 1.2 rad from the middle of its range.
    low, high = np.maximum(model.lower, -np.pi), np.minimum(model.upper, np.pi)
    size = np.minimum(0.3, 0.12 * (high - low))
    q, v, a = 0.5 * (low + high) + size * q, size * v, size * a
    efforts = RobotDynamics(model, gravity=gravity).inverse_dynamics(q, v, a)
    ranges = np.ptp(efforts, axis=0)
    efforts += rotor * a + ranges * (COULOMB * np.sign(v) + VISCOUS * v)
    efforts = signs * efforts + NOISE * ranges * random.normal(size=q.shape)
    if zeros:
        lost = random.random(len(q)) < ZEROS
        q[lost] = v[lost] = efforts[lost] = 0.0
    joints = list(model.joint_names)
    with tempfile.TemporaryDirectory() as folder:
        file = write_recording(Path(folder) / 'bag', joints, len(q), (q, v, efforts))
        return Recording.read([file], joints=joints)


def _heavier(model: RobotModel) -> RobotModel:
    """With two links that are heavier."""
    bodies = model.inertial_parameters().reshape(-1, 10).copy()
    bodies[[1, 2]] *= HEAVIER
    return model.with_inertial_parameters(bodies.ravel())


def _error(found: Any, true: RobotModel, rotor: float) -> float:
    """The largest error of the first moments, of the largest of them."""
    parameters = np.concatenate([true.inertial_parameters(), np.full(true.size, rotor)])
    truth = found.parameters.base.combination @ parameters
    moments = np.array([row.unit == 'kg m' for row in found.parameters.sums])
    values = np.array([row.value for row in found.parameters.sums])
    return float(np.abs((values - truth)[moments]).max() / np.abs(truth[moments]).max())
