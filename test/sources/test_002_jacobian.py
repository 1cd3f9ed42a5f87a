"""Document 002, "Jacobian", section 3.3: the columns, and the 3R planar arm."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.robots import hand_written
from numpy import cos, sin

from robot_dynamics_ros.core import Joint, RobotModel
from robot_dynamics_ros.core.dual import Dual, independent
from robot_dynamics_ros.core.model.tree import Coordinate
from robot_dynamics_ros.core.scalar import cos as generic_cos
from robot_dynamics_ros.core.scalar import sin as generic_sin
from robot_dynamics_ros.core.spatial import Inertia, Transform
from robot_dynamics_ros.textbook.lagrange import link_states

pytestmark = pytest.mark.contract

LENGTHS = (0.5, 0.4, 0.3)
STATES = np.random.default_rng(2).uniform(-3.0, 3.0, (20, 3))


def planar_3r():
    """Each mass at the far end of its link, so that link 3's centre of mass is p_3."""
    places = (0.0, *LENGTHS[:2])
    joints = tuple(
        Joint(
            f'joint{i + 1}',
            'revolute',
            i - 1,
            Transform(translation=(places[i], 0.0, 0.0)),
            (0.0, 0.0, 1.0),
            Inertia(1.0, (LENGTHS[i], 0.0, 0.0)),
            Coordinate(i),
        )
        for i in range(3)
    )
    return RobotModel('3r', joints)


def matrix(columns):
    return np.array([columns[i] for i in range(len(columns))]).T


def test_3r_planar_arm():
    """3.3.1: J from z x (p_3 - p_i) equals the derivative of x, y and alpha, printed there."""
    l1, l2, l3 = LENGTHS
    for q in STATES:
        a1, a12, a123 = np.cumsum(q)
        y = [l1 * sin(a1), l2 * sin(a12), l3 * sin(a123)]
        x = [l1 * cos(a1), l2 * cos(a12), l3 * cos(a123)]
        printed = [
            [-(y[0] + y[1] + y[2]), -(y[1] + y[2]), -y[2]],
            [x[0] + x[1] + x[2], x[1] + x[2], x[2]],
            [1.0, 1.0, 1.0],
        ]
        link = link_states(planar_3r(), q)[2]
        linear, angular = matrix(link.linear), matrix(link.angular)
        assert_close([linear[0], linear[1], angular[2]], printed)
        assert_close([linear[2], angular[0], angular[1]], np.zeros((3, 3)), scale=1.0)


def test_3r_jacobian_is_the_derivative_of_its_forward_kinematics():
    """3.3.2: columns dx/dtheta_i and dy/dtheta_i."""
    for q in STATES:
        t1, t2, t3 = independent(q)
        angles = (t1, t1 + t2, t1 + t2 + t3)
        x, y = (
            sum((r * f(t) for r, t in zip(LENGTHS, angles, strict=True)), Dual(0.0, 0.0))
            for f in (generic_cos, generic_sin)
        )
        linear = matrix(link_states(planar_3r(), q)[2].linear)
        assert_close(linear[:2], [x.slope, y.slope])


def test_columns_of_prismatic_joints():
    """3.3.3: [z; 0], wherever the joint is."""
    model = hand_written('gantry').model
    for q in STATES:
        for link in link_states(model, q):
            for index, column in link.linear.items():
                axis = model.joints[index].placement.rotation @ np.array(model.joints[index].axis)
                # Slides turn nothing: every body keeps the attitude of its placement.
                assert_close(column, axis)
                assert link.angular[index] == (0.0, 0.0, 0.0)
