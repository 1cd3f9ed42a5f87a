"""The limits that a motion keeps: of the URDF, of mimic joints, and assumed ones."""

import numpy as np
import pytest

pytest.importorskip('coal')

from excited_arm import JOINTS, dynamics, random_poses, slope_by_differences, urdf

from robot_dynamics_ros.core import ParameterError, RobotDynamics, parse_urdf
from robot_dynamics_ros.identification.excitation.clearance import Clearance
from robot_dynamics_ros.identification.excitation.constraints import (
    WIDER,
    Constraints,
    MotionLimits,
)
from robot_dynamics_ros.identification.excitation.motion import Band, FourierSeries

INERTIAL = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
)


def arm(lead, follow, kind='revolute'):
    """Two joints, of which the second moves by -2 q + 0.5; each with (lower, upper, velocity)."""
    limits = [
        '<limit lower="{}" upper="{}" velocity="{}" effort="10"/>'.format(*given) if given else ''
        for given in (lead, follow)
    ]
    links = ''.join(f'<link name="{name}">{INERTIAL}</link>' for name in ('one', 'two'))
    return parse_urdf(
        f'<robot name="arm"><link name="base"/>{links}<joint name="lead" type="{kind}">'
        f'<parent link="base"/><child link="one"/>{limits[0]}</joint>'
        f'<joint name="follow" type="{kind}"><parent link="one"/><child link="two"/>{limits[1]}'
        '<mimic joint="lead" multiplier="-2" offset="0.5"/></joint></robot>'
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
    limits = MotionLimits.of(arm(lead, follow), None)
    ends = limits.middle[0] - limits.half[0], limits.middle[0] + limits.half[0]
    assert ends == pytest.approx((lower, upper))
    assert (limits.velocity[0], limits.acceleration[0]) == (velocity, 4.0 * velocity)
    given = MotionLimits.of(arm(lead, follow), 5.0)
    assert (given.acceleration[0], given.assumptions) == (5.0, ())


@pytest.mark.parametrize(('ends', 'home'), [((-1, 2), 0.0), ((1, 2), 1.25), ((-2, -1), -1.25)])
def test_home_is_zero_or_the_position_nearest_to_it(ends, home):
    limits = MotionLimits.of(arm((*ends, 3), None), None)
    assert limits.home(0.5) == pytest.approx([home])
    drawn = limits.drawn(np.random.default_rng(0), 1000)
    assert (drawn.min(), drawn.max()) == pytest.approx(ends, abs=0.02)


def test_limits_without_a_common_position_are_refused():
    with pytest.raises(ParameterError, match='follow mimics lead'):
        MotionLimits.of(arm((1, 2, 3), (1.0, 2.0, 4)), None)


def test_what_the_description_lacks_is_assumed_and_said():
    limits = MotionLimits.of(arm(None, None, kind='continuous'), None)
    assert len(limits.assumptions) == 4
    assert np.isinf(limits.effort[0])
    assert limits.velocity[0] == 1.0
    assert limits.half[0] == pytest.approx(np.pi)


@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
@pytest.mark.parametrize('ends', [(0, 0), (1, -1), (-1e16, 1e16)])
def test_a_joint_without_usable_limits_is_refused(kind, ends):
    """It may be locked in the hardware, or stop anywhere: no range is assumed for it."""
    with pytest.raises(ParameterError, match=rf'lead \({kind}'):
        MotionLimits.of(arm((*ends, 3), (-1, 1, 3), kind=kind), None)


def constraints(text=None, share=0.6):
    robot = dynamics() if text is None else RobotDynamics(parse_urdf(text))
    limits = MotionLimits.of(robot.model, 5.0)
    clearance = Clearance(robot, urdf(), None, random_poses(50), distance=0.1, floor=0.0)
    return Constraints(robot, limits, share, clearance)


def test_all_violations_and_their_slope():
    one, reserve = constraints(), 0.02
    random = np.random.default_rng(1)
    motion = [random_poses(6, 3), *random.uniform(-6.0, 6.0, (2, 6, len(JOINTS)))]
    motion[2] *= 20.0
    total, largest, slopes = one.violation(*motion, reserve)
    near, nearest, _ = one.clearance.violation(motion[0], WIDER * reserve)
    excess = np.maximum(np.abs(one.shares(*motion)) / one.share - (1.0 - reserve), 0.0)
    assert near > 0.0
    assert excess.any(axis=(1, 2)).all()  # of each limit
    assert total == pytest.approx(near + np.sum(excess**2))
    np.testing.assert_allclose(largest, np.maximum(excess.max(axis=(0, 2)), nearest))
    for order in range(3):

        def of(x, order=order):
            changed = [*motion]
            changed[order] = x
            return one.violation(*changed, reserve)[0]

        expected = slope_by_differences(of, motion[order])
        allowed = 1e-5 * np.abs(expected).max()
        np.testing.assert_allclose(slopes[order], expected, rtol=1e-4, atol=allowed)


def test_a_limit_that_is_exceeded_is_named_before_what_is_near():
    one, named, zero = constraints(), set(), np.zeros((1, len(JOINTS)))
    for pose in random_poses(60):
        within = np.abs(one.shares(pose[None], zero, zero)).max() <= one.share
        assert (one.excess_at(pose) == one.clearance.nearest(pose)) == within
        named.add(bool(within))
    assert named == {True, False}


@pytest.mark.parametrize('seed', range(4))
def test_efforts_between_the_samples(seed):
    """Of a robot with much friction, which jumps where a joint turns back."""
    one = constraints(urdf().replace('friction="0.3"', 'friction="20"'))
    random, band = np.random.default_rng(seed), Band(0.4, 3)
    space = band.resting_space()
    coefficients = space @ random.normal(size=(space.shape[1], len(JOINTS)))
    series = FourierSeries(band, random.uniform(-1.0, 1.0, len(JOINTS)), coefficients)
    shares, _ = one.used(series)
    largest = np.abs(one.shares(*series.at(np.linspace(0.0, 2.5, 20_000)))[3]).max(axis=0)
    assert (largest <= shares[3] * (1.0 + 1e-9)).all()
    np.testing.assert_allclose(shares[3], largest, rtol=0.02)
