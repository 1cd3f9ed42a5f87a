"""Gravity torque and payload margin over sampled poses: those of the compiled dynamics."""

from dataclasses import replace

import numpy as np
import pytest
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import RobotDynamics, UnknownNameError
from robot_dynamics_ros.inspection import inspect_robot
from robot_dynamics_ros.inspection.loads import SampledPoses, gravity_loads, payload_margin

LARGEST = 1.7 * 9.81 * 0.4  # m g l [N m]


def with_effort(model, effort):
    joints = [replace(j, limits=replace(j.limits, effort=effort)) for j in model.joints]
    return replace(model, joints=tuple(joints))


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_at_each_pose_they_are_those_of_the_compiled_robot(robot):
    poses = SampledPoses.of(robot.model, 20)
    np.testing.assert_array_equal(poses.q[0], 0.0)
    torque = robot.python.gravity_torque(poses.q)
    np.testing.assert_allclose(poses.gravity_torque, torque, rtol=1e-11, atol=1e-11)
    for frame in [robot.model.frames[0].name, robot.model.frames[-1].name]:
        expected = robot.python.jacobian(poses.q, frame, 'LOCAL_WORLD_ALIGNED')
        np.testing.assert_allclose(poses.jacobian(frame), expected, rtol=1e-11, atol=1e-11)


def test_a_limit_stands_for_zero_where_zero_is_not_allowed():
    """The pendulum hangs at zero, and here cannot."""
    model = hand_written('pendulum').model
    (joint,) = model.joints
    for lower, upper, zero in ((0.5, 2.0, 0.5), (-2.0, -0.5, -0.5), (2.0, 1.0, 0.0)):
        limits = replace(joint.limits, lower=lower, upper=upper)
        limited = replace(model, joints=(replace(joint, limits=limits),))
        inspection = inspect_robot(limited)
        assert inspection.as_json()['zero'].tolist() == [zero]
        load = inspection.loads['swing']
        assert load.at_zero == pytest.approx(LARGEST * np.sin(zero), abs=1e-12)


def test_the_load_of_a_pendulum():
    """g = m g l sin(q): its largest magnitude is m g l, at a right angle."""
    (load,) = gravity_loads(SampledPoses.of(hand_written('pendulum').model)).values()
    assert load.at_zero == pytest.approx(0.0, abs=1e-12)
    assert abs(load.worst) == pytest.approx(LARGEST, rel=1e-4)
    assert np.abs(load.worst_at) == pytest.approx(np.pi / 2, abs=0.02)
    assert load.worst == pytest.approx(LARGEST * np.sin(load.worst_at[0]))
    assert load.used == pytest.approx(abs(load.worst) / 20.0)
    assert load.beyond == 0.0


@pytest.mark.parametrize(
    ('limit', 'beyond', 'severity'),
    # |sin q| > 1/2 holds for two thirds of all angles. What is not positive is no limit.
    [(0.5, 2.0 / 3.0, 'warning'), (0.95, 0.2, 'info'), *((x, 0, None) for x in (1.05, 0, -5))],
)
def test_poses_beyond_the_limit_are_counted(limit, beyond, severity):
    model = with_effort(hand_written('pendulum').model, limit * LARGEST)
    (load,) = gravity_loads(SampledPoses.of(model)).values()
    assert load.beyond == pytest.approx(beyond, abs=0.05)
    assert np.isnan(load.used) == (limit <= 0.0)
    found = [f for f in inspect_robot(model).findings if f.code == 'gravity_exceeds_effort']
    assert [(f.link, f.joints, f.severity) for f in found] == (
        [('rod', ('swing',), severity)] if severity else []
    )


def test_an_arm_that_is_held_at_no_pose_is_an_error():
    """With a thousandth of the torque that it needs, as of masses in grams; 0 is no limit."""
    for limit, errors in (300.0, []), (1e-3, ['gravity_exceeds_effort']), (0.0, []):
        found = inspect_robot(with_effort(hand_written('tree').model, limit)).findings
        assert [each.code for each in found if each.severity == 'error'] == errors


@pytest.mark.parametrize('name', ['oblique', 'tree', 'mimic'])
def test_the_margin_is_that_of_each_pose(name):
    model = with_effort(hand_written(name).model, 300.0)
    poses = SampledPoses.of(model, 21)
    frame = model.frames[-1].name
    dynamics, found = RobotDynamics(model, backend='python'), payload_margin(poses, frame)
    margins = dynamics.payload_margin(poses.q, frame)
    assert found.at_zero == pytest.approx(margins[0], rel=1e-9)
    assert found.least == pytest.approx(margins.min(), rel=1e-9)
    assert found.median == pytest.approx(np.sort(margins)[11], rel=1e-9)
    assert found.holding == np.mean(margins >= 0.0)
    assert dynamics.payload_margin(found.least_at, frame) == pytest.approx(found.least, rel=1e-9)


def test_the_margin_of_a_link_that_no_joint_lifts_is_infinite():
    model = hand_written('pendulum').model
    assert inspect_robot(model, 'base').margin.least == np.inf
    with pytest.raises(UnknownNameError, match='rod'):
        inspect_robot(model, 'hand')
