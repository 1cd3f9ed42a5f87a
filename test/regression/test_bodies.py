"""Bodies in log-Cholesky coordinates exist."""

import numpy as np
from three_joints import URDF

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.regression.bodies import (
    BODY,
    ROUND,
    LogCholesky,
    pseudo_inertia,
    rounded,
)

MODEL = parse_urdf(URDF)


def test_every_coordinate_is_a_body_that_can_exist():
    """At zero it is that of the URDF."""
    bodies, nominal = LogCholesky(MODEL), MODEL.inertial_parameters()
    np.testing.assert_allclose(bodies.changes(np.zeros(30))[0], 0.0, atol=1e-12)
    for seed in range(20):
        z = np.random.default_rng(seed).normal(size=30)
        for body in (nominal + bodies.changes(z)[0]).reshape(-1, BODY):
            assert np.linalg.eigvalsh(pseudo_inertia(body))[0] > 0.0


def test_the_derivatives_are_those_of_differences():
    bodies, z = LogCholesky(MODEL), np.random.default_rng(1).normal(size=30)
    slopes = bodies.changes(z)[1]
    step = 1e-6
    differences = [
        (bodies.changes(z + step * unit)[0] - bodies.changes(z - step * unit)[0]) / (2.0 * step)
        for unit in np.eye(30)
    ]
    np.testing.assert_allclose(slopes, np.transpose(differences), atol=1e-6)


def test_bodies_without_mass_begin_as_spheres():
    bare = MODEL.with_inertial_parameters(np.zeros(30), physical=False)
    bodies = LogCholesky(bare)
    masses = bodies.changes(np.zeros(30))[0][::BODY]
    assert (masses > 0.0).all()
    assert (bodies.deviations > LogCholesky(MODEL).deviations).all()


def test_a_rod_is_rounded_across_its_axis_about_its_centre():
    mass, axis, center = 2.0, np.array([1.0, 2.0, 2.0]) / 3.0, np.array([0.1, -0.2, 0.3])
    length, along = 0.5, 0.01 * np.outer(axis, axis)
    rod = np.block(
        [[along + np.outer(center, center), center[:, None]], [center[None], np.eye(1)]]
    )
    found = rounded(mass * rod, length) / mass
    np.testing.assert_allclose(found[3], rod[3], atol=1e-12)
    across = (ROUND * length) ** 2 * (np.eye(3) - np.outer(axis, axis))
    second = found[:3, :3] - np.outer(center, center)
    np.testing.assert_allclose(second, along + across, atol=1e-12)
