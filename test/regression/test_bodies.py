"""Bodies in log-Cholesky coordinates exist, and the nearest body that can exist is one."""

import numpy as np
import pytest
from three_joints import URDF

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.regression.bodies import (
    BODY,
    THINNEST,
    LogCholesky,
    central,
    possible,
    pseudo_inertia,
)

MODEL = parse_urdf(URDF)


def test_every_coordinate_is_a_body_that_can_exist():
    """At zero it is that of the URDF."""
    bodies, nominal = LogCholesky(MODEL), MODEL.inertial_parameters()
    np.testing.assert_allclose(bodies(np.zeros(30))[0], 0.0, atol=1e-12)
    for seed in range(20):
        z = np.random.default_rng(seed).normal(size=30)
        for body in (nominal + bodies(z)[0]).reshape(-1, BODY):
            assert np.linalg.eigvalsh(pseudo_inertia(body))[0] > 0.0


def test_the_derivatives_are_those_of_differences():
    bodies, z = LogCholesky(MODEL), np.random.default_rng(1).normal(size=30)
    _, slopes = bodies(z)
    step = 1e-6
    differences = [
        (bodies(z + step * unit)[0] - bodies(z - step * unit)[0]) / (2.0 * step)
        for unit in np.eye(30)
    ]
    np.testing.assert_allclose(slopes, np.transpose(differences), atol=1e-6)


def test_bodies_without_mass_begin_as_spheres():
    bare = MODEL.with_inertial_parameters(np.zeros(30), physical=False)
    bodies = LogCholesky(bare)
    masses = bodies(np.zeros(30))[0][::BODY]
    assert (masses > 0.0).all()
    assert (bodies.deviations > LogCholesky(MODEL).deviations).all()


@pytest.mark.parametrize('seed', range(5))
def test_an_inertia_that_cannot_exist_becomes_the_nearest_one_that_can(seed):
    """No possible one around it is nearer: of second moments, in the Frobenius norm."""
    random = np.random.default_rng(seed)
    exact = np.array([1.3, 0.04, 0.05, -0.02, 0.004, 0.0005, 0.005, -0.0003, 0.0002, 0.003])
    impossible = np.append(exact[:4], exact[4:] + 0.002 * random.normal(size=6))
    impossible[4] += 0.01

    def moments(body):
        ixx, ixy, iyy, ixz, iyz, izz = body[4:]
        inertia = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
        return 0.5 * np.trace(inertia) * np.eye(3) - inertia

    def thickness(body):
        return np.linalg.eigvalsh(moments(body))[0] / exact[0]

    def distance(body):
        return np.linalg.norm(moments(body) - moments(impossible))

    assert thickness(impossible) < 0.0
    found = possible(impossible)
    assert thickness(found) >= 0.999 * THINNEST**2
    for scale in np.geomspace(1e-8, 1e-2, 300):
        other = found + scale * np.append(np.zeros(4), random.normal(size=6))
        if thickness(other) >= THINNEST**2:
            assert distance(other) >= distance(found) * (1.0 - 1e-6)
    np.testing.assert_allclose(possible(found), found, atol=1e-15)


def test_central_parameters_are_those_of_the_model():
    pi = MODEL.inertial_parameters()[:BODY]
    body = MODEL.joints[0].inertia
    np.testing.assert_allclose(central(pi)[:4], [body.mass, *body.center_of_mass])
