"""The limits that a motion keeps: of the description, of mimic joints, and assumed ones."""

import numpy as np
import pytest

from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.identification.excitation.limits import MotionLimits

INERTIAL = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def arm(lead, follow, kind='revolute'):
    """Two joints, of which the second moves by -2 q + 0.5."""
    links = ''.join(f'<link name="{name}">{INERTIAL}</link>' for name in ('one', 'two'))
    return parse_urdf(
        f'<robot name="arm"><link name="base"/>{links}'
        f'<joint name="lead" type="{kind}"><parent link="base"/><child link="one"/>{lead}</joint>'
        f'<joint name="follow" type="{kind}"><parent link="one"/><child link="two"/>{follow}'
        '<mimic joint="lead" multiplier="-2" offset="0.5"/></joint></robot>'
    )


def limit(lower, upper, velocity, effort=10.0):
    return f'<limit lower="{lower}" upper="{upper}" velocity="{velocity}" effort="{effort}"/>'


def test_a_mimic_joint_keeps_its_limits_too():
    limits = MotionLimits.of(arm(limit(-1, 2, 3), limit(-1.5, 2.0, 4)), None)
    ends = -2.0 * (limits.middle[0] + limits.half[0] * np.array([1.0, -1.0])) + 0.5
    np.testing.assert_allclose(ends, [-1.5, 2.0])
    assert limits.velocity[0] == pytest.approx(2.0)
    assert limits.acceleration[0] == pytest.approx(8.0)


def test_the_joint_that_is_mimicked_may_have_the_narrower_limits():
    limits = MotionLimits.of(arm(limit(-0.1, 0.2, 0.3), limit(-1.5, 2.0, 4)), 5.0)
    np.testing.assert_allclose((limits.middle[0], limits.half[0]), (0.05, 0.15))
    assert limits.velocity[0] == 0.3
    assert limits.acceleration[0] == 5.0


def test_limits_without_a_common_position_are_refused():
    with pytest.raises(ParameterError, match='follow mimics lead'):
        MotionLimits.of(arm(limit(1, 2, 3), limit(1.0, 2.0, 4)), None)


def test_what_the_description_lacks_is_assumed_and_said():
    limits = MotionLimits.of(arm('', '', kind='continuous'), None)
    said = ' '.join(limits.assumptions)
    for missing in ('position limits', 'velocity limit', 'effort limit', 'acceleration limits'):
        assert missing in said
    assert np.isinf(limits.effort[0])
    assert limits.velocity[0] > 0.0
    assert limits.half[0] > 0.0


@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
@pytest.mark.parametrize('ends', [(0, 0), (1, -1), (-1e16, 1e16)])
def test_a_joint_without_usable_limits_is_refused(kind, ends):
    """It may be locked in the hardware, or stop anywhere: no range is assumed for it."""
    robot = arm(limit(*ends, 3), limit(-1, 1, 3), kind=kind)
    with pytest.raises(ParameterError, match=rf'lead \({kind}, .* to .*leave .* --joints'):
        MotionLimits.of(robot, None)


def test_a_mimic_joint_without_limits_does_not_narrow_the_range():
    limits = MotionLimits.of(arm(limit(-2.5, 2.5, 3), limit(0, 0, 4)), None)
    assert (limits.middle[0], limits.half[0]) == (0.0, 2.5)


def test_a_complete_description_needs_no_assumption():
    limits = MotionLimits.of(arm(limit(-1, 2, 3), limit(-1.5, 2.0, 4)), 5.0)
    assert limits.assumptions == ()
