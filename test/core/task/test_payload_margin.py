"""With the mass of the margin, one joint is at its limit, and none beyond."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import RobotDynamics, UnknownNameError

pytestmark = pytest.mark.contract


def with_limits(model, efforts):
    """The same robot with these effort limits of its independent joints."""
    limits = dict(zip(model.joint_names, efforts, strict=True))
    joints = tuple(
        replace(joint, limits=replace(joint.limits, effort=limits.get(joint.name, np.inf)))
        for joint in model.joints
    )
    return replace(model, joints=joints)


def use_of_limits(model, q, limits):
    """The largest share of a limit that gravity takes at rest."""
    return float((np.abs(RobotDynamics(model, backend='python').gravity_torque(q)) / limits).max())


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
@pytest.mark.parametrize('share', [1.5, 3.0])
def test_one_joint_is_at_its_limit_with_that_mass(robot, share):
    model = robot.model
    moving = [frame.name for frame in model.frames if frame.body >= 0]
    for (q, *_), frame in product(robot.states(2), moving):
        own = np.abs(RobotDynamics(model, backend='python').gravity_torque(q))
        limits = share * own + 1.0
        arm = with_limits(model, limits)
        mass = RobotDynamics(arm, backend='python').payload_margin(q, frame)
        assert mass > 0.0
        if np.isinf(mass):
            # A tonne loads no joint by more than rounding.
            assert use_of_limits(arm.with_payload(frame, 1000.0), q, limits) < 1.0
            continue
        assert use_of_limits(arm.with_payload(frame, mass), q, limits) == pytest.approx(
            1.0, rel=1e-9
        )
        assert use_of_limits(arm.with_payload(frame, 1.01 * mass), q, limits) > 1.0
        assert use_of_limits(arm.with_payload(frame, 0.99 * mass), q, limits) < 1.0


def test_what_is_carried_counts():
    robot = hand_written('tree')
    frame = 'left_hand'
    arm = with_limits(robot.model, [500.0] * robot.model.size)
    (q, *_), *_ = robot.states(1)
    margin = RobotDynamics(arm).payload_margin(q, frame)
    assert np.isfinite(margin)
    part = 0.4 * margin
    loaded = RobotDynamics(arm.with_payload(frame, part))
    assert loaded.payload_margin(q, frame) == pytest.approx(margin - part, rel=1e-9)


def test_negative_where_the_arm_cannot_hold_itself():
    """What is too much is what must be taken off."""
    robot, frame = hand_written('fixed_links'), 'flange'
    (q, *_), *_ = robot.states(1)
    limits = np.array([joint.limits.effort for joint in robot.model.independent_joints])
    heavy = RobotDynamics(robot.model.with_payload(frame, 50.0))
    margin = heavy.payload_margin(q, frame)
    assert -50.0 < margin < 0.0
    lighter = robot.model.with_payload(frame, 50.0 + margin)
    assert use_of_limits(lighter, q, limits) == pytest.approx(1.0, rel=1e-9)


def test_infinite_where_nothing_is_lifted():
    robot = hand_written('pendulum')
    frame = robot.model.frames[-1].name
    limited = with_limits(robot.model, [1e-3])
    assert RobotDynamics(limited, gravity=(0.0, 0.0, 0.0)).payload_margin([0.7], frame) == np.inf
    for none in (np.inf, 0.0, -5.0):
        unlimited = with_limits(robot.model, [none])
        assert RobotDynamics(unlimited).payload_margin([0.7], frame) == np.inf


def test_no_mass_at_the_base_makes_a_weak_joint_hold():
    robot = hand_written('pendulum')
    weak = RobotDynamics(with_limits(robot.model, [1e-3]))
    assert weak.payload_margin([0.7], robot.model.frames[0].name) == -np.inf


def test_an_unknown_frame_is_named():
    robot = hand_written('pendulum')
    with pytest.raises(UnknownNameError, match='nose'):
        RobotDynamics(robot.model).payload_margin([0.7], 'nose')
