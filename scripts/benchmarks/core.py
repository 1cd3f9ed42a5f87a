"""One call of each quantity beside Pinocchio's, both from Python, and the start-up of the core."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import numpy as np
import pinocchio
from figures import ROBOTS, Figure, interleaved, printed, urdf

from robot_dynamics_ros.control.external.momentum_observer import ExternalForceObserver
from robot_dynamics_ros.control.external.wrench import WrenchEstimator
from robot_dynamics_ros.core import JointFriction, RobotDynamics, RobotModel, parse_urdf
from robot_dynamics_ros.core.algorithms.kinematics import chain
from robot_dynamics_ros.core.checks import Array

# Joints of robots whose first use is timed; until every program of a node is there again [s].
CHAINS, READY = (6, 30, 60, 120), {'UR5': 0.5, 'humanoid of 60 joints': 2.0}
# Of the largest entry; as the oracle allows.
AGREEMENT = 1e-12
# Of a step of the observer of UR5, and of its friction beside its other torques [us].
OBSERVER_BOUND, FRICTION_BOUND = 1.5, 1.0


@dataclass(frozen=True)
class Pair:
    """Our method, Pinocchio's of model m, data d and a state in its order, and the bounds.

    Without a bound the ratio is reported; with one of `bind`, the values must be Pinocchio's.
    """

    method: str
    inputs: str
    theirs: str
    bound: float | None = 0.6
    bind_bound: float | None = None


PAIRS = {
    'RNEA': Pair('inverse_dynamics', 'q v a', 'rnea(m, d, q_, v_, a_)', 0.7, 0.45),
    'CRBA': Pair('mass_matrix', 'q', 'crba(m, d, q_)', 0.7, 0.45),
    'Coriolis matrix': Pair(
        'coriolis_matrix', 'q v', 'computeCoriolisMatrix(m, d, q_, v_)', 0.7, 0.6
    ),
    'forward dynamics': Pair('forward_dynamics', 'q v tau', 'aba(m, d, q_, v_, tau_)'),
    'Jacobian': Pair('jacobian', 'q frame', 'computeFrameJacobian(m, d, q_, index, reference)'),
    'Jacobian derivative': Pair(
        'jacobian_derivative', 'q v frame',
        'computeJointJacobiansTimeVariation(m, d, q_, v_); '
        'pinocchio.getFrameJacobianTimeVariation(m, d, index, reference)', None,
    ),
    'velocity of a frame': Pair(
        'frame_velocity', 'q v frame',
        'forwardKinematics(m, d, q_, v_); pinocchio.getFrameVelocity(m, d, index, reference)',
        None,
    ),
    'RNEA derivatives': Pair(
        'inverse_dynamics_derivatives', 'q v a', 'computeRNEADerivatives(m, d, q_, v_, a_)'
    ),
    'forward dynamics derivatives': Pair(
        'forward_dynamics_derivatives', 'q v tau', 'computeABADerivatives(m, d, q_, v_, tau_)',
        None,
    ),
    'poses of all frames': Pair('frame_poses', 'q', 'framesForwardKinematics(m, d, q_)', None),
    'Jacobian of the centre of mass': Pair(
        'center_of_mass_jacobian', 'q', 'jacobianCenterOfMass(m, d, q_)', None
    ),
    'inverse mass matrix': Pair('mass_matrix_inverse', 'q', 'computeMinverse(m, d, q_)', None),
    'regressor': Pair(
        'regressor', 'q v a', 'computeJointTorqueRegressor(m, d, q_, v_, a_)', None
    ),
}  # fmt: skip


def measure() -> list[Figure]:
    """Everything; a row of the table is printed as soon as it is known."""
    print(
        f'{"":44}{"Pinocchio":>12}{"called":>12}{"ratio":>8}{"bound":>7}'
        f'{"bind":>18}{"ratio":>8}{"bound":>7}'
    )
    figures = []
    for robot in ROBOTS:
        namespace = _namespace(parse_urdf(urdf(robot)), urdf(robot))
        for name, pair in PAIRS.items():
            figures += _compare(f'{robot} {name}', pair, namespace)
    return [*figures, *_observer(), *_first_use()]


def _namespace(robot: RobotModel, text: str) -> dict[str, object]:
    model = pinocchio.buildModelFromXML(text)
    assert model.nq == model.nv, 'Pinocchio holds an angle as its cosine and sine'
    order = [robot.index_of(name) for name in list(model.names)[1:]]
    values = np.random.default_rng(0).uniform(-1, 1, (4, robot.size))
    inputs = dict(zip(('q', 'v', 'a', 'tau'), values, strict=True))
    frame = max(robot.frames, key=lambda frame: len(chain(robot, frame.body))).name
    return {
        'pinocchio': pinocchio, 'm': model, 'd': model.createData(), 'order': order,
        'dynamics': RobotDynamics(robot, backend='native'), **inputs,
        **{f'{name}_': value[order] for name, value in inputs.items()}, 'frame': frame,
        'index': model.getFrameId(frame, pinocchio.FrameType.BODY),
        'reference': pinocchio.LOCAL_WORLD_ALIGNED,
    }  # fmt: skip


def _compare(name: str, pair: Pair, namespace: dict[str, object]) -> list[Figure]:
    inputs = pair.inputs.replace(' ', ', ')
    statements = {
        'Pinocchio': f'pinocchio.{pair.theirs}',
        'called': f'dynamics.{pair.method}({inputs})',
    }
    if pair.bind_bound is not None:
        theirs, ours = (eval(statement, namespace) for statement in statements.values())
        _check(ours[np.ix_(*[namespace['order']] * ours.ndim)], theirs)
        arguments = [namespace[each] for each in pair.inputs.split()]
        bound = namespace['dynamics'].bind(pair.method, *arguments, out=np.zeros_like(ours))
        namespace = namespace | {'step': bound}
        statements['bound'] = 'step()'
    seconds = interleaved(statements, namespace)
    theirs = 1e6 * float(np.median(seconds['Pinocchio']))
    figures, row = [Figure(f'{name} Pinocchio', theirs, 'us')], f'{name:44}{theirs:9.2f} us'
    for way, most in (('called', pair.bound), ('bound', pair.bind_bound)):
        if way in seconds:
            time_of_it = 1e6 * float(np.median(seconds[way]))
            ratio = float(np.median(seconds[way] / seconds['Pinocchio']))
            figures.append(Figure(f'{name} {way}', time_of_it, 'us'))
            figures.append(Figure(f'{name} {way} to Pinocchio', ratio, 'x', most))
            mark = ' ' if figures[-1].holds else '!'
            row += f'{time_of_it:{9 if way == "called" else 15}.2f} us{ratio:7.2f}{mark}'
            row += f'{"" if most is None else format(most, ".2f"):>7}'
    print(row, flush=True)
    return figures


def _check(ours: Array, theirs: Array) -> None:
    """What is compared must be the same; Pinocchio fills the upper triangle of M only."""
    error = np.abs(np.triu(ours - theirs)).max() / np.abs(ours).max()
    assert error <= AGREEMENT, f'off by {error:.1e}'


def _observer() -> list[Figure]:
    """Steps of the observer of external torques of UR5, as the node calls it."""
    # The payload of the tool is an input.
    dynamics = RobotDynamics(parse_urdf(urdf('UR5')), payload_frame='tool0')
    n = dynamics.model.size
    q, v, effort = np.random.default_rng(0).uniform(-1.0, 1.0, (3, n))
    friction, rows = JointFriction(dynamics.model).coefficients, np.zeros((6, n))
    inputs = (q, v, effort, v, v, friction, np.zeros(2 * n))
    times = iter(1e-3 * step for step in range(10**9))
    namespace = {
        'step': ExternalForceObserver(dynamics).step, 'next': next, 'times': times,
        'estimate': WrenchEstimator(dynamics, 'tool0').estimate, 'q': q, 'v': v, 'effort': effort,
        'torque': dynamics.bind('torque_terms', *inputs[:3], out=np.zeros((3, n))),
        'feedforward': dynamics.bind('feedforward_step', *inputs, out=rows),
    }  # fmt: skip
    statements = {
        'clock': 'next(times)',
        'step': 'step(q, v, effort, next(times))',
        'wrench': 'estimate(q, effort)',
        'torque': 'torque()',
        'feedforward': 'feedforward()',
    }
    seconds = interleaved(statements, namespace)
    clock, step, wrench, torque, whole = (
        1e6 * float(np.median(each)) for each in seconds.values()
    )
    return [
        printed('UR5 observer step', step - clock, 'us', OBSERVER_BOUND),
        printed('UR5 wrench', wrench, 'us'),
        printed('UR5 friction of a state, bound', whole - torque, 'us', FRICTION_BOUND),
    ]


# What a process does with a robot the first time: processor time.
FIRST_USE = """
import sys, time
times = [time.process_time()]
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.ros.compilation import COMPILED_QUANTITIES
times.append(time.process_time())
model = parse_urdf(sys.stdin.read())
times.append(time.process_time())
dynamics = RobotDynamics(model)
dynamics.mass_matrix([0.1] * model.size)
times.append(time.process_time())
dynamics.compile('mass_matrix')
times.append(time.process_time())
dynamics.compile(*COMPILED_QUANTITIES)
times.append(time.process_time())
print([later - earlier for earlier, later in zip(times, times[1:])])
"""
PARTS = 'import', 'parse', 'M(q) once', 'compile M', 'all of a node'


def _first_use() -> list[Figure]:
    """In new processes: nothing compiled before, and what another process has kept."""
    figures = []
    print(f'\n{"first use":34}' + ''.join(f'{part:>16}' for part in PARTS))
    robots = {
        'UR5': urdf('UR5'),
        'humanoid of 60 joints': _chains(12, 5),
        **{f'chain of {n} joints': _chains(n) for n in CHAINS},
    }
    for robot, text in robots.items():
        with tempfile.TemporaryDirectory() as folder:
            for way in ('cold', 'kept'):
                done = subprocess.run(
                    [sys.executable, '-c', FIRST_USE], input=text, stdout=subprocess.PIPE,
                    text=True, check=True, env=os.environ | {'XDG_CACHE_HOME': folder},
                )  # fmt: skip
                seconds = json.loads(done.stdout)
                bound = READY.get(robot) if way == 'kept' else None
                title = f'{robot}, {way}'
                print(f'{title:34}' + ''.join(f'{1e3 * one:13.1f} ms' for one in seconds))
                figures.append(
                    Figure(f'{title}: parsed and compiled', sum(seconds[1:]), 's', bound)
                )
    return figures


def _chains(joints: int, count: int = 1) -> str:
    """URDF of some chains from one base, whose axes are x, y and z in turn."""
    text = '<link name="0"/>'
    for k in range(joints * count):
        parent = k if k % joints else 0
        axis = ' '.join(str(int(k % 3 == i)) for i in range(3))
        text += (
            f'<link name="{k + 1}"><inertial><origin xyz="0.02 0.01 0.05"/><mass value="1"/>'
            '<inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial>'
            f'</link><joint name="joint{k}" type="continuous"><parent link="{parent}"/>'
            f'<child link="{k + 1}"/><origin xyz="0 0.02 0.1" rpy="0 0.3 0"/>'
            f'<axis xyz="{axis}"/></joint>'
        )
    return f'<robot name="chains">{text}</robot>'
