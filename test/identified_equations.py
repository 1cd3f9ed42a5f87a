"""Motions whose states are known exactly, efforts of a known law, and equations of them."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.recordings import Motion

ARMATURE, VISCOUS, COULOMB, OFFSET = 0.3, 1.5, 2.0, -0.7


def drawn(dynamics, count=40, seed=0):
    """Random states without efforts."""
    states = np.random.default_rng(seed).uniform(-2.0, 2.0, (3, count, dynamics.model.size))
    return unfiltered(dynamics.model, np.arange(count, dtype=float), *states)


def unfiltered(model, times, q, v, a, efforts=None):
    """A motion that no filter has passed."""
    efforts = np.zeros_like(q) if efforts is None else efforts
    return Motion(model.joint_names, times, q, v, a, efforts, np.inf, 1.0)


def exact_motion(dynamics, *, seconds=8.0, rate=200.0, cutoff=40.0, seed=0, highest=1.5):
    """Sums of sines up to `highest` [Hz], with exact derivatives and the torques of `law`."""
    model = dynamics.model
    random = np.random.default_rng(seed)
    rates = 2.0 * np.pi * random.uniform(0.1, highest, (4, model.size))
    phases = random.uniform(0.0, 2.0 * np.pi, rates.shape)
    amplitudes = random.uniform(0.2, 0.5, rates.shape)
    times = np.arange(round(seconds * rate)) / rate
    angles = times[:, None, None] * rates + phases
    q, v, a = (
        (amplitudes * rates**k * np.sin(angles + k * np.pi / 2.0)).sum(axis=1) for k in range(3)
    )
    return Motion(model.joint_names, times, q, v, a, law(dynamics, q, v, a), cutoff, rate)


def law(dynamics, q, v, a, smoothing=0.01):
    """Inverse dynamics, rotors, friction and offset."""
    friction = VISCOUS * v + COULOMB * v / np.hypot(v, smoothing) + OFFSET
    return dynamics.inverse_dynamics(q, v, a) + ARMATURE * a + friction


def truth(layout):
    """The parameters of `law`."""
    values = layout.nominal()
    terms = ('armature', 'viscous', 'coulomb', 'offset')
    for term, value in zip(terms, (ARMATURE, VISCOUS, COULOMB, OFFSET), strict=True):
        values[layout.columns(term)] = value
    return values


def cut(motion, *numbers):
    """The same motion in parts that begin at these samples."""
    edges = [0, *numbers, len(motion)]
    names = ('times', 'positions', 'velocities', 'accelerations', 'efforts')
    return [
        replace(
            motion,
            begins=motion.begins and start == 0,
            **{name: getattr(motion, name)[start:stop] for name in names},
        )
        for start, stop in pairwise(edges)
    ]


@dataclass(frozen=True)
class Identifiable:
    """What is known of a robot in a test: equations, and the truth."""

    layout: object
    block: object
    reduced: object
    base: object
    estimate: object
    parameters: np.ndarray
    held_out: object


def of_points(masses, points):
    """m, m c and the rotational inertia of points (N, 3) about the origin."""
    x, y, z = points.T
    products = (y * y + z * z, -x * y, x * x + z * z, -x * z, -y * z, x * x + y * y)
    return np.array([masses @ one for one in (np.ones_like(x), x, y, z, *products)])


def other_bodies(model, seed=5):
    """The robot with other bodies: each has grown and got a point mass; massless ones stay."""
    random = np.random.default_rng(seed)
    bodies = []
    for body in model.inertial_parameters().reshape(-1, 10):
        mass = random.uniform(0.1, 0.3, 1) * body[0]
        point = of_points(mass, random.uniform(-0.1, 0.1, (1, 3)))
        bodies.append(random.uniform(0.8, 1.2) * body + point)
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
    # SciPy may be missing.
    from robot_dynamics_ros.identification.base_parameters import base_parameters
    from robot_dynamics_ros.identification.estimate import estimate
    from robot_dynamics_ros.identification.motion_equations import (
        MotionEquations,
    )
    from robot_dynamics_ros.identification.parameters import ParameterLayout

    layout = layout or ParameterLayout(model)
    true = RobotDynamics(other_bodies(model) if changed else model, backend='python')
    dynamics = RobotDynamics(model, backend='python')
    equations = MotionEquations(layout, dynamics, effort_levels=np.inf)

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
