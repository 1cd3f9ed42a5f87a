"""Payloads and rotors: the oracle agrees with the right ones and with no others."""

import pytest
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import RobotDynamics
from robot_dynamics_ros.core.model.sampling import random_states

pytest.importorskip('pinocchio', reason='Pinocchio is not installed')

from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

GRAVITY = (1.0, -2.0, -9.0)
TCP = [[0.0, -1.0, 0.0, 0.1], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, -0.2], [0.0, 0.0, 0.0, 1.0]]
MASS, COM = 1.7, (0.03, -0.08, 0.15)
INERTIA = ((0.011, 0.001, -0.002), (0.001, 0.014, 0.0005), (-0.002, 0.0005, 0.009))
MOVING_FRAMES = [
    (robot, frame.name)
    for robot in HAND_WRITTEN
    for frame in robot.model.frames
    if frame.body >= 0
]


def rotors(model):
    """Another one for each joint, mimic joints included."""
    return {joint.name: 0.1 * (index + 1) for index, joint in enumerate(model.joints)}


@pytest.mark.parametrize(
    ('robot', 'frame'), MOVING_FRAMES, ids=[f'{robot}-{frame}' for robot, frame in MOVING_FRAMES]
)
def test_a_payload_on_any_link_and_rotors_in_all_joints(robot, frame):
    """Links that are fixed to others and links that mimic joints move are among them."""
    model = robot.model.with_payload(frame, MASS, COM, INERTIA).with_armature(rotors(robot.model))
    dynamics = RobotDynamics(model, gravity=GRAVITY, backend='python')
    states = list(random_states(model, 3))
    report = PinocchioReference(robot.text, model).compare(dynamics, states)
    assert report.agrees, report
    for without in (model.without_payload(), model.with_armature(zeros(model))):
        assert not PinocchioReference(robot.text, without).compare(dynamics, states).agrees


def zeros(model):
    return dict.fromkeys((joint.name for joint in model.joints), 0.0)


def test_a_payload_on_a_joint_and_on_an_added_frame():
    robot = hand_written('fixed_links')
    model = robot.model.with_frame('tcp', 'tool', TCP).with_payload('tcp', MASS, COM, INERTIA)
    model = model.with_payload('wrist_plate', 0.4, name='plate')
    assert [payload.frame for payload in model.payloads] == ['tcp', 'flange']
    dynamics = RobotDynamics(model, backend='python')
    report = PinocchioReference(robot.text, model).compare(dynamics)
    assert report.agrees, report
    less = PinocchioReference(robot.text, model.without_payload('plate'))
    assert not less.compare(dynamics).agrees


@pytest.mark.parametrize('change', [{'mass': MASS * (1 + 1e-9)}, {'com': (0.03, -0.08, -0.15)}])
def test_a_wrong_payload_is_found_out(change):
    robot = hand_written('mimic')
    right = {'mass': MASS, 'com': COM, 'inertia': INERTIA}
    model = robot.model.with_payload('distal', **right)
    dynamics = RobotDynamics(robot.model.with_payload('distal', **right | change))
    assert not PinocchioReference(robot.text, model).compare(dynamics).agrees
