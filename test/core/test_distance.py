"""A robot far from the origin of its base frame: moving the base changes nothing but places."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import example
from mechanics.robots import hand_written

from robot_dynamics_ros.core import RobotDynamics, parse_urdf

pytestmark = pytest.mark.contract

AWAY = 1e4 * np.array([0.6, -0.64, 0.48])
UNCHANGED = {
    'inverse_dynamics': 'qva',
    'torque_terms': 'qva',
    'regressor': 'qva',
    'inverse_dynamics_derivatives': 'qva',
    'forward_dynamics': 'qva',
    'forward_dynamics_derivatives': 'qva',
    'coriolis_matrix': 'qv',
    'kinetic_energy': 'qv',
    'momentum_terms': 'qv',
    'mass_matrix': 'q',
    'mass_matrix_inverse': 'q',
    'center_of_mass_jacobian': 'q',
}


def moved_away(robot):
    root, (x, y, z) = robot.model.frames[0].name, AWAY
    pedestal = (
        '<link name="far_away"/><joint name="distance" type="fixed"><parent link="far_away"/>'
        f'<child link="{root}"/><origin xyz="{x} {y} {z}"/></joint></robot>'
    )
    return parse_urdf(robot.text.replace('</robot>', pedestal))


@pytest.fixture(params=['ur5', 'tree'])
def pair(request, backend):
    """A robot, the dynamics near its base and 10 km away, and states."""
    ur5 = request.param == 'ur5'
    robot = example('ur_description/urdf/ur5_robot.urdf') if ur5 else hand_written(request.param)
    far = RobotDynamics(moved_away(robot), backend=backend)
    return robot, getattr(robot, backend), far, list(robot.states(2))


def test_what_does_not_depend_on_the_place_of_the_base_loses_no_digit(pair):
    robot, near, far, states = pair
    frame = robot.model.frames[-1].name
    for q, v, a, _ in states:
        given = {'q': q, 'v': v, 'a': a}
        for quantity, letters in UNCHANGED.items():
            inputs = [given[letter] for letter in letters]
            expected = getattr(near, quantity)(*inputs)
            assert_close(getattr(far, quantity)(*inputs), expected, np.abs(expected).max() + 1.0)
        for axes in ('LOCAL', 'LOCAL_WORLD_ALIGNED'):
            assert_close(far.jacobian(q, frame, axes), near.jacobian(q, frame, axes), 10.0)
            expected = near.jacobian_derivative(q, v, frame, axes)
            assert_close(far.jacobian_derivative(q, v, frame, axes), expected, 100.0)


def test_what_is_about_the_base_moves_with_it(pair):
    robot, near, far, states = pair
    frame, mass = robot.model.frames[-1].name, sum(j.inertia.mass for j in robot.model.joints)
    for q, v, _, _ in states:
        (R, here), (S, there) = near.frame_pose(q, frame), far.frame_pose(q, frame)
        assert_close(S, R)
        assert_close(there, here + AWAY)
        assert_close(far.frame_poses(q)[-1], np.column_stack([S, there]))
        assert_close(far.center_of_mass(q), near.center_of_mass(q) + AWAY)
        lifted = near.potential_energy(q) - mass * near.gravity @ AWAY
        assert_close(far.potential_energy(q), lifted, 1e4 * mass * 9.81)
        p, angular = np.split(near.momentum(q, v), 2)
        expected = np.concatenate([p, angular + np.cross(AWAY, p)])
        assert_close(far.momentum(q, v), expected, 1e4 * np.abs(p).max() + 1.0)
        J, K = near.jacobian(q, frame, 'WORLD'), far.jacobian(q, frame, 'WORLD')
        about = J[:3] + np.cross(AWAY, J[3:], axis=0)
        assert_close(K, np.concatenate([about, J[3:]]), 1e5)
