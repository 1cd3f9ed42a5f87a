"""Forward dynamics, Jacobians, derivatives and regressor beside Pinocchio's, both from Python."""

from __future__ import annotations

import time
from dataclasses import dataclass

import core
import numpy as np
import pinocchio
from figures import Figure
from timing import interleaved

from robot_dynamics_ros.core import Frame, RobotDynamics, RobotModel, parse_urdf
from robot_dynamics_ros.core.algorithms.kinematics import chain
from robot_dynamics_ros.core.checks import Array
from robot_dynamics_ros.ros.compilation import COMPILED_QUANTITIES

BOUND = 0.6
# Of plain inverses, without the handling of singularities.
TASK_SPACE_BOUND = 1.8
# Until every program that a node needs is compiled, 32 joints, nothing cached [s].
READY_BOUND = 3.0


@dataclass(frozen=True)
class Pair:
    """Statements that compute the same; without a bound the ratio is told, not judged."""

    theirs: str
    ours: str
    bound: float | None = BOUND


PAIRS = {
    'forward dynamics': Pair(
        'pinocchio.aba(model, data, q, v, tau)', 'dynamics.forward_dynamics(x, v, tau)'
    ),
    'Jacobian': Pair(
        'pinocchio.computeFrameJacobian(model, data, q, index, reference)',
        'dynamics.jacobian(x, frame)',
    ),
    'Jacobian derivative': Pair(
        'pinocchio.computeJointJacobiansTimeVariation(model, data, q, v); '
        'pinocchio.getFrameJacobianTimeVariation(model, data, index, reference)',
        'dynamics.jacobian_derivative(x, v, frame)',
        None,
    ),
    'velocity of a frame': Pair(
        'pinocchio.forwardKinematics(model, data, q, v); '
        'pinocchio.getFrameVelocity(model, data, index, reference)',
        'dynamics.frame_velocity(x, v, frame)',
        None,
    ),
    'task space, beside plain NumPy': Pair(
        'task_space_in_numpy(dynamics, x, v, frame)',
        'dynamics.task_space(x, v, frame)',
        TASK_SPACE_BOUND,
    ),
    'RNEA derivatives': Pair(
        'pinocchio.computeRNEADerivatives(model, data, q, v, a)',
        'dynamics.inverse_dynamics_derivatives(x, v, a)',
    ),
    'forward dynamics derivatives': Pair(
        'pinocchio.computeABADerivatives(model, data, q, v, tau)',
        'dynamics.forward_dynamics_derivatives(x, v, tau)',
        None,
    ),
    'poses of all frames': Pair(
        'pinocchio.framesForwardKinematics(model, data, q)', 'dynamics.frame_poses(x)', None
    ),
    'Jacobian of the centre of mass': Pair(
        'pinocchio.jacobianCenterOfMass(model, data, q)',
        'dynamics.center_of_mass_jacobian(x)',
        None,
    ),
    'inverse mass matrix': Pair(
        'pinocchio.computeMinverse(model, data, q)', 'dynamics.mass_matrix_inverse(x)', None
    ),
    'regressor': Pair(
        'pinocchio.computeJointTorqueRegressor(model, data, q, v, a)',
        'dynamics.regressor(x, v, a)',
        None,
    ),
}


def measure() -> list[Figure]:
    """Everything; a row of the table is printed as soon as it is known."""
    print(f'\n{"":46}{"Pinocchio":>10}{"facade":>10}{"ratio":>8}{"bound":>7}')
    figures = []
    for robot in core.ROBOTS:
        namespace = _namespace(core.urdf(robot))
        for name, pair in PAIRS.items():
            figures += _compare(f'{robot} {name}', pair, namespace)
    return [*figures, _ready()]


def _namespace(text: str) -> dict[str, object]:
    model = pinocchio.buildModelFromXML(text)
    dynamics = RobotDynamics(parse_urdf(text))
    # Which joint is which does not matter for the time.
    x, v, a, tau = np.random.default_rng(0).uniform(-1.0, 1.0, (4, model.nv))
    frame = _farthest_frame(dynamics.model)
    return {
        'pinocchio': pinocchio,
        'model': model,
        'data': model.createData(),
        'dynamics': dynamics,
        'task_space_in_numpy': _task_space_in_numpy,
        'q': pinocchio.integrate(model, pinocchio.neutral(model), x),
        'x': x,
        'v': v,
        'a': a,
        'tau': tau,
        'frame': frame,
        'index': model.getFrameId(frame, pinocchio.FrameType.BODY),
        'reference': pinocchio.LOCAL_WORLD_ALIGNED,
    }


def _task_space_in_numpy(dynamics: RobotDynamics, q: Array, v: Array, frame: str) -> object:
    """Lambda, J_bar and the forces at a frame, where nothing is singular."""
    J, J_dot = dynamics.jacobian(q, frame), dynamics.jacobian_derivative(q, v, frame)
    gravity, velocity, _ = dynamics.torque_terms(q, v, np.zeros_like(v))
    mobility = np.linalg.inv(dynamics.mass_matrix(q))
    inertia = np.linalg.inv(J @ mobility @ J.T)
    inverse = mobility @ J.T @ inertia
    return inertia, inverse.T @ velocity - inertia @ (J_dot @ v), inverse.T @ gravity, inverse


def _farthest_frame(robot: RobotModel) -> str:
    """The link with the most joints between it and the base."""

    def joints_below(frame: Frame) -> int:
        return len(chain(robot, frame.body))

    return max(robot.frames, key=joints_below).name


def _compare(name: str, pair: Pair, namespace: dict[str, object]) -> list[Figure]:
    statements = {'Pinocchio': pair.theirs, 'facade': pair.ours}
    seconds = interleaved(statements, namespace)
    theirs, ours = (1e6 * float(np.median(values)) for values in seconds.values())
    ratio = float(np.median(seconds['facade'] / seconds['Pinocchio']))
    figure = Figure('facade ratio', ratio, 'x', pair.bound)
    mark = ' ' if figure.holds else '!'
    bound = '' if pair.bound is None else f'{pair.bound:.2f}'
    print(f'{name:46}{theirs:7.2f} us{ours:7.2f} us{ratio:7.2f}{mark}{bound:>7}', flush=True)
    times = [Figure('Pinocchio', theirs, 'us'), Figure('facade', ours, 'us')]
    return [each.prefixed(name) for each in (*times, figure)]


def _ready() -> Figure:
    dynamics = RobotDynamics(parse_urdf(core.urdf('Talos reduced')))
    start = time.perf_counter()
    dynamics.compile(*COMPILED_QUANTITIES)
    seconds = time.perf_counter() - start
    figure = Figure('Talos reduced: all programs of a node', seconds, 's', READY_BOUND)
    print(figure, flush=True)
    return figure
