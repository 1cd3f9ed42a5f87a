"""Frames, limits and names of a robot, its reach, and states to try."""

import copy
import pickle

import numpy as np
import pytest
from mechanics.examples import example
from mechanics.robots import HAND_WRITTEN, hand_written, with_fixed_link

from robot_dynamics_ros.core import ParameterError, RobotDynamics, UnknownNameError, parse_urdf
from robot_dynamics_ros.core.model.sampling import LARGEST_RATE, position_range, random_states
from robot_dynamics_ros.core.spatial import rotation_from_rpy

pytestmark = pytest.mark.contract


def test_a_joint_stands_for_the_link_to_which_it_leads():
    text = hand_written('fixed_links').text
    model = parse_urdf(text)
    leading = {link.joint: link.name for link in model.links if link.joint}
    assert leading == {
        'bolts': 'plinth', 'shoulder': 'arm', 'motor_mount': 'motor', 'elbow': 'forearm',
        'wrist_plate': 'flange', 'tool_mount': 'tool', 'tip_mount': 'tip',
    }  # fmt: skip
    dynamics, q = RobotDynamics(model), [0.4, -0.7]
    for joint, link in leading.items():
        assert np.array_equal(dynamics.jacobian(q, joint), dynamics.jacobian(q, link))
    assert model.with_payload('tool_mount', 0.1).joints == model.with_payload('tool', 0.1).joints
    assert model.reduced(['elbow'], others=0.0).frame('shoulder').name == 'arm'
    # Of a link and a joint with the same name, the link is meant.
    same = parse_urdf(text.replace('"elbow"', '"tip"'))
    assert same.frame('tip').placement == model.frame('tip').placement


def pose(rpy, xyz):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation_from_rpy(*rpy), xyz
    return matrix


RPY, XYZ = (0.3, -1.1, 0.7), (0.02, -0.1, 0.3)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_another_frame_is_a_fixed_link_without_mass(robot):
    parent = robot.model.frames[-1].name
    origin = '<origin xyz="{} {} {}" rpy="{} {} {}"/>'.format(*XYZ, *RPY)
    loaded = robot.model.with_payload(parent, 0.001)
    one = loaded.with_frame('tcp', parent, pose(RPY, XYZ))
    other = parse_urdf(with_fixed_link(robot.text, 'tcp', parent, origin=origin))
    assert one.frame('tcp') == other.frame('tcp')
    assert (one.joints, one.without_payload().joints) == (loaded.joints, other.joints)
    assert one.reduced(one.joint_names).frame('tcp') == one.frame('tcp')
    com = (0.0, 0.1, 0.0)
    assert one.with_payload('tcp', 0.1, com).joints == other.with_payload('tcp', 0.1, com).joints


@pytest.mark.parametrize(
    ('name', 'parent', 'matrix', 'error', 'named'),
    [
        ('tcp', 'nose', np.eye(4), UnknownNameError, "'nose'"),
        ('tip', 'tool', np.eye(4), ParameterError, "'tip'"),
        ('elbow', 'tool', np.eye(4), ParameterError, "'elbow'"),
        (5, 'tool', np.eye(4), ParameterError, '5'),
        ('tcp', 'tool', np.eye(3), ParameterError, "'tcp'"),
        ('tcp', 'tool', np.full((4, 4), np.nan), ParameterError, "'tcp'"),
        ('tcp', 'tool', 2.0 * np.eye(4), ParameterError, "'tcp'.* 8"),
        ('tcp', 'tool', np.diag([1.0, 1.0, -1.0, 1.0]), ParameterError, "'tcp'.* -1"),
        ('tcp', 'tool', pose(RPY, XYZ).T, ParameterError, "'tcp'"),
    ],
)
def test_what_is_no_new_frame_is_refused(name, parent, matrix, error, named):
    with pytest.raises(error, match=named):
        hand_written('fixed_links').model.with_frame(name, parent, matrix)


def test_reach_is_the_longest_way_to_a_link():
    """0.3 m to the forearm, and on to the tip of the tool, whatever the joints do."""
    model = hand_written('fixed_links').model
    farthest = 0.0
    for q in np.random.default_rng(1).uniform(-np.pi, np.pi, (50, model.size)):
        dynamics = hand_written('fixed_links').python
        origins = [dynamics.frame_pose(q, frame.name)[1] for frame in model.frames]
        farthest = max(farthest, *(float(np.linalg.norm(origin)) for origin in origins))
    assert 0.5 * model.reach < farthest <= model.reach


URDF = """<robot name="r"><link name="base"/><link name="a"/><link name="b"/><link name="c"/>
<link name="d"/>
<joint name="slide" type="prismatic"><parent link="base"/><child link="a"/>
<limit lower="-0.25" upper="0.5" effort="40" velocity="2"/></joint>
<joint name="turn" type="continuous"><parent link="a"/><child link="b"/>
<limit effort="0" velocity="0"/></joint>
<joint name="follow" type="revolute"><parent link="b"/><child link="c"/><mimic joint="turn"/>
<limit lower="-9" upper="9" effort="9" velocity="9"/></joint>
<joint name="free" type="revolute"><parent link="c"/><child link="d"/></joint></robot>"""
VECTORS = {
    'lower': [-0.25, -np.inf, -np.inf],
    'upper': [0.5, np.inf, np.inf],
    'velocity_limits': [2.0, 0.0, np.inf],
    'effort_limits': [40.0, 0.0, np.inf],
    'velocity_bounds': [2.0, np.inf, np.inf],
    'effort_bounds': [40.0, np.inf, np.inf],
}


@pytest.mark.parametrize('name', VECTORS)
def test_limits_are_those_of_the_description_and_cannot_be_written_into(name):
    """Infinite where it gives none; 0 is 0, as a bound none; a mimic joint has no entry."""
    model = parse_urdf(URDF)
    for one in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert getattr(one, name).tolist() == VECTORS[name]
        with pytest.raises(ValueError, match='read-only'):
            getattr(one, name)[0] = 1.0


def test_the_tip_of_an_arm_is_what_carries_its_fingers():
    for name, frame in (
        ('ur_description/urdf/ur5_robot.urdf', 'wrist_3_link'),
        ('panda_description/urdf/panda.urdf', 'panda_link7'),
    ):
        model = example(name).model
        assert model.tip_frame(model.joint_names) == frame


# Random states stay within what the description allows.


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_states_are_within_limits(robot):
    for state in random_states(robot.model, 200):
        assert all(np.isfinite(x).all() for x in (state.q, state.v, state.a))
        for joint, q, v in zip(robot.model.independent_joints, state.q, state.v, strict=True):
            lower, upper = position_range(joint)
            assert max(lower, joint.limits.lower) == lower <= q <= upper
            assert abs(v) <= joint.limits.velocity


@pytest.mark.parametrize(
    ('limit', 'expected'),
    [
        ('lower="2" upper="-1"', (-np.pi, np.pi)),
        ('lower="0" upper="0"', (-np.pi, np.pi)),
        ('lower="-1.79769e308" upper="1.79769e308"', (-np.pi, np.pi)),
    ],
)
def test_limits_that_cannot_be_meant_are_none(limit, expected):
    """A velocity of zero is a placeholder: at rest nothing would be compared."""
    text = hand_written('pendulum').text.replace('lower="-3.1" upper="3.1"', limit)
    model = parse_urdf(text.replace('velocity="8"', 'velocity="0"'))
    assert position_range(model.joints[0]) == expected
    speeds = [abs(state.v[0]) for state in random_states(model, 50)]
    assert 0.5 * LARGEST_RATE < max(speeds) <= LARGEST_RATE
