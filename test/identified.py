"""Identified models that the tests of their files need."""

import numpy as np

from robot_dynamics_ros.core.algorithms.friction import KINDS
from robot_dynamics_ros.identification.parameters import IdentifiedModel
from robot_dynamics_ros.joint_model import SAFE


def of_points(masses, points):
    """m, m c and the rotational inertia of points (N, 3) about the origin."""
    x, y, z = points.T
    products = (y * y + z * z, -x * y, x * x + z * z, -x * z, -y * z, x * x + y * y)
    return np.array([masses @ one for one in (np.ones_like(x), x, y, z, *products)])


def identified_model(model, seed=5):
    """A model with other bodies, rotors, friction of each direction, and offsets.

    Each body is one of the description that has grown and has got a point mass: a real one.
    """
    random = np.random.default_rng(seed)
    bodies = []
    for body in model.inertial_parameters().reshape(-1, 10):
        mass, point = random.uniform(0.1, 1.0, 1), random.uniform(-0.2, 0.2, (1, 3))
        bodies.append(random.uniform(0.8, 1.2) * body + of_points(mass, point))
    n = model.size
    values = {'armature': random.uniform(0.01, 0.5, n), 'torque_offset': random.uniform(-2, 2, n)}
    # Contacts have slipped after a little way.
    values |= {
        kind: random.uniform(0.1, 3.0, n) * (1e-5 if 'displacement' in kind else 1.0)
        for kind in KINDS
    }
    values |= dict.fromkeys(SAFE, np.full(n, np.nan))
    return IdentifiedModel(model.with_inertial_parameters(np.concatenate(bodies)), values)
