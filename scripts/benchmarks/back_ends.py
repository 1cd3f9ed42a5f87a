"""The torque of a state by native code and by plain Python: bound, as in the node, and called."""

from __future__ import annotations

import core
import numpy as np
from figures import Figure
from timing import interleaved

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.compiler.kernel import Backend


def measure() -> list[Figure]:
    """Microseconds of gravity, Coriolis and inertial torque of a UR5, by `bind` and by a call."""
    print()
    figures = []
    for name, seconds in _seconds_per_state(core.urdf('UR5')).items():
        figures.append(Figure(f'UR5 torque of a state, {name}', 1e6 * seconds, 'us'))
        print(figures[-1])
    return figures


def _seconds_per_state(text: str) -> dict[str, float]:
    model = parse_urdf(text)
    state = np.random.default_rng(0).uniform(-1.0, 1.0, (3, model.size))
    out = np.zeros((3, model.size))
    backends: dict[Backend, str] = {'native': 'native code', 'python': 'plain Python'}
    namespace: dict[str, object] = {'state': state, 'out': out}
    statements = {}
    for backend, name in backends.items():
        dynamics = RobotDynamics(model, backend=backend)
        namespace[backend] = dynamics
        namespace[f'bound_{backend}'] = dynamics.bind('torque_terms', *state, out=out)
        statements[f'{name}, bound'] = f'bound_{backend}()'
        statements[f'{name}, called'] = f'{backend}.torque_terms(*state, out=out)'
    seconds = interleaved(statements, namespace)
    return {name: float(np.median(values)) for name, values in seconds.items()}
