"""The laws that relate a robot to one that was changed; evaluated on floats."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np

from mechanics.closeness import assert_close, coriolis_scale, torque_scale
from mechanics.float_dynamics import FloatDynamics
from mechanics.pivot_laws import PIVOT_LAWS
from mechanics.robots import Robot, State
from robot_dynamics_ros.core import mounted_gravity, parse_urdf
from robot_dynamics_ros.core.model.inertial_parameters import (
    impossible,
    parameters_of,
    regrouped,
    with_load,
)
from robot_dynamics_ros.core.spatial import Force, Inertia, Motion, Transform, rotation_from_rpy

GRAVITY = np.array([1.5, -2.5, -9.0])


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
    tau = sum(part.inverse_dynamics(q, v, a) for part in parts)
    assert_close(both.inverse_dynamics(q, v, a), tau, torque_scale(both, state))
    assert_close(both.mass_matrix(q), sum(part.mass_matrix(q) for part in parts))
    scale = coriolis_scale(both, state)
    sum_of_parts = sum(part.coriolis_matrix(q, v) for part in parts)
    assert_close(both.coriolis_matrix(q, v), sum_of_parts, scale)


def turning_the_base_is_turning_gravity_back(robot: Robot, state: State) -> None:
    """And neither M nor C knows where the base is."""
    rpy, shift, (q, v, a, _) = (0.4, -1.1, 2.3), (0.3, -0.5, 0.2), state
    turned = FloatDynamics(parse_urdf(_on_pedestal(robot.text, shift, rpy)), GRAVITY)
    upright = FloatDynamics(robot.model, mounted_gravity(rpy, GRAVITY))
    tau = upright.inverse_dynamics(q, v, a)
    assert_close(turned.inverse_dynamics(q, v, a), tau, torque_scale(upright, state))
    assert_close(turned.mass_matrix(q), upright.mass_matrix(q))
    # C is computed in base coordinates, where the moment arms are as long as the shift.
    mass = sum(joint.inertia.mass for joint in robot.model.joints)
    scale = coriolis_scale(upright, state) + mass * np.dot(shift, shift) * np.abs(v).max()
    assert_close(turned.coriolis_matrix(q, v), upright.coriolis_matrix(q, v), scale)


def mimic_joints_move_with_the_joint_that_they_mimic(robot: Robot, state: State) -> None:
    """With q_all = G q + o: M = G^T M_all G, C = G^T C_all G and tau = G^T tau_all."""
    free = parse_urdf(_without_mimic(robot.text))
    G, offset = np.zeros((free.size, robot.model.size)), np.zeros(free.size)
    for joint in robot.model.joints:
        row = free.index_of(joint.name)
        G[row, joint.coordinate.index] = joint.coordinate.multiplier
        offset[row] = joint.coordinate.offset
    q, v, a, _ = state
    mimicking, independent = FloatDynamics(robot.model), FloatDynamics(free)
    q_all = G @ q + offset
    tau_all = independent.inverse_dynamics(q_all, G @ v, G @ a)
    assert_close(
        mimicking.inverse_dynamics(q, v, a), G.T @ tau_all, torque_scale(mimicking, state)
    )
    assert_close(mimicking.mass_matrix(q), G.T @ independent.mass_matrix(q_all) @ G)
    C = G.T @ independent.coriolis_matrix(q_all, G @ v) @ G
    assert_close(mimicking.coriolis_matrix(q, v), C, coriolis_scale(mimicking, state))


def rotors_turn_with_their_joints_alone(robot: Robot, state: State) -> None:
    """They add G^T diag(armature) G to M and nothing to C or g, with q_dot of all joints = G v."""
    random = np.random.default_rng(5)
    armature = {joint.name: random.uniform(0.1, 0.5) for joint in robot.model.joints}
    geared = FloatDynamics(robot.model.with_armature(armature))
    direct = FloatDynamics(robot.model)
    rotors = np.zeros((robot.model.size, robot.model.size))
    for joint in robot.model.joints:
        index = joint.coordinate.index
        rotors[index, index] += joint.coordinate.multiplier**2 * armature[joint.name]
    q, v, a, _ = state
    assert_close(geared.mass_matrix(q), direct.mass_matrix(q) + rotors)
    tau = direct.inverse_dynamics(q, v, a) + rotors @ a
    assert_close(geared.inverse_dynamics(q, v, a), tau, torque_scale(geared, state))
    assert np.array_equal(geared.coriolis_matrix(q, v), direct.coriolis_matrix(q, v))


def what_is_carried_along_keeps_its_power(robot: Robot, state: State) -> None:
    """(V x S) . F + S . (V x* F) = 0: motion and wrench turn together, at any instant."""
    numbers = np.resize(np.concatenate(state), (3, 2, 3)).tolist()
    V, S = (Motion(tuple(angular), tuple(linear)) for angular, linear in numbers[:2])
    F = Force(*map(tuple, numbers[2]))
    terms = V.cross(S).dot(F), S.dot(V.cross_force(F))
    # Each term sums products of three numbers of size 3.
    assert_close(terms[0], -terms[1], scale=27.0)


def bodies_keep_their_central_inertia_when_moved(robot: Robot, state: State) -> None:
    """Moving a body turns its inertia about the centre of mass and does nothing else to it."""
    random = np.random.default_rng(3)
    shift, angles = tuple(random.uniform(-1.0, 1.0, 3)), random.uniform(-3.0, 3.0, 3)
    R = np.array(rotation_from_rpy(*angles))
    placement = Transform(rotation_from_rpy(*angles), shift)
    for joint in robot.model.joints:
        body = joint.inertia
        if not body.mass:
            continue
        moved = placement @ body
        center = R @ body.center_of_mass + shift
        central = R @ np.array(body.rotational_at_center_of_mass) @ R.T
        # The parallel-axis theorem.
        steiner = body.mass * (center @ center * np.eye(3) - np.outer(center, center))
        assert moved.mass == body.mass
        assert_close(moved.center_of_mass, center)
        scale = np.abs(steiner).max()
        assert_close(moved.rotational, central + steiner)
        assert_close(moved.rotational_at_center_of_mass, central, scale)
        inertial = Transform(translation=body.center_of_mass)
        remade = Inertia.at_center_of_mass(body.mass, body.rotational_at_center_of_mass, inertial)
        assert_close(remade.rotational, body.rotational)


def points_are_a_body_until_one_has_negative_mass(robot: Robot, state: State) -> None:
    """One point, a rod and a plate lie on the boundary: rounding must not refuse them."""
    random = np.random.default_rng(len(robot.model.joints))
    for count in (1, 2, 3, 4, 20):
        points, masses = random.uniform(-0.4, 0.4, (count, 3)), random.uniform(0.1, 2.0, count)
        body = sum(map(_point, masses, points), Inertia())
        assert not impossible(body)
        assert impossible(body + _point(-2.0 * masses.sum(), random.uniform(-0.4, 0.4, 3)))
        assert impossible(body + _point(-0.5 * masses.sum(), np.ones(3)))


def a_load_is_a_body_by_its_inertial_parameters(robot: Robot, state: State) -> None:
    """Linear in them, about the origin that the body has."""
    load = _random_body(np.random.default_rng(2))
    for index, joint in enumerate(robot.model.joints):
        loaded = with_load(robot.model.joints, index, parameters_of(load))[index].inertia
        assert_close(loaded.mass, joint.inertia.mass + load.mass)
        assert_close(loaded.first_moment, (joint.inertia + load).first_moment)
        assert_close(loaded.rotational, (joint.inertia + load).rotational)


def regrouped_bodies_have_the_same_torques(robot: Robot, state: State) -> None:
    """And carry no more what their drives do not feel; a body that is left whole has it all."""
    (q, v, a, _), joints = state, robot.model.joints
    direct = FloatDynamics(robot.model)
    for whole in (None, len(joints) - 1):
        others = regrouped(joints, whole)
        grouped = FloatDynamics(replace(robot.model, joints=others))
        tau = direct.inverse_dynamics(q, v, a)
        assert_close(grouped.inverse_dynamics(q, v, a), tau, torque_scale(direct, state))
        assert_close(grouped.mass_matrix(q), direct.mass_matrix(q))
        C = direct.coriolis_matrix(q, v)
        assert_close(grouped.coriolis_matrix(q, v), C, coriolis_scale(direct, state))
    assert others[-1].inertia == joints[-1].inertia
    for joint in regrouped(joints):
        second, axis = np.array(joint.inertia.second_moment), np.array(joint.axis)
        if joint.kind == 'prismatic':
            assert not second.any()
            continue
        assert joint.inertia.mass == 0.0
        first = np.array(joint.inertia.first_moment)
        assert abs(axis @ first) <= 1e-14 * max(1.0, np.abs(first).max())
        assert abs(axis @ second @ axis) <= 1e-14 * max(1.0, np.abs(second).max())


LAWS = (
    points_are_a_body_until_one_has_negative_mass,
    a_load_is_a_body_by_its_inertial_parameters,
    regrouped_bodies_have_the_same_torques,
    dynamics_is_linear_in_the_inertial_parameters,
    turning_the_base_is_turning_gravity_back,
    mimic_joints_move_with_the_joint_that_they_mimic,
    rotors_turn_with_their_joints_alone,
    what_is_carried_along_keeps_its_power,
    bodies_keep_their_central_inertia_when_moved,
    *PIVOT_LAWS,
)


def _random_body(random: np.random.Generator) -> Inertia:
    """A box of random size, somewhere."""
    x, y, z = random.uniform(0.1, 0.5, 3)
    mass = random.uniform(0.5, 2.0)
    rotational = np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * mass / 12.0
    rotation = rotation_from_rpy(*random.uniform(-3.0, 3.0, 3))
    placement = Transform(rotation, tuple(random.uniform(-0.3, 0.3, 3)))
    return Inertia.at_center_of_mass(mass, rotational.tolist(), placement)


def _point(mass: float, at: np.ndarray) -> Inertia:
    """A point mass [kg] at a place (3,) [m]."""
    place = Transform(translation=tuple(at.tolist()))
    return Inertia.at_center_of_mass(float(mass), np.zeros((3, 3)).tolist(), place)


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
