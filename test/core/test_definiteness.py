"""Robots whose kinetic energy can be negative are refused."""

import pytest
from mechanics.robots import HAND_WRITTEN, POINT_ON_AXIS, hand_written

from robot_dynamics_ros.core import InertiaError, RobotDynamics, parse_urdf
from robot_dynamics_ros.core.definiteness import check_mass_matrix


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


def test_a_light_joint_that_is_indefinite_is_found_on_a_heavy_carriage():
    """Whatever the masses and units of the other joints, which a raw eigenvalue depends on."""
    text = """<robot name="r"><link name="base"/>
    <link name="carriage"><inertial><mass value="200"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <link name="pointer"><inertial><mass value="1e-9"/>
    <inertia ixx="1e-11" iyy="1e-11" izz="-1e-11" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="slide" type="prismatic"><parent link="base"/><child link="carriage"/>
    <axis xyz="1 0 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
    <joint name="spindle" type="continuous"><parent link="carriage"/><child link="pointer"/>
    <axis xyz="0 0 1"/></joint></robot>"""
    dynamics = RobotDynamics(parse_urdf(text), backend='python')
    with pytest.raises(InertiaError, match=r"-1e-11.*'spindle'"):
        check_mass_matrix(dynamics.model, dynamics.mass_matrix)


def test_a_point_mass_on_the_axis_of_its_joint_passes():
    """What rounding leaves of its inertia may be negative, and says nothing."""
    dynamics = RobotDynamics(parse_urdf(POINT_ON_AXIS), backend='python')
    check_mass_matrix(dynamics.model, dynamics.mass_matrix)
