"""One call of each quantity beside Pinocchio's, both from Python, and the start-up of the core."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
import pinocchio
from figures import ROBOTS, Figure, interleaved, printed, urdf

from robot_dynamics_ros.control.external.momentum_observer import ExternalForceObserver
from robot_dynamics_ros.control.external.wrench import WrenchEstimator
from robot_dynamics_ros.core import JointFriction, RobotDynamics, RobotModel, parse_urdf
from robot_dynamics_ros.core.algorithms.kinematics import chain
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.ros.compilation import COMPILED_QUANTITIES

# Until every program that a node needs is compiled: UR5, and 32 joints [s].
COMPILE_BOUND, READY_BOUND = 0.5, 3.0
STARTS = 5
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
    return [*figures, *_observer(), *_start_up()]


def _namespace(robot: RobotModel, text: str) -> dict[str, object]:
    model = pinocchio.buildModelFromXML(text)
    assert model.nq == model.nv, 'Pinocchio holds an angle as its cosine and sine'
    order = [robot.index_of(name) for name in list(model.names)[1:]]
    values = np.random.default_rng(0).uniform(-1, 1, (4, robot.size))
    inputs = dict(zip(('q', 'v', 'a', 'tau'), values, strict=True))
    frame = max(robot.frames, key=lambda frame: len(chain(robot, frame.body))).name
    return {
        'pinocchio': pinocchio, 'm': model, 'd': model.createData(), 'order': order,
        'dynamics': RobotDynamics(robot), **inputs,
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


# What a process does before it can compute, timed from its start.
START_UP = """
import sys, time
times = [time.perf_counter()]
from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.ros.compilation import COMPILED_QUANTITIES
times.append(time.perf_counter())
model = parse_urdf(sys.stdin.read())
times.append(time.perf_counter())
dynamics = RobotDynamics(model)
times.append(time.perf_counter())
dynamics.compile(*COMPILED_QUANTITIES)
times.append(time.perf_counter())
print([later - earlier for earlier, later in zip(times, times[1:])])
"""


def _start_up() -> list[Figure]:
    """In new processes: import, parse, load LLVM, compile all that the node prepares."""
    command = [sys.executable, '-c', START_UP]
    outputs = [
        subprocess.run(command, input=urdf('UR5'), stdout=subprocess.PIPE, text=True, check=True)
        for _ in range(STARTS)
    ]
    imported, parsed, loaded, compiled = np.median(
        [json.loads(output.stdout) for output in outputs], axis=0
    )
    dynamics = RobotDynamics(parse_urdf(urdf('Talos reduced')))
    started = time.perf_counter()
    dynamics.compile(*COMPILED_QUANTITIES)
    ready = time.perf_counter() - started
    return [
        printed('core start-up on UR5: import', imported, 's'),
        printed('core start-up on UR5: parse', parsed, 's'),
        printed('core start-up on UR5: load LLVM', loaded, 's'),
        printed('core start-up on UR5: compile', compiled, 's', COMPILE_BOUND),
        printed('Talos reduced: all programs of a node', ready, 's', READY_BOUND),
    ]
