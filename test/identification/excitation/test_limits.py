"""The limits that a motion keeps: of the URDF, of mimic joints, and assumed ones."""

import numpy as np
import pytest

from robot_dynamics_ros.core import ParameterError, parse_urdf
from robot_dynamics_ros.identification.excitation.limits import MotionLimits

INERTIAL = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def arm(lead, follow, kind='revolute', more=''):
    """Two joints, of which the second moves by -2 q + 0.5; each with (lower, upper, velocity)."""
    limits = [
        '<limit lower="{}" upper="{}" velocity="{}" effort="10" {}/>'.format(*given, more)
        if given
        else ''
        for given in (lead, follow)
    ]
    links = ''.join(f'<link name="{name}">{INERTIAL}</link>' for name in ('one', 'two'))
    return (
        f'<robot name="arm"><link name="base"/>{links}<joint name="lead" type="{kind}">'
        f'<parent link="base"/><child link="one"/>{limits[0]}</joint>'
        f'<joint name="follow" type="{kind}"><parent link="one"/><child link="two"/>{limits[1]}'
        '<mimic joint="lead" multiplier="-2" offset="0.5"/></joint>'
        '<transmission name="drive"><joint name="lead"/></transmission></robot>'
    )


@pytest.mark.parametrize(
    ('lead', 'follow', 'lower', 'upper', 'velocity'),
    [
        ((-1, 2, 3), (-1.5, 2.0, 4), -0.75, 1.0, 2.0),
        ((-0.1, 0.2, 0.3), (-1.5, 2.0, 4), -0.1, 0.2, 0.3),
        # Without limits of its own, the mimic joint narrows nothing.
        ((-2.5, 2.5, 3), (0, 0, 4), -2.5, 2.5, 3.0),
    ],
)
def test_a_mimic_joint_keeps_its_limits_too(lead, follow, lower, upper, velocity):
    found = limits(arm(lead, follow))
    half, speed, acceleration, jerk, _ = found.largest[:, 0]
    assert (found.middle[0] - half, found.middle[0] + half) == pytest.approx((lower, upper))
    assert (speed, acceleration, jerk) == (velocity, 4.0 * velocity, np.inf)
    given = limits(arm(lead, follow), 5.0)
    assert (given.largest[2, 0], given.assumptions) == (5.0, ())


def limits(text, acceleration=None):
    return MotionLimits.of(parse_urdf(text), text, acceleration)


def test_home_is_zero_or_the_position_nearest_to_it():
    for ends, home in (((-1, 2), 0.0), ((1, 2), 1.0), ((-2, -1), -1.0)):
        assert limits(arm((*ends, 3), None)).home() == pytest.approx([home])
    with pytest.raises(ParameterError, match='follow mimics lead'):
        limits(arm((1, 2, 3), (1.0, 2.0, 4)))


def test_accelerations_and_jerks_of_the_description_are_kept():
    """Of URDF 1.2; the mimic joint moves twice as fast, and --acceleration takes their place."""
    text = arm((-1, 2, 3), (-1.5, 2.0, 40), more='acceleration="7" deceleration="6" jerk="50"')
    found = limits(text)
    assert found.largest[1:4, 0].tolist() == [3.0, 3.0, 25.0]
    assert found.assumptions == ()
    assert limits(text, 9.0).largest[2:4, 0].tolist() == [9.0, 25.0]
    with pytest.raises(ParameterError, match='lead: jerk="0"'):
        limits(text.replace('jerk="50"', 'jerk="0"'))


def test_what_the_description_lacks_is_assumed_and_said():
    found = limits(arm(None, None, kind='continuous'))
    assert len(found.assumptions) == 4
    assert found.largest[:, 0] == pytest.approx([np.pi, 1.0, 4.0, np.inf, np.inf])


@pytest.mark.parametrize(
    ('kind', 'ends'), [('revolute', (0, 0)), ('prismatic', (1, -1)), ('prismatic', (-1e16, 1e16))]
)
def test_a_joint_without_usable_limits_is_refused(kind, ends):
    """It may be locked in the hardware, or stop anywhere: no range is assumed for it."""
    with pytest.raises(ParameterError, match=rf'lead \({kind}'):
        limits(arm((*ends, 3), (-1, 1, 3), kind=kind))
