"""Document 004, Le, Nguyen, Nguyen (2020): the Kronecker form and the three-link arm."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from three_link_arm import closed_forms
from three_link_arm.feedforward import (
    LARGEST_ERROR,
    TORQUE_RANGES,
    URDF,
    feedforward,
    reference,
    simulate,
)

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.textbook import kronecker, lagrange

pytestmark = pytest.mark.contract

FALL = (0.0, 0.0, -closed_forms.PAPER.g)
STATES = np.random.default_rng(4).uniform(-3.0, 3.0, (50, 2, 3))


@pytest.fixture(scope='module')
def arm():
    return RobotDynamics(parse_urdf(URDF.read_text()), gravity=FALL)


@pytest.fixture(scope='module')
def run():
    return simulate()


def test_definition_2_and_theorems_1_and_2():
    """dD/dx is (p, q r); d(D H)/dx = dD/dx (H x 1_r) + D dH/dx; D_dot = dD/dx (1_q x x_dot)."""
    random = np.random.default_rng(5)
    p, q, r, s = 2, 3, 4, 5
    # Linear in x, so that the slopes are the coefficients.
    D1, H1 = random.normal(size=(p, q, r)), random.normal(size=(q, s, r))
    x, x_dot = random.normal(size=(2, r))
    D, H = D1 @ x, H1 @ x
    product = np.einsum('iar,aj->ijr', D1, H) + np.einsum('ia,ajr->ijr', D, H1)
    by_vector = kronecker.derivative_by_vector
    right = by_vector(D1) @ np.kron(H, np.eye(r)) + D @ by_vector(H1)
    assert by_vector(D1).shape == (p, q * r)
    assert_close(by_vector(product), right)
    assert_close(by_vector(D1) @ np.kron(np.eye(q), x_dot[:, None]), D1 @ x_dot)


def test_lemma_1():
    """(1 x v) v = (v x 1) v."""
    v = np.random.default_rng(6).normal(size=(4, 1))
    assert np.array_equal(np.kron(np.eye(4), v) @ v, np.kron(v, np.eye(4)) @ v)


# The three-link arm


def test_link_centres_and_jacobians_of_the_three_link_arm(arm):
    """Equations 61 and 62; 59 turned into the base."""
    p = closed_forms.PAPER
    for q, _ in STATES[:10]:
        (s1, s2, s23), (c1, c2, c23) = (f([q[0], q[1], q[1] + q[2]]) for f in (np.sin, np.cos))
        reach, drop = c2 * p.l1 + c23 * p.r2, p.l1 * s2 + p.r2 * s23
        centers = [
            [0.0, 0.0, p.r0],
            [p.r1 * c1 * c2, p.r1 * s1 * c2, p.l0 - p.r1 * s2],
            [reach * c1, reach * s1, p.l0 - p.l1 * s2 - p.r2 * s23],
        ]
        J_T3 = [
            [-s1 * reach, -c1 * drop, -c1 * s23 * p.r2],
            [c1 * reach, -s1 * drop, -s1 * s23 * p.r2],
            [0.0, -c2 * p.l1 - c23 * p.r2, -c23 * p.r2],
        ]
        links = lagrange.link_states(arm.model, q)
        assert_close([link.center for link in links], centers)
        assert_close(np.transpose([links[2].linear[i] for i in range(3)]), J_T3)
        axes = np.transpose([links[2].angular[i] for i in range(3)])
        assert_close(axes, [[0.0, -s1, -s1], [0.0, c1, c1], [1.0, 0.0, 0.0]])


def test_reference_of_the_simulation():
    """Equation 73: at rest at q = 0 when it starts, and v and a are its derivatives."""
    q, v, _ = reference(0.0)
    assert not q.any()
    assert not v.any()
    h = 1e-5
    for t in (0.1, 0.7, 3.3):
        q, v, a = reference(t)
        assert_close(q, np.array([1.0, 0.75, 0.5]) * (1.0 - np.cos(2.0 * np.pi * t)))
        before, after = reference(t - h), reference(t + h)
        # Central differences: h^2 / 6 of the third derivative, some 250 and 1600.
        np.testing.assert_allclose((after[0] - before[0]) / (2.0 * h), v, atol=1e-7)
        np.testing.assert_allclose((after[1] - before[1]) / (2.0 * h), a, atol=1e-6)


def test_feedforward_alone_tracks_for_8_seconds(run):
    """Equations 72 and 73, figure 6: the closed forms drive the URDF's dynamics."""
    assert run.time[-1] == pytest.approx(8.0, abs=1e-12)
    assert np.abs(run.error).max() <= LARGEST_ERROR


def test_torques_are_those_of_figure_5():
    """The ranges to the digits to which they are known."""
    torques = np.array([feedforward(t) for t in np.linspace(0.0, 1.0, 4001)])
    ranges = np.transpose([torques.min(axis=0), torques.max(axis=0)])
    np.testing.assert_allclose(ranges, TORQUE_RANGES, atol=6e-4, rtol=0.0)
