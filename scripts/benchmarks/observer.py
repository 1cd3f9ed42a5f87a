"""The observer of external torques: its step as the node calls it, beside inverse dynamics."""

from __future__ import annotations

import core
import numpy as np
from figures import Figure
from timing import interleaved

from robot_dynamics_ros.control.external.momentum_observer import ExternalForceObserver
from robot_dynamics_ros.control.external.wrench import WrenchEstimator
from robot_dynamics_ros.core import RobotDynamics, parse_urdf

# Of UR5 [us].
BOUND = 1.5
FRAME = 'tool0'


class SteadyClock:
    """A time that is a millisecond later at each call."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        self.time += 1e-3
        return self.time


def measure() -> list[Figure]:
    """Steps of UR5 [us], with the clock that they need taken off."""
    model = parse_urdf(core.urdf('UR5'))
    # As the node has it: the payload of the tool is an input.
    dynamics = RobotDynamics(model, payload_frame=FRAME)
    q, v, effort = np.random.default_rng(0).uniform(-1.0, 1.0, (3, model.size))
    observer, estimator = ExternalForceObserver(dynamics), WrenchEstimator(dynamics, FRAME)
    namespace = {
        'dynamics': dynamics, 'step': observer.step, 'estimate': estimator.estimate,
        'clock': SteadyClock(), 'q': q, 'v': v, 'effort': effort,
    }  # fmt: skip
    statements = {
        'clock': 'clock()',
        'inverse dynamics': 'dynamics.inverse_dynamics(q, v, v)',
        'momentum terms': 'dynamics.momentum_terms(q, v)',
        'observer step': 'step(q, v, effort, clock())',
        'wrench': 'estimate(q, effort)',
    }
    times = {
        name: 1e6 * float(np.median(seconds))
        for name, seconds in interleaved(statements, namespace).items()
    }
    clock = times.pop('clock')
    times['observer step'] -= clock
    figures = [
        Figure(f'UR5 {name}', value, 'us', BOUND if name == 'observer step' else None)
        for name, value in times.items()
    ]
    print()
    for figure in figures:
        print(figure)
    return figures
