"""Robots whose kinetic energy can be negative are refused."""

import pytest
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import InertiaError, RobotDynamics, parse_urdf
from robot_dynamics_ros.core.plausibility.mass_matrix import check_mass_matrix


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_good_robots_pass_massless_tips_included(robot):
    check_mass_matrix(robot.model, robot.python.mass_matrix)


def test_an_indefinite_mass_matrix_is_refused_with_joint_and_findings():
    text = hand_written('pendulum').text.replace('iyy="0.2"', 'iyy="-1"')
    dynamics = RobotDynamics(parse_urdf(text), backend='python')
    with pytest.raises(InertiaError) as caught:
        check_mass_matrix(dynamics.model, dynamics.mass_matrix, samples=3)
    # I + m l^2 = -1 + 1.7 * 0.4^2.
    for part in ('-0.728', "joint 'swing'", "link 'rod'", 'not positive definite'):
        assert part in str(caught.value)


def test_a_strange_inertia_that_does_no_harm_passes():
    """Only the moment about its axis counts for a body on one joint."""
    text = hand_written('pendulum').text.replace('ixx="0.21"', 'ixx="-0.21"')
    model = parse_urdf(text)
    assert model.findings
    check_mass_matrix(model, RobotDynamics(model, backend='python').mass_matrix)
