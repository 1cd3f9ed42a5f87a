"""The torque of one joint state by native code and by plain Python, as the node computes it."""

from __future__ import annotations

import core
import numpy as np
from figures import Figure
from timing import interleaved

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.codegen.kernel import Backend


def measure() -> list[Figure]:
    """Microseconds of gravity, Coriolis and inertial torque of a UR5, through `bind`."""
    print()
    figures = []
    for backend, seconds in _seconds_per_state(core.urdf('UR5')).items():
        name = {'native': 'native code', 'python': 'plain Python'}[backend]
        figures.append(Figure(f'UR5 torque of a state, {name}', 1e6 * seconds, 'us'))
        print(figures[-1])
    return figures


def _seconds_per_state(text: str) -> dict[str, float]:
    model = parse_urdf(text)
    state = np.random.default_rng(0).uniform(-1.0, 1.0, (3, model.size))
    backends: tuple[Backend, ...] = ('native', 'python')
    namespace = {
        backend: RobotDynamics(model, backend=backend).bind(
            'torque_terms', *state, out=np.zeros((3, model.size))
        )
        for backend in backends
    }
    seconds = interleaved({name: f'{name}()' for name in namespace}, namespace)
    return {name: float(np.median(values)) for name, values in seconds.items()}
