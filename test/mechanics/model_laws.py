"""The laws of bodies and of robots whose bodies were changed, and of pivots; on floats."""

import math
from dataclasses import replace

import numpy as np

from mechanics.closeness import assert_close, coriolis_scale, torque_scale
from mechanics.float_dynamics import FloatDynamics
from mechanics.laws import laws_among
from robot_dynamics_ros.core import StateError
from robot_dynamics_ros.core.algorithms import crba
from robot_dynamics_ros.core.model.inertial_parameters import (
    base_inertias,
    impossible,
    parameters_of,
    with_load,
)
from robot_dynamics_ros.core.spatial import Inertia, Transform, rotation_from_rpy


def bodies_keep_their_central_inertia_when_moved(robot, state):
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


def points_are_a_body_until_one_has_negative_mass(robot, state):
    """One point, a rod and a plate lie on the boundary: rounding must not refuse them."""
    random = np.random.default_rng(len(robot.model.joints))
    for count in (1, 2, 3, 4, 20):
        points, masses = random.uniform(-0.4, 0.4, (count, 3)), random.uniform(0.1, 2.0, count)
        body = sum(map(point, masses, points), Inertia())
        assert not impossible(body)
        assert impossible(body + point(-2.0 * masses.sum(), random.uniform(-0.4, 0.4, 3)))
        assert impossible(body + point(-0.5 * masses.sum(), np.ones(3)))


def a_load_is_a_body_by_its_inertial_parameters(robot, state):
    """Linear in them, about the origin that the body has."""
    load = _random_body(np.random.default_rng(2))
    for index, joint in enumerate(robot.model.joints):
        loaded = with_load(robot.model.joints, index, parameters_of(load))[index].inertia
        assert_close(loaded.mass, joint.inertia.mass + load.mass)
        assert_close(loaded.first_moment, (joint.inertia + load).first_moment)
        assert_close(loaded.rotational, (joint.inertia + load).rotational)


def base_inertias_have_the_same_torques(robot, state):
    """And carry no more what their drives do not feel; a body that is left whole has it all."""
    (q, v, a, _), joints = state, robot.model.joints
    direct = FloatDynamics(robot.model)
    for whole in (None, len(joints) - 1):
        others = base_inertias(joints, whole)
        grouped = FloatDynamics(replace(robot.model, joints=others))
        tau = direct.inverse_dynamics(q, v, a)
        assert_close(grouped.inverse_dynamics(q, v, a), tau, torque_scale(direct, state))
        assert_close(grouped.mass_matrix(q), direct.mass_matrix(q))
        C = direct.coriolis_matrix(q, v)
        assert_close(grouped.coriolis_matrix(q, v), C, coriolis_scale(direct, state))
    assert others[-1].inertia == joints[-1].inertia
    for joint in base_inertias(joints):
        second, axis = np.array(joint.inertia.second_moment), np.array(joint.axis)
        if joint.kind == 'prismatic':
            assert not second.any()
            continue
        assert joint.inertia.mass == 0.0
        first = np.array(joint.inertia.first_moment)
        assert abs(axis @ first) <= 1e-14 * max(1.0, np.abs(first).max())
        assert abs(axis @ second @ axis) <= 1e-14 * max(1.0, np.abs(second).max())


def largest_inertias_are_sums_over_bodies(robot, state):
    """With S and D of each body from the path that leads to it, not from the next joint on.

    N joints with one coordinate: N (c_1^2 L_1 + ... + c_N^2 L_N).
    """
    joints = robot.model.joints

    def distances(i):
        """Of the bodies that joint i carries, along the links between."""
        found = {i: 0.0}
        for j in range(i + 1, len(joints)):
            if joints[j].parent in found:
                step = math.dist(joints[j].placement.translation, (0.0, 0.0, 0.0))
                found[j] = found[joints[j].parent] + step
        return found

    bounds = [[] for _ in range(robot.model.size)]
    for i, joint in enumerate(joints):
        carried = distances(i)
        if joints[i].kind == 'prismatic':
            expected = sum(joints[j].inertia.mass for j in carried)
        else:
            sliders = [j for j in carried if joints[j].kind == 'prismatic']
            terms = [
                # tr S is half the trace of the rotational inertia.
                np.trace(joints[j].inertia.rotational) + 2.0 * joints[j].inertia.mass * D**2
                for j, D in carried.items()
            ]
            for k in sliders:
                coordinate = joints[k].coordinate
                x = coordinate.multiplier * state.q[coordinate.index] + coordinate.offset
                terms.append(sum(joints[j].inertia.mass for j in distances(k)) * x**2)
            expected = (1 + len(sliders)) * sum(terms)
        bounds[joint.index].append(joint.coordinate.multiplier**2 * expected)
    largest = crba.largest_inertias(robot.model, state.q.tolist())
    assert_close(largest, [len(each) * sum(each) for each in bounds])


def largest_inertias_bound_the_diagonal_of_the_mass_matrix(robot, state):
    """Which has the inertias, and those of the rotors in addition."""
    joints = robot.model.joints
    bare = robot.model.with_armature({joint.name: 0.0 for joint in joints})
    diagonal = np.diag(FloatDynamics(bare).mass_matrix(state.q))
    bounds = np.array(crba.largest_inertias(robot.model, state.q.tolist()))
    assert (diagonal <= bounds * (1.0 + 1e-12)).all()


def pivots_as_small_as_rounding_are_refused(robot, state):
    """Of either sign: an implausible model may have negative inertias."""
    q, largest = state.q.tolist(), 3.0
    smallest = crba.SMALLEST_PIVOT * largest
    for factor in (0.5, -0.5, 2.0, -2.0, 1e12):
        refused = False
        try:
            crba.require_pivot(robot.model, q, 0, factor * smallest, largest)
        except StateError:
            refused = True
        assert refused == (abs(factor) < 1.0), f'at {factor} times the smallest pivot'


LAWS = laws_among(globals(), 'robot', 'state')


def _random_body(random):
    """A box of random size, somewhere."""
    x, y, z = random.uniform(0.1, 0.5, 3)
    mass = random.uniform(0.5, 2.0)
    rotational = np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * mass / 12.0
    rotation = rotation_from_rpy(*random.uniform(-3.0, 3.0, 3))
    placement = Transform(rotation, tuple(random.uniform(-0.3, 0.3, 3)))
    return Inertia.at_center_of_mass(mass, rotational.tolist(), placement)


def point(mass, at):
    """A point mass [kg] at a place (3,) [m]."""
    place = Transform(translation=tuple(at.tolist()))
    return Inertia.at_center_of_mass(float(mass), np.zeros((3, 3)).tolist(), place)
