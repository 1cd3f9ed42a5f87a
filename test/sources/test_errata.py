"""Each erratum of docs/errata.md: the printed form is wrong by the number in bold type, and the
correction is right.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.laws import laws_among
from mechanics.planar_arms import planar
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
Q, V, A = map(np.array, ([0.3, 0.7, -0.5], [1.0, -0.5, 0.8], [0.6, 0.2, -0.4]))
FALL = (0.0, 0.0, -9.807)
ARM = parse_urdf(URDF.read_text())
DYNAMICS = RobotDynamics(ARM, gravity=FALL)
M = np.array(lagrange.mass_matrix(ARM, Q))
C, RATE = DYNAMICS.coriolis_matrix(Q, V), christoffel.mass_matrix_rate(ARM, Q, V)
SLOPES = christoffel.mass_matrix_slopes(ARM, Q)
LINKS = lagrange.link_states(ARM, Q)

# Each gives what is printed, what is right, and what that must equal.


def inertia_in_equation_70_of_004():
    p = closed_forms.PAPER
    (s2, s3, s23), (c2, c23) = np.sin([Q[1], Q[2], Q[1] + Q[2]]), np.cos([Q[1], Q[1] + Q[2]])
    fold, turn2 = p.l1 * p.m3 * p.r2, p.l1**2 * p.m3 + p.m2 * p.r1**2 - p.I2xx + p.I2yy

    def row(inertia):
        turn = p.m3 * p.r2**2 + p.I3yy - inertia
        first = (turn * s23 + 2.0 * fold * s2) * c23 + turn2 * c2 * s2 + fold * s3
        return [2.0 * first * V[0], 2.0 * ((turn * s23 + fold * s2) * c23 + fold * s3) * V[0]]

    return row(p.I3zz), row(p.I3xx), (RATE - 2.0 * C)[0, 1:]


def columns_of_the_3r_jacobian_of_002():
    lengths, angles = np.array([0.5, 0.4, 0.3]), np.cumsum(Q)
    links = np.array([lengths * cos(angles), lengths * sin(angles), np.zeros(3)]).T
    places = np.cumsum([np.zeros(3), *links], axis=0)
    J = np.cross([0.0, 0.0, 1.0], places[3] - places[:3]).T[:2]
    (a, b, c), (x, y, z) = lengths * sin(angles), lengths * cos(angles)
    first = [[-a - b - c, -b - c, -c], [x + y + z, y + z, z]]
    return [[-a - b - c, -a - b, -c], [x + y + z, x + y, x]], first, J


def lagrangian_of_the_2r_example_of_003():
    """d/dt dL/dq_dot - dL/dq of L = K + P; right: K - P; unit masses."""
    L1, L2, fall = 0.8, 0.6, (0.0, -9.81, 0.0)
    model = parse_urdf(planar((L1, L2), (L1, L2), (1.0, 1.0), (0.0, 0.0)))
    q, v, a = Q[:2], V[:2], A[:2]
    slopes = christoffel.mass_matrix_slopes(model, q)
    moved = lagrange.mass_matrix(model, q) @ a + christoffel.velocity_torque(slopes, v)
    slope = lagrange.potential_energy(model, independent(q), fall).slope
    tau = RobotDynamics(model, gravity=fall).inverse_dynamics(q, v, a)
    return moved - slope, moved + slope, tau


def rate_of_the_inertia_matrix_in_the_last_lines_of_001():
    return 0.5 * V @ M @ V - V @ C @ V, V @ (RATE - 2.0 * C) @ V, 0.0


def vanishing_quadratic_form_is_not_skew_symmetry_in_001():
    # Another C with the same C v: what is added vanishes on v.
    other = RATE - 2.0 * (C + np.outer([1.0, 0.0, 0.0], [V[1], -V[0], 0.0]))
    assert_close(V @ other @ V, 0.0, scale=np.abs(other).max())
    skew = RATE - 2.0 * C
    return other + other.T, skew + skew.T, np.zeros((3, 3))


def order_of_the_velocity_products_in_000():
    squares, products = christoffel.centrifugal_and_coriolis(SLOPES)

    def torque(*pairs):
        return squares @ np.square(V) + products @ np.array(pairs)

    # Columns 2 b_i12, 2 b_i13, 2 b_i23. Printed: q1 q2, q2 q3, ..., which leaves q1 q3 for last.
    one, two, three = V[0] * V[1], V[0] * V[2], V[1] * V[2]
    return torque(one, three, two), torque(one, two, three), C @ V


def index_of_the_derivative_in_the_gravity_vector_of_000():
    def torque(index):
        return [
            -sum(
                joint.inertia.mass * np.dot(FALL, link.linear.get(index(i, j), np.zeros(3)))
                for i, (joint, link) in enumerate(zip(ARM.joints, LINKS, strict=True))
            )
            for j in range(3)
        ]

    return torque(lambda i, j: i), torque(lambda i, j: j), DYNAMICS.gravity_torque(Q)


def first_column_of_the_linear_jacobian_in_000():
    states = lagrange.link_states(ARM, independent(Q))
    slopes = [np.array([slope_of(x, np.zeros(3)) for x in link.center]) for link in states]
    # Printed: dP_c1/dq_1 in the first column of J_vi, here of link 3.
    return slopes[0][:, 0], LINKS[2].linear[0], slopes[2][:, 0]


def power_of_a_generalised_force_in_001():
    tau = DYNAMICS.inverse_dynamics(Q, V, A)
    energy = lagrange.kinetic_energy(ARM, along(Q, V), along(V, A))
    energy += lagrange.potential_energy(ARM, along(Q, V), FALL)
    return tau @ Q, tau @ V, energy.slope


def spatial_inertia_in_another_frame_in_003():
    G_b = rigid_body.spatial_inertia(2.0, np.diag([0.05, 0.06, 0.03]))
    pose = Transform(rotation_from_rpy(0.3, -0.4, 0.9), (0.2, -0.1, 0.4))
    G_a, V_a = rigid_body.change_of_frame(G_b, pose), np.array([0.5, -0.2, 0.3, 1.0, 0.4, -0.6])
    V_b, printed = screw.adjoint(pose) @ V_a, rigid_body.change_of_frame(G_a, pose)
    return 0.5 * V_a @ printed @ V_a, 0.5 * V_a @ G_a @ V_a, 0.5 * V_b @ G_b @ V_b


def rate_of_the_adjoint_in_003():
    omega, v, rate, angle = (0.0, 0.6, 0.8), (0.3, -0.2, 0.4), 0.7, 0.5
    home = Transform(rotation_from_rpy(0.3, -0.4, 0.9), (0.2, -0.1, 0.4))
    pose, cross = screw.exponential((omega, v), -Dual(angle, rate)) @ home, screw.cross_matrix
    parts = (np.array(x, dtype=object) for x in (pose.rotation, pose.translation))
    (R, R_dot), (p, p_dot) = (
        [np.vectorize(lambda x, kind=kind: getattr(x, kind))(part) for kind in ('value', 'slope')]
        for part in parts
    )
    corner = cross(p_dot) @ R + cross(p) @ R_dot
    ad, Ad = screw.lie_bracket(rate * np.ravel((omega, v))), screw.adjoint(Transform(R, p))
    assert_close(-(ad @ Ad)[3:, :3], corner)
    # omega_hat and v_hat of the motion -theta_dot A.
    turn, slide = cross(-rate * np.array(omega)), cross(-rate * np.array(v))
    return slide @ R - turn @ cross(p) @ R, slide @ R + turn @ cross(p) @ R, corner


def bracket_of_the_general_torques_in_003():
    h = christoffel.velocity_torque(SLOPES, V) + lagrange.gravity_torque(ARM, Q, FALL)
    # Printed: the velocity terms and gravity stand inside the sum over j.
    return M @ A + 3 * h, M @ A + h, DYNAMICS.inverse_dynamics(Q, V, A)


def rate_in_the_angular_velocity_of_002():
    axes = np.array([LINKS[2].angular[i] for i in range(3)]).T
    spin = np.linalg.norm(DYNAMICS.frame_velocity(Q, V, 'tool')[3:])
    # Printed: J_wi theta_dot_1 for every joint.
    return np.linalg.norm(axes.sum(axis=1) * V[0]), np.linalg.norm(axes @ V), spin


def size_of_the_identity_in_theorem_2_of_004():
    random, q, r = np.random.default_rng(0), 2, 3
    slopes, x_dot = random.normal(size=(3, q, r)), random.normal(size=(r, 1))
    derivative = kronecker.derivative_by_vector(slopes)
    assert_close(derivative @ np.kron(np.eye(q), x_dot), slopes @ x_dot[:, 0])
    # Printed: 1_r. Its product has r^2 rows, where dD/dx has q r columns.
    return len(np.kron(np.eye(r), x_dot)), len(np.kron(np.eye(q), x_dot)), derivative.shape[1]


ERRATA = laws_among(globals())
SECTIONS = re.split(r'^## \d+\. ', DOCUMENT.read_text(), flags=re.MULTILINE)[1:]


def test_each_has_its_section():
    assert len(ERRATA) == len(SECTIONS)


@pytest.mark.parametrize(
    ('erratum', 'section'),
    [*zip(ERRATA, SECTIONS, strict=False)],
    ids=[str(number) for number in range(1, len(ERRATA) + 1)],
)
def test_the_correction_is_right_and_the_print_is_off_by_the_quoted_number(erratum, section):
    """To its three digits, the largest deviation."""
    printed, right, expected = erratum()
    assert_close(right, expected, scale=1.0)
    off = np.abs(np.subtract(printed, expected)).max()
    quoted = re.search(r'\*\*([0-9.]+)\*\*', section)
    assert quoted, f'{section[:40]} quotes no number, it is {off:.3g}'
    assert float(quoted[1]) == pytest.approx(off, rel=5e-3)
