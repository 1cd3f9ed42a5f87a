"""Equations of a robot that is not the described one, with noise, and its held-out part."""

from dataclasses import dataclass, replace

import numpy as np
from exact_motion import drawn, law, truth

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.identification.estimate import estimate
from robot_dynamics_ros.identification.motion_equations import EquationOptions, MotionEquations
from robot_dynamics_ros.identification.observability import base_parameters
from robot_dynamics_ros.identification.parameters import ParameterLayout


@dataclass(frozen=True)
class Identifiable:
    """What is known of a robot in a test: equations, and the truth."""

    layout: ParameterLayout
    block: object
    reduced: object
    base: object
    estimate: object
    parameters: np.ndarray
    held_out: object


def other_bodies(model, seed=5):
    """The robot with other bodies: each has grown and got a point mass; massless ones stay."""
    random = np.random.default_rng(seed)
    bodies = []
    for body in model.inertial_parameters().reshape(-1, 10):
        mass, (x, y, z) = random.uniform(0.1, 0.3) * body[0], random.uniform(-0.1, 0.1, 3)
        point = [
            1.0, x, y, z, y * y + z * z, -x * y, x * x + z * z, -x * z, -y * z, x * x + y * y,
        ]  # fmt: skip
        bodies.append(random.uniform(0.8, 1.2) * body + mass * np.array(point))
    return model.with_inertial_parameters(np.concatenate(bodies))


def identifiable(model, noise=0.0, count=400, *, layout=None, changed=True):
    """Equations of random states.

    Args:
        model: of the description.
        noise: of the largest torque of each joint.
        count: of the states.
        layout: of the parameters; None: bodies and usual terms.
        changed: whether the bodies are others than the described ones.
    """
    layout = layout or ParameterLayout(model)
    true = RobotDynamics(other_bodies(model) if changed else model, backend='python')
    options = EquationOptions(effort_levels=np.inf)
    equations = MotionEquations(layout, options, RobotDynamics(model, backend='python'))

    def block(seed, size):
        states = drawn(true, count, seed)
        q, v, a = states.positions, states.velocities, states.accelerations
        efforts = law(true, q, v, a) if layout.terms else true.inverse_dynamics(q, v, a)
        errors = np.random.default_rng(seed + 1).normal(size=efforts.shape)
        efforts = efforts + size * np.abs(efforts).max(axis=0) * errors
        return equations.of_samples(replace(states, efforts=efforts))

    fitted = block(0, noise)
    reduced = fitted.reduced()
    base = base_parameters(reduced)
    parameters = truth(layout) if layout.terms else layout.nominal()
    parameters[: 10 * len(model.joints)] = true.model.inertial_parameters()
    found = estimate(reduced, base)
    return Identifiable(layout, fitted, reduced, base, found, parameters, block(7, noise))
