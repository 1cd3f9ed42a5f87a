"""Each erratum of docs/errata.md: the printed form is wrong by the number in bold type, and the
correction is right.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.planar_arms import planar_2r
from numpy import cos, sin
from three_link_arm import closed_forms
from three_link_arm.feedforward import URDF

from robot_dynamics_ros.core import RobotDynamics, parse_urdf
from robot_dynamics_ros.core.dual import Dual, along, independent, slope_of
from robot_dynamics_ros.core.spatial import Transform, rotation_from_rpy
from robot_dynamics_ros.textbook import christoffel, kronecker, lagrange, rigid_body, screw

pytestmark = pytest.mark.contract

DOCUMENT = Path(__file__).resolve().parents[2] / 'docs/errata.md'

# The state at which the numbers of the document are taken, of the three-link arm of document 004.
Q, V, A = [0.3, 0.7, -0.5], [1.0, -0.5, 0.8], [0.6, 0.2, -0.4]
FALL = (0.0, 0.0, -9.807)
ARM = parse_urdf(URDF.read_text())
DYNAMICS = RobotDynamics(ARM, gravity=FALL)
SLOPES = christoffel.mass_matrix_slopes(ARM, Q)
COLUMNS = [link.linear for link in lagrange.link_states(ARM, Q)]


def assert_off_as_quoted(number, printed, right):
    """The largest deviation is the one in the document, to its three digits."""
    off = np.abs(np.subtract(printed, right)).max()
    section = re.split(r'^## ', DOCUMENT.read_text(), flags=re.MULTILINE)[number]
    quoted = re.search(r'\*\*([0-9.]+)\*\*', section)
    assert section.startswith(f'{number}. ')
    assert quoted, f'erratum {number} of docs/errata.md quotes no number, it is {off:.3g}'
    assert float(quoted[1]) == pytest.approx(off, rel=5e-3)


def test_01_inertia_in_equation_70_of_004():
    p = closed_forms.PAPER
    (s2, s3, s23), (c2, c23) = np.sin([Q[1], Q[2], Q[1] + Q[2]]), np.cos([Q[1], Q[1] + Q[2]])
    fold, turn2 = p.l1 * p.m3 * p.r2, p.l1**2 * p.m3 + p.m2 * p.r1**2 - p.I2xx + p.I2yy

    def row(inertia):
        turn = p.m3 * p.r2**2 + p.I3yy - inertia
        first = (turn * s23 + 2.0 * fold * s2) * c23 + turn2 * c2 * s2 + fold * s3
        return [2.0 * first * V[0], 2.0 * ((turn * s23 + fold * s2) * c23 + fold * s3) * V[0]]

    rate = christoffel.mass_matrix_rate(ARM, Q, V)
    skew = rate - 2.0 * np.array(kronecker.coriolis_matrix(ARM, Q, V))
    assert_close(row(p.I3xx), skew[0, 1:])
    assert_off_as_quoted(1, row(p.I3zz), skew[0, 1:])


def test_02_columns_of_the_3r_jacobian_of_002():
    l1, l2, l3 = 0.5, 0.4, 0.3
    a1, a12, a123 = np.cumsum(Q)
    p = np.cumsum(
        [[0, 0, 0]] + [[r * cos(a), r * sin(a), 0] for r, a in ((l1, a1), (l2, a12), (l3, a123))],
        axis=0,
    )
    J = np.cross([0.0, 0.0, 1.0], p[3] - p[:3]).T[:2]
    (s1, s12, s123), (c1, c12, c123) = sin([a1, a12, a123]), cos([a1, a12, a123])
    first = [
        [-l1 * s1 - l2 * s12 - l3 * s123, -l2 * s12 - l3 * s123, -l3 * s123],
        [l1 * c1 + l2 * c12 + l3 * c123, l2 * c12 + l3 * c123, l3 * c123],
    ]
    completed = [
        [-l1 * s1 - l2 * s12 - l3 * s123, -l1 * s1 - l2 * s12, -l3 * s123],
        [l1 * c1 + l2 * c12 + l3 * c123, l1 * c1 + l2 * c12, l1 * c1],
    ]
    assert_close(first, J)
    assert_off_as_quoted(2, completed, J)


def two_r_torques(sign):
    """d/dt dL/dq_dot - dL/dq of L = K + sign P, for the 2R arm of 003 with unit masses."""
    L1, L2, g = 0.8, 0.6, 9.81
    model = parse_urdf(planar_2r((L1, L2), (L1, L2), (1.0, 1.0), (0.0, 0.0)))
    q, v, a = Q[:2], V[:2], A[:2]
    slopes = christoffel.mass_matrix_slopes(model, q)
    inertial = np.array(lagrange.mass_matrix(model, q)) @ a
    energy = lagrange.potential_energy(model, independent(q), (0.0, -g, 0.0))
    torque = inertial + christoffel.velocity_torque(slopes, v) - sign * energy.slope
    return torque, RobotDynamics(model, gravity=(0.0, -g, 0.0)).inverse_dynamics(q, v, a)


def test_03_lagrangian_of_the_2r_example_of_003():
    right, expected = two_r_torques(-1.0)
    assert_close(right, expected)
    printed, _ = two_r_torques(+1.0)
    assert_off_as_quoted(3, printed, expected)


def test_04_rate_of_the_inertia_matrix_in_the_last_lines_of_001():
    C, v = np.array(christoffel.coriolis_matrix(ARM, Q, V)), np.array(V)
    M, rate = np.array(lagrange.mass_matrix(ARM, Q)), christoffel.mass_matrix_rate(ARM, Q, V)
    assert_close(v @ (rate - 2.0 * C) @ v, 0.0, scale=np.abs(M).max())
    assert_off_as_quoted(4, 0.5 * v @ M @ v - v @ C @ v, 0.0)


def test_05_vanishing_quadratic_form_is_not_skew_symmetry_in_001():
    C, rate = kronecker.coriolis_matrix(ARM, Q, V), christoffel.mass_matrix_rate(ARM, Q, V)
    v = np.array(V)
    # Another C with the same C v: what is added vanishes on v.
    other = np.array(C) + np.outer([1.0, 0.0, 0.0], [v[1], -v[0], 0.0])
    assert_close(other @ v, C @ v)
    skew = rate - 2.0 * other
    assert_close(v @ skew @ v, 0.0, scale=np.abs(skew).max())
    assert_off_as_quoted(5, skew, -skew.T)
    right = rate - 2.0 * np.array(C)
    assert_close(right, -right.T, scale=1.0)


def test_06_order_of_the_velocity_products_in_000():
    squares, products = christoffel.centrifugal_and_coriolis(SLOPES)
    expected = kronecker.coriolis_matrix(ARM, Q, V) @ np.array(V)
    v1, v2, v3 = V

    def torque(pairs):
        return squares @ np.square(V) + products @ np.array(pairs)

    # Columns 2 b_i12, 2 b_i13, 2 b_i23. Printed: q1 q2, q2 q3, ..., which leaves q1 q3 for last.
    assert_close(torque([v1 * v2, v1 * v3, v2 * v3]), expected)
    assert_off_as_quoted(6, torque([v1 * v2, v2 * v3, v1 * v3]), expected)


def test_07_index_of_the_derivative_in_the_gravity_vector_of_000():
    masses = [joint.inertia.mass for joint in ARM.joints]
    gravity = np.array(FALL)

    def torque(index):
        return [
            -sum(
                m * gravity @ np.array(columns.get(index(i, j), (0.0, 0.0, 0.0)))
                for i, (m, columns) in enumerate(zip(masses, COLUMNS, strict=True))
            )
            for j in range(3)
        ]

    expected = DYNAMICS.gravity_torque(Q)
    assert_close(torque(lambda i, j: j), expected)
    assert_off_as_quoted(7, torque(lambda i, j: i), expected)


def test_08_first_column_of_the_linear_jacobian_in_000():
    states = lagrange.link_states(ARM, independent(Q))
    slopes = [[slope_of(x, np.zeros(3)) for x in link.center] for link in states]
    column = [COLUMNS[2][0], COLUMNS[2][1], COLUMNS[2][2]]
    assert_close(np.transpose(column), slopes[2])
    # Printed: dP_c1/dq_1 in the first column of J_vi, here of link 3.
    assert_off_as_quoted(8, np.array(slopes[0])[:, 0], np.array(slopes[2])[:, 0])


def test_09_power_of_a_generalised_force_in_001():
    tau = DYNAMICS.inverse_dynamics(Q, V, A)
    energy = lagrange.kinetic_energy(ARM, along(Q, V), along(V, A))
    energy += lagrange.potential_energy(ARM, along(Q, V), FALL)
    assert_close(tau @ V, energy.slope, scale=np.abs(tau).max())
    assert_off_as_quoted(9, tau @ Q, energy.slope)


def test_10_spatial_inertia_in_another_frame_in_003():
    G_b = rigid_body.spatial_inertia(2.0, np.diag([0.05, 0.06, 0.03]))
    pose = Transform(rotation_from_rpy(0.3, -0.4, 0.9), (0.2, -0.1, 0.4))
    G_a = rigid_body.change_of_frame(G_b, pose)
    V_a = np.array([0.5, -0.2, 0.3, 1.0, 0.4, -0.6])
    V_b = screw.adjoint(pose) @ V_a
    energy = 0.5 * V_b @ G_b @ V_b
    assert_close(0.5 * V_a @ G_a @ V_a, energy)
    # Printed: Ad^T G_a Ad = G_a.
    printed = rigid_body.change_of_frame(G_a, pose)
    assert_off_as_quoted(10, 0.5 * V_a @ printed @ V_a, energy)


def test_11_rate_of_the_adjoint_in_003():
    omega, v, rate, angle = (0.0, 0.6, 0.8), (0.3, -0.2, 0.4), 0.7, 0.5
    home = Transform(rotation_from_rpy(0.3, -0.4, 0.9), (0.2, -0.1, 0.4))
    pose = screw.exponential((omega, v), -Dual(angle, rate)) @ home
    R, p = (
        np.vectorize(lambda x: x.value)(np.array(x, dtype=object))
        for x in (pose.rotation, pose.translation)
    )
    R_dot, p_dot = (
        np.vectorize(lambda x: x.slope)(np.array(x, dtype=object))
        for x in (pose.rotation, pose.translation)
    )
    cross = screw.cross_matrix
    corner = cross(p_dot) @ R + cross(p) @ R_dot
    # omega_hat and v_hat of the motion -theta_dot A.
    turn, slide = cross(-rate * np.array(omega)), cross(-rate * np.array(v))
    assert_close(slide @ R + turn @ cross(p) @ R, corner)
    assert_off_as_quoted(11, slide @ R - turn @ cross(p) @ R, corner)
    ad = screw.lie_bracket(rate * np.ravel((omega, v)))
    Ad = screw.adjoint(Transform(R, p))
    assert_close(-(ad @ Ad)[3:, :3], corner)


def test_12_bracket_of_the_general_torques_in_003():
    M, n = np.array(lagrange.mass_matrix(ARM, Q)), 3
    h = christoffel.velocity_torque(SLOPES, V) + lagrange.gravity_torque(ARM, Q, FALL)
    expected = DYNAMICS.inverse_dynamics(Q, V, A)
    assert_close(M @ A + h, expected)
    # Printed: the velocity terms and gravity stand inside the sum over j.
    assert_off_as_quoted(12, M @ A + n * h, expected)


def test_13_rate_in_the_angular_velocity_of_002():
    axes = np.array([lagrange.link_states(ARM, Q)[2].angular[i] for i in range(3)]).T
    v, spin = np.array(V), np.linalg.norm(DYNAMICS.frame_velocity(Q, V, 'tool')[3:])
    assert_close(np.linalg.norm(axes @ v), spin)
    # Printed: J_wi theta_dot_1 for every joint.
    assert_off_as_quoted(13, np.linalg.norm(axes.sum(axis=1) * v[0]), spin)


def test_14_size_of_the_identity_in_theorem_2_of_004():
    random = np.random.default_rng(0)
    q, r = 2, 3
    slopes, x_dot = random.normal(size=(3, q, r)), random.normal(size=(r, 1))
    derivative = kronecker.derivative_by_vector(slopes)
    assert_close(derivative @ np.kron(np.eye(q), x_dot), slopes @ x_dot[:, 0])
    # Printed: 1_r. Its product has r^2 rows, where dD/dx has q r columns.
    rows = np.kron(np.eye(r), x_dot).shape[0]
    assert_off_as_quoted(14, rows, derivative.shape[1])


def test_every_erratum_is_tested():
    numbers = re.findall(r'^## (\d+)\. ', DOCUMENT.read_text(), flags=re.MULTILINE)
    tests = [name for name in globals() if re.match(r'test_\d\d_', name)]
    assert [int(n) for n in numbers] == [int(name[5:7]) for name in sorted(tests)]
