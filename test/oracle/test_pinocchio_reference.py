"""Pinocchio agrees with us on every robot, and a wrong model is found out."""

from dataclasses import replace

import numpy as np
import pytest
from compared import QUANTITIES
from mechanics.examples import (
    MOTIONLESS_EXAMPLES,
    REFUSED_EXAMPLES,
    example,
)
from mechanics.robots import HAND_WRITTEN, hand_written, random_state

from robot_dynamics_ros.core import (
    OracleDisagreement,
    OracleError,
    OracleUnavailable,
    RobotDynamics,
    RobotModel,
    TopologyError,
    UrdfError,
    parse_urdf,
)
from robot_dynamics_ros.core.model.sampling import random_states
from robot_dynamics_ros.core.spatial import Inertia

pytest.importorskip('pinocchio', reason='Pinocchio is not installed')

from robot_dynamics_ros.oracle import pinocchio_reference
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

pytestmark = pytest.mark.contract

# Robots without anything to compare, and why.
NOT_COMPARED = dict.fromkeys(MOTIONLESS_EXAMPLES, (TopologyError, 'no moving joint')) | {
    name: (UrdfError, reason) for name, reason in REFUSED_EXAMPLES.items()
}


@pytest.mark.parametrize('name', sorted(NOT_COMPARED))
def test_what_is_not_compared_is_refused_with_the_reason(name):
    error, reason = NOT_COMPARED[name]
    with pytest.raises(error, match=reason):
        RobotDynamics(parse_urdf(example(name).text))


@pytest.mark.parametrize('gravity', [(0.0, 0.0, 0.0), (3.0, -2.0, 5.0)])
def test_the_comparison_is_under_our_gravity(gravity):
    robot = hand_written('tree')
    dynamics = RobotDynamics(robot.model, gravity=gravity, backend='python')
    PinocchioReference(robot.text, robot.model).compare(dynamics).raise_on_disagreement()


def test_it_agrees_far_outside_the_limits():
    robot = example('ur_description/urdf/ur5_robot.urdf')
    random = np.random.default_rng(0)
    states = [random_state(robot.model, random) for _ in range(100)]
    report = PinocchioReference(robot.text, robot.model).compare(robot.native, states)
    report.raise_on_disagreement()
    assert tuple(comparison.quantity for comparison in report.comparisons) == QUANTITIES
    assert (report.agrees, report.samples) == (True, 100)


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
    class Broken:
        def __init__(self, dynamics):
            self._dynamics = dynamics

        def __getattr__(self, name):
            return getattr(self._dynamics, name)

        def mass_matrix(self, q):
            return np.nan * self._dynamics.mass_matrix(q)

    robot = hand_written('oblique')
    report = PinocchioReference(robot.text, robot.model).compare(Broken(robot.python))
    assert not report.agrees


def test_joints_are_matched_by_name():
    """Pinocchio orders siblings by name, we by the text."""
    robot = hand_written('tree')
    pinocchio_order = list(pinocchio_reference.pinocchio.buildModelFromXML(robot.text).names)[1:]
    assert pinocchio_order != list(robot.model.joint_names)
    PinocchioReference(robot.text, robot.model).compare(robot.python).raise_on_disagreement()


def test_another_robot_is_refused_by_the_names_of_its_joints():
    with pytest.raises(OracleUnavailable, match=r'finger.*wrist'):
        PinocchioReference(hand_written('mimic').text, hand_written('pendulum').model)
    two_roots = '<robot name="x"><link name="a"/><link name="b"/></robot>'
    with pytest.raises(OracleUnavailable):
        PinocchioReference(two_roots, hand_written('pendulum').model)


@pytest.mark.parametrize(
    'limit',
    ['<limit lower="-1" upper="1" velocity="2"/>', '<limit lower="-1" upper="1"/>', ''],
    ids=['effort', 'both', 'element'],
)
@pytest.mark.parametrize('kind', ['revolute', 'prismatic'])
def test_limits_that_are_missing_do_not_matter_to_the_comparison(kind, limit):
    """Pinocchio's parser needs them, `parse_urdf` counts the joint as unlimited."""
    text = f"""<robot name="exported"><link name="base"/><link name="arm"><inertial>
        <origin xyz="0.2 0 0.1"/><mass value="2"/>
        <inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0.01" ixz="0" iyz="0"/></inertial></link>
        <joint name="lift" type="{kind}"><parent link="base"/><child link="arm"/>
        <axis xyz="0 1 0"/>{limit}</joint></robot>"""
    model = parse_urdf(text)
    dynamics = RobotDynamics(model, gravity=(1.0, 2.0, -9.0), backend='python')
    PinocchioReference(text, model).compare(dynamics).raise_on_disagreement()
    other = RobotDynamics(
        wrong(model, axis=(0.0, -1.0, 0.0)), gravity=(1.0, 2.0, -9.0), backend='python'
    )
    assert not PinocchioReference(text, model).compare(other).agrees


def test_without_pinocchio_the_oracle_is_unavailable(monkeypatch):
    monkeypatch.setattr(pinocchio_reference, 'pinocchio', None)
    robot = hand_written('pendulum')
    with pytest.raises(OracleUnavailable, match='Pinocchio'):
        PinocchioReference(robot.text, robot.model)
    assert issubclass(OracleUnavailable, OracleError)


# Payloads and rotors.

GRAVITY = (1.0, -2.0, -9.0)
TCP = [[0.0, -1.0, 0.0, 0.1], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, -0.2], [0.0, 0.0, 0.0, 1.0]]
MASS, COM = 1.7, (0.03, -0.08, 0.15)
INERTIA = ((0.011, 0.001, -0.002), (0.001, 0.014, 0.0005), (-0.002, 0.0005, 0.009))


def rotors(model):
    """Another one for each joint, mimic joints included."""
    return {joint.name: 0.1 * (index + 1) for index, joint in enumerate(model.joints)}


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_a_payload_on_any_link_and_rotors_in_all_joints(robot):
    """Links that are fixed to others and links that mimic joints move are among them."""
    for frame in [frame.name for frame in robot.model.frames if frame.body >= 0]:
        loaded = robot.model.with_payload(frame, MASS, COM, INERTIA)
        model = loaded.with_armature(rotors(robot.model))
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
