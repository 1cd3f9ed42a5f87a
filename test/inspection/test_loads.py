"""Gravity torque and payload margin over sampled poses: those of the compiled dynamics."""

from dataclasses import replace

import numpy as np
import pytest
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import RobotDynamics, UnknownNameError
from robot_dynamics_ros.inspection import inspect_robot
from robot_dynamics_ros.inspection.loads import SampledPoses, gravity_loads, payload_margin

MASS, LEVER, GRAVITY = 1.7, 0.4, 9.81


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


def test_poses_keep_the_limits():
    model = hand_written('pendulum').model
    q = SampledPoses.of(model, 500).q
    assert np.all((model.lower <= q) & (q <= model.upper))
    assert np.ptp(q) > 0.9 * (model.upper - model.lower)[0]


def test_the_load_of_a_pendulum():
    """g = m g l sin(q): its largest magnitude is m g l, at a right angle."""
    (load,) = gravity_loads(SampledPoses.of(hand_written('pendulum').model)).values()
    assert load.at_zero == pytest.approx(0.0, abs=1e-12)
    assert abs(load.worst) == pytest.approx(MASS * GRAVITY * LEVER, rel=1e-4)
    assert np.abs(load.worst_at) == pytest.approx(np.pi / 2, abs=0.02)
    assert load.worst == pytest.approx(MASS * GRAVITY * LEVER * np.sin(load.worst_at[0]))
    assert load.used == pytest.approx(abs(load.worst) / 20.0)
    assert load.beyond == 0.0


def test_poses_beyond_the_limit_are_counted():
    """|sin q| > 1/2 holds for two thirds of all angles."""
    limit = MASS * GRAVITY * LEVER / 2.0
    model = with_effort(hand_written('pendulum').model, limit)
    (load,) = gravity_loads(SampledPoses.of(model)).values()
    assert load.beyond == pytest.approx(2.0 / 3.0, abs=0.05)
    (finding,) = [f for f in inspect_robot(model).findings if f.code == 'gravity_exceeds_effort']
    assert (finding.link, finding.joints, finding.severity) == ('rod', ('swing',), 'warning')
    model = with_effort(model, 1.9 * limit)
    (finding,) = [f for f in inspect_robot(model).findings if f.code == 'gravity_exceeds_effort']
    assert finding.severity == 'info'
    assert finding.value.endswith(' N m')
    # A limit that is not positive counts as none.
    for enough in (-5.0, 0.0, 2.1 * limit, np.inf):
        findings = inspect_robot(with_effort(model, enough)).findings
        assert 'gravity_exceeds_effort' not in {finding.code for finding in findings}


@pytest.mark.parametrize('none', [-5.0, 0.0])
def test_a_limit_that_is_not_positive_counts_as_none(none):
    model = with_effort(hand_written('pendulum').model, none)
    poses = SampledPoses.of(model, 20)
    (load,) = gravity_loads(poses).values()
    assert (load.limit, load.beyond) == (np.inf, 0.0)
    assert np.isnan(load.used)
    margin = payload_margin(poses, model.frames[-1].name)
    assert (margin.least, margin.holding) == (np.inf, 1.0)


@pytest.mark.parametrize('name', ['oblique', 'tree', 'gantry', 'mimic'])
def test_the_margin_is_that_of_each_pose(name):
    model = with_effort(hand_written(name).model, 300.0)
    poses = SampledPoses.of(model, 21)
    frame = model.frames[-1].name
    margins = RobotDynamics(model, backend='python').payload_margin(poses.q, frame)
    found = payload_margin(poses, frame)
    assert found.at_zero == pytest.approx(margins[0], rel=1e-9)
    assert found.least == pytest.approx(margins.min(), rel=1e-9)
    assert found.median == pytest.approx(np.sort(margins)[11], rel=1e-9)
    assert found.holding == np.mean(margins >= 0.0)
    at_worst = RobotDynamics(model, backend='python').payload_margin(found.least_at, frame)
    assert at_worst == pytest.approx(found.least, rel=1e-9)


def test_the_margin_of_a_link_that_no_joint_lifts_is_infinite():
    assert inspect_robot(hand_written('pendulum').model, 'base').margin.least == np.inf


def test_an_unknown_link_is_refused():
    with pytest.raises(UnknownNameError, match='rod'):
        inspect_robot(hand_written('pendulum').model, 'hand')


def test_masses_and_reach():
    model = hand_written('fixed_links').model
    inspection = inspect_robot(model)
    assert inspection.mass == pytest.approx(sum(link.inertia.mass for link in model.links))
    moving = sum(
        link.inertia.mass
        for frame, link in zip(model.frames, model.links, strict=True)
        if frame.body >= 0
    )
    assert inspection.moving_mass == pytest.approx(moving)
