"""Pinocchio agrees with us on every robot, and a wrong model is found out."""

from dataclasses import replace

import numpy as np
import pytest
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN, LOAD, hand_written

from robot_dynamics_ros.core import (
    OracleDisagreement,
    OracleError,
    OracleUnavailable,
    RobotDynamics,
    RobotModel,
    parse_urdf,
)
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.spatial import Inertia

pytest.importorskip('pinocchio', reason='Pinocchio is not installed')

from robot_dynamics_ros.oracle import pinocchio_reference
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

pytestmark = pytest.mark.contract


@pytest.mark.parametrize('gravity', [(0.0, 0.0, 0.0), (3.0, -2.0, 5.0)])
def test_the_comparison_is_under_our_gravity(gravity):
    robot = hand_written('tree')
    dynamics = RobotDynamics(robot.model, gravity=gravity, backend='python')
    PinocchioReference(robot.text, robot.model).compare(dynamics).raise_on_disagreement()


def heavier(inertia: Inertia) -> Inertia:
    return replace(inertia, mass=inertia.mass * (1.0 + 1e-9))


def turned(inertia: Inertia) -> Inertia:
    x, y, z = inertia.first_moment
    return replace(inertia, first_moment=(x, y, -z))


def wrong(model: RobotModel, **changes) -> RobotModel:
    """The model with its last joint changed."""
    joints = (*model.joints[:-1], replace(model.joints[-1], **changes))
    return replace(model, joints=joints)


@pytest.mark.parametrize(
    'change',
    [
        lambda joint: {'inertia': heavier(joint.inertia)},
        lambda joint: {'inertia': turned(joint.inertia)},
        lambda joint: {'axis': tuple(-x for x in joint.axis)},
        lambda joint: {'parent': joint.parent - 1},
        lambda joint: {'kind': 'prismatic'},
        lambda joint: {'coordinate': replace(joint.coordinate, offset=1e-9)},
    ],
    ids=['mass', 'center', 'axis', 'parent', 'kind', 'offset'],
)
def test_a_wrong_model_is_found_out(change):
    robot = hand_written('oblique')
    model = wrong(robot.model, **change(robot.model.joints[-1]))
    report = PinocchioReference(robot.text, model).compare(RobotDynamics(model, backend='python'))
    assert not report.agrees
    with pytest.raises(OracleDisagreement, match=report.worst.quantity):
        report.raise_on_disagreement()


def test_not_a_number_is_a_disagreement():
    class Broken(FloatDynamics):
        def mass_matrix(self, q):
            return np.full((4, 4), np.nan)

    robot = hand_written('oblique')
    report = PinocchioReference(robot.text, robot.model).compare(Broken(robot.model))
    assert not report.agrees


def test_another_robot_is_refused_by_the_names_of_its_joints():
    with pytest.raises(OracleUnavailable, match=r'finger.*wrist'):
        PinocchioReference(hand_written('mimic').text, hand_written('pendulum').model)
    two_roots = '<robot name="x"><link name="a"/><link name="b"/></robot>'
    with pytest.raises(OracleUnavailable):
        PinocchioReference(two_roots, hand_written('pendulum').model)


@pytest.mark.parametrize('limit', ['<limit lower="-1" upper="1" velocity="2"/>', ''])
@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
def test_limits_that_are_missing_do_not_matter_to_the_comparison(kind, limit):
    """Pinocchio's parser needs them, `parse_urdf` counts the joint as unlimited."""
    text = f"""<robot name="exported"><link name="base"/><link name="arm"><inertial>
        <origin xyz="0.2 0 0.1"/><mass value="2"/>
        <inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0.01" ixz="0" iyz="0"/></inertial></link>
        <joint name="lift" type="{kind}"><parent link="base"/><child link="arm"/>
        <axis xyz="0 1 0"/>{limit}</joint></robot>"""
    right = parse_urdf(text)
    oracle = PinocchioReference(text, right)
    turned = wrong(right, axis=(0.0, -1.0, 0.0))
    for model, agrees in ((right, True), (turned, False)):
        dynamics = RobotDynamics(model, gravity=(1.0, 2.0, -9.0), backend='python')
        assert oracle.compare(dynamics).agrees == agrees


def test_without_pinocchio_the_oracle_is_unavailable(monkeypatch):
    monkeypatch.setattr(pinocchio_reference, 'pinocchio', None)
    robot = hand_written('pendulum')
    with pytest.raises(OracleUnavailable, match='Pinocchio'):
        PinocchioReference(robot.text, robot.model)
    assert issubclass(OracleUnavailable, OracleError)


# Payloads and rotors.

GRAVITY = (1.0, -2.0, -9.0)
TCP = [[0.0, -1.0, 0.0, 0.1], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, -0.2], [0.0, 0.0, 0.0, 1.0]]


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_a_payload_on_any_link_and_rotors_in_all_joints(robot):
    """Links that are fixed to others and links that mimic joints move are among them."""
    for frame in [frame.name for frame in robot.model.frames if frame.body >= 0]:
        loaded = robot.model.with_payload(frame, **LOAD)
        rotors = {joint.name: 0.1 * k for k, joint in enumerate(robot.model.joints, start=1)}
        model = loaded.with_armature(rotors)
        dynamics = RobotDynamics(model, gravity=GRAVITY, backend='python')
        states = list(random_states(model, 3))
        report = PinocchioReference(robot.text, model).compare(dynamics, states)
        assert report.agrees, report
        unmoved = model.with_armature(dict.fromkeys(rotors, 0.0))
        for without in (model.without_payload(), unmoved):
            assert not PinocchioReference(robot.text, without).compare(dynamics, states).agrees


def test_a_payload_on_a_joint_and_on_an_added_frame():
    robot = hand_written('fixed_links')
    model = robot.model.with_frame('tcp', 'tool', TCP).with_payload('tcp', **LOAD)
    model = model.with_payload('wrist_plate', 0.4, name='plate')
    assert [payload.frame for payload in model.payloads] == ['tcp', 'flange']
    dynamics = RobotDynamics(model, backend='python')
    report = PinocchioReference(robot.text, model).compare(dynamics)
    assert report.agrees, report
    less = PinocchioReference(robot.text, model.without_payload('plate'))
    assert not less.compare(dynamics).agrees


# Bases that are far away.

DUMMIES = [('prismatic', '1 0 0'), ('prismatic', '0 1 0'), ('prismatic', '0 0 1')]
DUMMIES += [('revolute', axis) for _, axis in DUMMIES]


def on_dummies(text: str) -> str:
    """The robot behind six joints without mass, with limits of 1000 m and of 1000 rad."""
    root = parse_urdf(text).frames[0].name
    limit = '<limit lower="-1000" upper="1000" velocity="1" effort="0"/>'
    names = [f'dummy{k}' for k in range(len(DUMMIES))] + [root]
    added = ''.join(
        f'<link name="{parent}"/><joint name="to_{child}" type="{kind}"><axis xyz="{axis}"/>'
        f'<parent link="{parent}"/><child link="{child}"/>{limit}</joint>'
        for (kind, axis), parent, child in zip(DUMMIES, names[:-1], names[1:], strict=True)
    )
    return text.replace('</robot>', f'{added}</robot>')


def behind(text: str, kind: str, place: str) -> str:
    """The robot behind a joint with its origin there; a slide is a rail of 1 km."""
    root = parse_urdf(text).frames[0].name
    return text.replace(
        '</robot>',
        f'<link name="far"/><joint name="rail" type="{kind}"><parent link="far"/>'
        f'<child link="{root}"/><origin xyz="{place}"/>'
        '<limit lower="-1000" upper="1000" velocity="1" effort="0"/></joint></robot>',
    )


@pytest.mark.parametrize('name', ['oblique', 'tree', 'fixed_links'])
@pytest.mark.parametrize(
    'farther',
    [
        lambda text: behind(text, 'fixed', '7e3 -7e3 80'),
        lambda text: behind(text, 'prismatic', '0 0 0'),
        on_dummies,
    ],
    ids=['a base at 10 km', 'a rail of 1 km', 'six dummy joints'],
)
def test_a_right_robot_far_from_its_base_agrees_and_a_wrong_one_does_not(name, farther):
    text = farther(hand_written(name).text)
    right = parse_urdf(text)
    tip = right.joints[-1].inertia
    longer = tuple(x * (1.0 + 1e-9) for x in tip.first_moment)
    other = wrong(right, inertia=replace(tip, first_moment=longer))
    oracle = PinocchioReference(text, right)
    for model, agrees in ((right, True), (other, False)):
        assert oracle.compare(RobotDynamics(model, backend='python')).agrees == agrees
    far = list(random_states(right, 5))
    for state in far if right.sliding[0] else ():
        state.q[0] = 1e3
    assert oracle.compare(RobotDynamics(right, backend='python'), far).agrees
