"""Speeds of forward dynamics, Jacobians, derivatives and regressor beside Pinocchio's.

Both are called from Python with the same arrays; neither time includes a conversion.
"""

from __future__ import annotations

import sys
import time
import timeit
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import numpy as np
import pinocchio

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.preparation import PREPARED

ROBOTS = {
    'UR5': 'ur_description/urdf/ur5_robot.urdf',
    'xArm7': 'xarm_description/urdf/xarm7.urdf',
    'Talos reduced': 'talos_data/robots/talos_reduced.urdf',
}
# Share of Pinocchio's time that is allowed; None: for information.
BOUNDS: dict[str, float | None] = {
    'forward dynamics': 0.6,
    'Jacobian': 0.6,
    'Jacobian derivative': None,
    'RNEA derivatives': 0.6,
    'inverse mass matrix': None,
    'regressor': None,
}
# Until every program that a node needs is compiled [s].
READY = 3.0


def measure(*calls: Callable[[], object], repeats: int = 15) -> list[float]:
    """The best run of each [s]; they take turns, so that a busy moment hits all of them."""
    for call in calls:
        call()  # compiles
    timers = [timeit.Timer(call) for call in calls]
    numbers = [max(1, int(0.01 / (timer.timeit(20) / 20))) for timer in timers]
    runs = [
        [timer.timeit(number) / number for timer, number in zip(timers, numbers, strict=True)]
        for _ in range(repeats)
    ]
    return [min(times) for times in zip(*runs, strict=True)]


def compare(text: str) -> dict[str, list[float]]:
    """Line -> seconds of Pinocchio, and ours."""
    model = pinocchio.buildModelFromXML(text)
    data, n = model.createData(), model.nv
    ours = RobotDynamics(parse_urdf(text))
    # In both orders: the times do not depend on which joint is which.
    x, v, a, tau = np.random.default_rng(0).uniform(-1.0, 1.0, (4, n))
    q = pinocchio.integrate(model, pinocchio.neutral(model), x)
    frame = ours.model.frames[-1].name
    index = model.getFrameId(frame, pinocchio.FrameType.BODY)
    reference = pinocchio.LOCAL_WORLD_ALIGNED

    def time_variation() -> object:
        pinocchio.computeJointJacobiansTimeVariation(model, data, q, v)
        return pinocchio.getFrameJacobianTimeVariation(model, data, index, reference)

    pairs = {
        'forward dynamics': (
            lambda: pinocchio.aba(model, data, q, v, tau),
            lambda: ours.forward_dynamics(x, v, tau),
        ),
        'Jacobian': (
            lambda: pinocchio.computeFrameJacobian(model, data, q, index, reference),
            lambda: ours.jacobian(x, frame),
        ),
        'Jacobian derivative': (time_variation, lambda: ours.jacobian_derivative(x, v, frame)),
        'RNEA derivatives': (
            lambda: pinocchio.computeRNEADerivatives(model, data, q, v, a),
            lambda: ours.inverse_dynamics_derivatives(x, v, a),
        ),
        'inverse mass matrix': (
            lambda: pinocchio.computeMinverse(model, data, q),
            lambda: ours.mass_matrix_inverse(x),
        ),
        'regressor': (
            lambda: pinocchio.computeJointTorqueRegressor(model, data, q, v, a),
            lambda: ours.regressor(x, v, a),
        ),
    }
    return {line: measure(*pair) for line, pair in pairs.items()}


def compile_time(text: str) -> float:
    """What a node waits for before its first torque, nothing being cached [s]."""
    dynamics = RobotDynamics(parse_urdf(text))
    start = time.perf_counter()
    dynamics.compile(*PREPARED)
    return time.perf_counter() - start


def main() -> int:
    """Print the table; 1 if a line is above its bound."""
    package = metadata.distribution('example-robot-data')
    folder = Path(str(package.locate_file('cmeel.prefix/share/example-robot-data/robots')))
    failed = False
    print(f'{"robot":<14}{"quantity":<21}{"Pinocchio":>12}{"ours":>10}{"ratio":>7}  bound')
    for robot, path in ROBOTS.items():
        for line, (theirs, ours) in compare((folder / path).read_text()).items():
            ratio, bound = ours / theirs, BOUNDS[line]
            within = bound is None or ratio <= bound
            failed |= not within
            verdict = '' if bound is None else f'{bound:.1f} {"ok" if within else "MISSED"}'
            times = f'{theirs * 1e6:>9.2f} us{ours * 1e6:>7.2f} us'
            print(f'{robot:<14}{line:<21}{times}{ratio:>7.2f}  {verdict}')
    for robot, path in ROBOTS.items():
        seconds = compile_time((folder / path).read_text())
        failed |= seconds > READY
        verdict = 'ok' if seconds <= READY else 'MISSED'
        print(
            f'{robot:<14}all programs of a node compiled in {seconds:.2f} s  {READY:.1f} {verdict}'
        )
    return int(failed)


if __name__ == '__main__':
    sys.exit(main())
