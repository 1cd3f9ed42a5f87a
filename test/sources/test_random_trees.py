"""The independent derivations on random robots: any tree, axes, joint types and mimic joints."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.float_dynamics import FloatDynamics
from mechanics.numbered_trees import COUNT, random_tree

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.textbook import christoffel, kronecker, lagrange, screw_rnea

pytestmark = pytest.mark.contract

GRAVITY = (1.5, -2.5, -9.0)


@pytest.mark.parametrize('number', range(0, COUNT, 4))
def test_derivations_agree(number):
    model = parse_urdf(random_tree(number))
    production = FloatDynamics(model, GRAVITY)
    q, v, a = np.random.default_rng(number).uniform(-2.0, 2.0, (3, model.size))
    M, C = production.mass_matrix(q), production.coriolis_matrix(q, v)
    scale = np.abs(M).max() * np.abs(v).max()
    slopes = christoffel.mass_matrix_slopes(model, q)
    U, V = kronecker.coriolis_factors(slopes, v)
    assert_close(lagrange.mass_matrix(model, q), M)
    assert_close(christoffel.christoffel_symbols(slopes) @ v, C, scale)
    assert_close(0.5 * (U + V - V.T), C, scale)
    torque = production.inverse_dynamics(q, v, a)
    assert_close(screw_rnea.inverse_dynamics(model, q, v, a, GRAVITY), torque)
    g = production.gravity_torque(q)
    assert_close(lagrange.gravity_torque(model, q, GRAVITY), g, np.abs(torque).max())
