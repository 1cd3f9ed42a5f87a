"""Torques in messages: units by the kind of the joint, and no rounding errors."""

import pytest
from three_joints import URDF

from robot_dynamics_ros.control.torque_text import joint_torques, torque_text, units_of
from robot_dynamics_ros.core import parse_urdf


@pytest.mark.parametrize(
    ('value', 'text'),
    [(-1e-18, '0 N m'), (9e-7, '0 N m'), (-2e-6, '-2e-06 N m'), (-12.345, '-12.3 N m')],
)
def test_a_rounding_error_is_zero_and_what_is_larger_is_not(value, text):
    assert torque_text(value, 'N m') == text


def test_each_joint_has_the_unit_of_its_kind_in_any_order():
    joints = ('wrist', 'slide', 'turn')
    text = joint_torques(joints, (1.0, -2.0, -1e-18), units_of(parse_urdf(URDF), joints))
    assert text == 'wrist 1 N m, slide -2 N, turn 0 N m'
