"""The laws of mechanics that every robot obeys, as functions that raise AssertionError.

`LAWS` hold for whatever computes the dynamics (float evaluation, plain Python, native code), at
any state. `MODEL_LAWS` relate a robot to one that was changed, so that they are evaluated on
floats alone. scripts/mutate.py runs both lists on a copy of the core in which one sign is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
from mechanics.complex_step import derivative, gradient
from mechanics.float_dynamics import FloatDynamics
from mechanics.link_jacobians import LinkJacobians
from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.algorithms.crba import mass_matrix
from robot_dynamics_ros.core.inertia import Inertia, Placement
from robot_dynamics_ros.core.spatial import rotation_from_rpy
from mechanics.robots import SINGULAR, Robot, State

# Of the largest entry. Entries are sums of up to some thousand products, each rounded to 1.1e-16,
# which partly cancel. The worst that was seen is 3e-15; another processor or compiler rounds in
# other places.
TOLERANCE = 1e-13

GRAVITY = np.array([1.5, -2.5, -9.0])


def assert_close(actual: Any, expected: Any, scale: float = 0.0) -> None:
    """Equal within TOLERANCE of the largest entry, or of `scale` where that is larger."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, f'shape {actual.shape}, expected {expected.shape}'
    scale = max(scale, float(np.abs(expected).max(initial=0.0)))
    worst = float(np.abs(actual - expected).max(initial=0.0))
    # Written so that NaN fails.
    assert worst <= TOLERANCE * scale, f'off by {worst:.3g}, the largest entry being {scale:.3g}'


@contextmanager
def gravity(dynamics: Any, value: Any) -> Iterator[None]:
    before = dynamics.gravity
    dynamics.gravity = value
    try:
        yield
    finally:
        dynamics.gravity = before


def coriolis_scale(dynamics: Any, state: State) -> float:
    """C is a derivative of M times v, and may be zero throughout: one joint has none."""
    return float(np.abs(dynamics.mass_matrix(state.q)).max() * np.abs([state.v, state.w]).max())


# Laws of the mass matrix


def mass_matrix_is_symmetric(robot: Robot, dynamics: Any, state: State) -> None:
    M = dynamics.mass_matrix(state.q)
    assert np.array_equal(M, M.T)


def mass_matrix_is_positive_definite(robot: Robot, dynamics: Any, state: State) -> None:
    eigenvalues = np.linalg.eigvalsh(dynamics.mass_matrix(state.q))
    if robot.name in SINGULAR:
        assert eigenvalues[0] >= -TOLERANCE * eigenvalues[-1]
    else:
        assert eigenvalues[0] > 0.0


def mass_matrix_is_the_sum_over_links(robot: Robot, dynamics: Any, state: State) -> None:
    links = LinkJacobians(robot.text, robot.model.joint_names)
    assert_close(dynamics.mass_matrix(state.q), links.mass_matrix(state.q))


def unit_accelerations_give_the_columns_of_the_mass_matrix(
    robot: Robot, dynamics: Any, state: State
) -> None:
    rest = np.zeros(robot.model.size)
    with gravity(dynamics, np.zeros(3)):
        columns = [dynamics.inverse_dynamics(state.q, rest, unit) for unit in np.eye(len(rest))]
    M = dynamics.mass_matrix(state.q)
    assert_close(np.transpose(columns), M)


# Laws of gravity


def gravity_torque_is_the_sum_over_links(robot: Robot, dynamics: Any, state: State) -> None:
    links = LinkJacobians(robot.text, robot.model.joint_names)
    with gravity(dynamics, GRAVITY):
        assert_close(dynamics.gravity_torque(state.q), links.gravity_torque(state.q, GRAVITY))


def gravity_torque_is_the_gradient_of_potential_energy(
    robot: Robot, dynamics: Any, state: State
) -> None:
    links = LinkJacobians(robot.text, robot.model.joint_names)
    q = state.q + 1e-30j * state.v
    power = np.imag(links.potential_energy(q, GRAVITY)) / 1e-30
    with gravity(dynamics, GRAVITY):
        g = dynamics.gravity_torque(state.q)
    assert_close(g @ state.v, power, scale=np.abs(g) @ np.abs(state.v))


def gravity_torque_is_linear_in_gravity(robot: Robot, dynamics: Any, state: State) -> None:
    torques = []
    for value in (*np.eye(3), GRAVITY):
        with gravity(dynamics, value):
            torques.append(dynamics.gravity_torque(state.q))
    assert_close(GRAVITY @ torques[:3], torques[3])


# Laws of the Coriolis matrix


def coriolis_matrix_is_that_of_the_christoffel_symbols(
    robot: Robot, dynamics: Any, state: State
) -> None:
    """c_ijk = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2, and C_ij = sum of c_ijk v_k."""
    slopes = gradient(lambda q: mass_matrix(robot.model, q), state.q)
    symbols = (slopes + slopes.transpose(0, 2, 1) - slopes.transpose(2, 1, 0)) / 2.0
    C = dynamics.coriolis_matrix(state.q, state.v)
    assert_close(C, symbols @ state.v, coriolis_scale(dynamics, state))


def mass_matrix_rate_minus_twice_coriolis_is_skew(
    robot: Robot, dynamics: Any, state: State
) -> None:
    rate = derivative(lambda q: mass_matrix(robot.model, q), state.q, state.v)
    skew = rate - 2.0 * dynamics.coriolis_matrix(state.q, state.v)
    assert_close(skew, -skew.T, coriolis_scale(dynamics, state))


def coriolis_matrix_is_linear_in_velocity(robot: Robot, dynamics: Any, state: State) -> None:
    q, v, w = state.q, state.v, state.w
    parts = dynamics.coriolis_matrix(q, v), dynamics.coriolis_matrix(q, w)
    combined = dynamics.coriolis_matrix(q, v - 2.0 * w)
    assert_close(combined, parts[0] - 2.0 * parts[1], coriolis_scale(dynamics, state))


def coriolis_torque_commutes(robot: Robot, dynamics: Any, state: State) -> None:
    """C(q, v) w = C(q, w) v, as the Christoffel symbols are symmetric in j and k."""
    q, v, w = state.q, state.v, state.w
    scale = coriolis_scale(dynamics, state) * np.abs([v, w]).max()
    assert_close(
        dynamics.coriolis_matrix(q, v) @ w, dynamics.coriolis_matrix(q, w) @ v, scale
    )


# Laws that join them


def torque_is_the_sum_of_its_terms(robot: Robot, dynamics: Any, state: State) -> None:
    q, v, a, _ = state
    g, velocity, inertial = dynamics.torque_terms(q, v, a)
    tau = dynamics.inverse_dynamics(q, v, a)
    scale = np.abs([g, velocity, inertial]).max()
    assert_close(g, dynamics.gravity_torque(q), scale)
    assert_close(velocity, dynamics.coriolis_matrix(q, v) @ v, scale)
    assert_close(inertial, dynamics.mass_matrix(q) @ a, scale)
    assert_close(g + velocity, dynamics.bias_torque(q, v), scale)
    assert_close(g + velocity + inertial, tau, scale)


def torque_is_affine_in_acceleration(robot: Robot, dynamics: Any, state: State) -> None:
    q, v, a, w = state
    tau = [dynamics.inverse_dynamics(q, v, x) for x in (0.0 * a, a, w, a - 3.0 * w)]
    assert_close(tau[3] - tau[0], (tau[1] - tau[0]) - 3.0 * (tau[2] - tau[0]), np.abs(tau).max())


def velocity_torque_is_quadratic_in_velocity(robot: Robot, dynamics: Any, state: State) -> None:
    """h(v + w) + h(v - w) = 2 h(v) + 2 h(w), and h(-2 v) = 4 h(v)."""
    q, v, _, w = state
    g = dynamics.gravity_torque(q)
    h = [dynamics.bias_torque(q, x) - g for x in (v, w, v + w, v - w, -2.0 * v)]
    scale = np.abs([g, *h]).max()
    assert_close(h[2] + h[3], 2.0 * h[0] + 2.0 * h[1], scale)
    assert_close(h[4], 4.0 * h[0], scale)


def power_changes_the_kinetic_energy(robot: Robot, dynamics: Any, state: State) -> None:
    """d/dt (v^T M v / 2) = v^T (tau - g)."""
    q, v, a, _ = state
    M, n = dynamics.mass_matrix(q), len(q)

    def energy(x: list[Any]) -> Any:
        rows = mass_matrix(robot.model, x[:n])
        return sum(0.5 * x[n + i] * rows[i][j] * x[n + j] for i in range(n) for j in range(n))

    rate = derivative(energy, np.concatenate([q, v]), np.concatenate([v, a]))
    tau, g = dynamics.inverse_dynamics(q, v, a), dynamics.gravity_torque(q)
    scale = np.abs(v) @ (np.abs(tau) + np.abs(g) + np.abs(M) @ np.abs(a))
    assert_close(v @ (tau - g), rate, scale)


LAWS = (
    mass_matrix_is_symmetric,
    mass_matrix_is_positive_definite,
    mass_matrix_is_the_sum_over_links,
    unit_accelerations_give_the_columns_of_the_mass_matrix,
    gravity_torque_is_the_sum_over_links,
    gravity_torque_is_the_gradient_of_potential_energy,
    gravity_torque_is_linear_in_gravity,
    coriolis_matrix_is_that_of_the_christoffel_symbols,
    mass_matrix_rate_minus_twice_coriolis_is_skew,
    coriolis_matrix_is_linear_in_velocity,
    coriolis_torque_commutes,
    torque_is_the_sum_of_its_terms,
    torque_is_affine_in_acceleration,
    velocity_torque_is_quadratic_in_velocity,
    power_changes_the_kinetic_energy,
)


# Laws that compare robots


def dynamics_is_linear_in_the_inertial_parameters(robot: Robot, state: State) -> None:
    """A robot with the bodies of two has the torques of both together."""
    random = np.random.default_rng(7)

    def with_bodies(bodies: list[Inertia]) -> FloatDynamics:
        pairs = zip(robot.model.joints, bodies, strict=True)
        joints = tuple(replace(joint, inertia=body) for joint, body in pairs)
        return FloatDynamics(replace(robot.model, joints=joints))

    first = [joint.inertia for joint in robot.model.joints]
    second = [_random_body(random) for _ in first]
    both = with_bodies([one + other for one, other in zip(first, second, strict=True)])
    parts = [with_bodies(first), with_bodies(second)]
    q, v, a, _ = state
    assert_close(
        both.inverse_dynamics(q, v, a), sum(part.inverse_dynamics(q, v, a) for part in parts)
    )
    assert_close(both.mass_matrix(q), sum(part.mass_matrix(q) for part in parts))
    scale = coriolis_scale(both, state)
    sum_of_parts = sum(part.coriolis_matrix(q, v) for part in parts)
    assert_close(both.coriolis_matrix(q, v), sum_of_parts, scale)


def turning_the_base_is_turning_gravity_back(robot: Robot, state: State) -> None:
    """And neither M nor C knows where the base is."""
    rpy, shift, (q, v, a, _) = (0.4, -1.1, 2.3), (0.3, -0.5, 0.2), state
    turned = FloatDynamics(parse_urdf(_on_pedestal(robot.text, shift, rpy)), GRAVITY)
    gravity_in_base = np.array(rotation_from_rpy(*rpy)).T @ GRAVITY
    upright = FloatDynamics(robot.model, gravity_in_base)
    assert_close(turned.inverse_dynamics(q, v, a), upright.inverse_dynamics(q, v, a))
    assert_close(turned.mass_matrix(q), upright.mass_matrix(q))
    # C is computed in base coordinates, where the moment arms are as long as the shift.
    mass = sum(joint.inertia.mass for joint in robot.model.joints)
    scale = coriolis_scale(upright, state) + mass * np.dot(shift, shift) * np.abs(v).max()
    assert_close(turned.coriolis_matrix(q, v), upright.coriolis_matrix(q, v), scale)


def mimic_joints_move_with_their_driver(robot: Robot, state: State) -> None:
    """With q_all = G q + o: M = G^T M_all G, C = G^T C_all G and tau = G^T tau_all."""
    free = parse_urdf(_without_mimic(robot.text))
    G, offset = np.zeros((free.size, robot.model.size)), np.zeros(free.size)
    for joint in robot.model.joints:
        row = free.index_of(joint.name)
        G[row, joint.coordinate.index] = joint.coordinate.multiplier
        offset[row] = joint.coordinate.offset
    q, v, a, _ = state
    driven, independent = FloatDynamics(robot.model), FloatDynamics(free)
    q_all = G @ q + offset
    tau_all = independent.inverse_dynamics(q_all, G @ v, G @ a)
    assert_close(driven.inverse_dynamics(q, v, a), G.T @ tau_all)
    assert_close(driven.mass_matrix(q), G.T @ independent.mass_matrix(q_all) @ G)
    C = G.T @ independent.coriolis_matrix(q_all, G @ v) @ G
    assert_close(driven.coriolis_matrix(q, v), C, coriolis_scale(driven, state))


def bodies_keep_their_central_inertia_when_moved(robot: Robot, state: State) -> None:
    """Moving a body turns its inertia about the centre of mass and does nothing else to it."""
    random = np.random.default_rng(3)
    shift, angles = tuple(random.uniform(-1.0, 1.0, 3)), random.uniform(-3.0, 3.0, 3)
    R = np.array(rotation_from_rpy(*angles))
    placement = Placement(rotation_from_rpy(*angles), shift)
    for joint in robot.model.joints:
        body = joint.inertia
        if not body.mass:
            continue
        moved = body.moved(placement.rotation, placement.translation)
        center = R @ body.center_of_mass + shift
        central = R @ np.array(body.rotational_at_center_of_mass) @ R.T
        # The parallel-axis theorem.
        steiner = body.mass * (center @ center * np.eye(3) - np.outer(center, center))
        assert moved.mass == body.mass
        assert_close(moved.center_of_mass, center)
        scale = np.abs(steiner).max()
        assert_close(moved.rotational, central + steiner)
        assert_close(moved.rotational_at_center_of_mass, central, scale)
        made = Inertia.at_center_of_mass(
            body.mass, body.rotational_at_center_of_mass, Placement(translation=body.center_of_mass)
        )
        assert_close(made.rotational, body.rotational)


MODEL_LAWS = (
    dynamics_is_linear_in_the_inertial_parameters,
    turning_the_base_is_turning_gravity_back,
    mimic_joints_move_with_their_driver,
    bodies_keep_their_central_inertia_when_moved,
)


def _random_body(random: np.random.Generator) -> Inertia:
    """A box of random size, somewhere."""
    x, y, z = random.uniform(0.1, 0.5, 3)
    mass = random.uniform(0.5, 2.0)
    rotational = np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * mass / 12.0
    rotation = rotation_from_rpy(*random.uniform(-3.0, 3.0, 3))
    placement = Placement(rotation, tuple(random.uniform(-0.3, 0.3, 3)))
    return Inertia.at_center_of_mass(mass, rotational.tolist(), placement)


def _on_pedestal(text: str, xyz: tuple[float, ...], rpy: tuple[float, ...]) -> str:
    robot = ElementTree.fromstring(text)
    children = {child.get('link') for child in robot.iterfind('joint/child')}
    (root,) = {link.get('name') for link in robot.findall('link')} - children
    ElementTree.SubElement(robot, 'link', name='new base')
    joint = ElementTree.SubElement(robot, 'joint', name='new base mount', type='fixed')
    ElementTree.SubElement(joint, 'parent', link='new base')
    ElementTree.SubElement(joint, 'child', link=root)
    ElementTree.SubElement(joint, 'origin', xyz=_words(xyz), rpy=_words(rpy))
    return ElementTree.tostring(robot, encoding='unicode')


def _without_mimic(text: str) -> str:
    robot = ElementTree.fromstring(text)
    for joint in robot.findall('joint'):
        for mimic in joint.findall('mimic'):
            joint.remove(mimic)
    return ElementTree.tostring(robot, encoding='unicode')


def _words(numbers: tuple[float, ...]) -> str:
    return ' '.join(map(repr, numbers))
