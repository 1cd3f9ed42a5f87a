"""From the text of a URDF to the model: what is read, and what is refused by its name."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import (
    EXAMPLES,
    MOTIONLESS_EXAMPLES,
    MOVING_EXAMPLES,
    REFUSED_EXAMPLES,
    needs_examples,
)
from mechanics.robots import hand_written, in_quaternions

from robot_dynamics_ros.core import (
    InertiaError,
    Limits,
    RobotDynamics,
    TopologyError,
    UrdfError,
    parse_urdf,
)
from robot_dynamics_ros.core.spatial import rotation_from_rpy
from robot_dynamics_ros.oracle.pinocchio_reference import PinocchioReference

pytestmark = pytest.mark.contract

BODY = (
    '<inertial><mass value="1"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)


def robot(*joints, links='abcd', body=BODY, kind='revolute', extra=''):
    """A robot of joints such as 'a-b', which are their names too."""
    text = ''.join(f'<link name="{name}">{body}</link>' for name in links)
    for joint in joints:
        parent, child = joint.split('-')
        text += (
            f'<joint name="{joint}" type="{kind}"><parent link="{parent}"/>'
            f'<child link="{child}"/>{extra}</joint>'
        )
    return f'<robot name="r">{text}</robot>'


@pytest.mark.parametrize(
    ('text', 'parts'),
    [
        (robot('a-b', 'b-c'), ['the root', 'a, d']),
        (robot('a-b', 'b-c', 'c-a', links='abc'), ['the root', 'loop']),
        (robot('b-c', 'c-d', 'd-b'), ['loop: b, c, d']),
        (robot('a-b', 'c-c', links='abc'), ['loop: c']),
        (robot('a-b', 'a-c', 'c-b', links='abc'), ["'b'", 'two joints']),
        (robot('a-b', 'x-c', links='abc'), ["joint 'x-c'", "parent link 'x'", 'does not exist']),
        (robot('a-b', 'b-x', links='ab'), ["joint 'b-x'", "child link 'x'", 'does not exist']),
        (robot('a-b', 'a-c', links='abcb'), ['link names', 'b']),
        (
            robot('a-b', 'a-c', links='abc').replace('"a-c"', '"a-b"'),
            ['joint names', 'a-b'],
        ),
        (robot('a-b', links='ab', extra='<mimic joint="a-b"/>'), ["'a-b' mimics itself"]),
        (
            robot('a-b', 'b-c', links='abc', extra='<mimic joint="a-b"/>').replace(
                '<mimic joint="a-b"/>', '<mimic joint="b-c"/>', 1
            ),
            ["'a-b' mimics itself"],
        ),
    ],
)
def test_what_is_no_tree_is_refused(text, parts):
    with pytest.raises(TopologyError) as caught:
        parse_urdf(text)
    for part in parts:
        assert part in str(caught.value)


def test_parents_come_before_children_and_siblings_in_the_order_of_the_text():
    model = hand_written('tree').model
    assert model.joint_names == (
        'waist', 'left_slide', 'left_wrist', 'left_finger', 'right_shoulder', 'leg',
    )  # fmt: skip
    assert [joint.parent for joint in model.joints] == [-1, 0, 1, 1, 0, -1]


def test_fixed_bodies_are_merged_with_mass_and_inertia():
    """The arm of fixed_links carries a motor, its forearm a tool and a tip."""
    model = hand_written('fixed_links').model
    assert model.joint_names == ('shoulder', 'elbow')
    arm, forearm = model.joints
    assert_close(arm.inertia.mass, 5.0 + 1.2)
    motor = np.array([0.4, 0.05, 0.0]) + np.array(rotation_from_rpy(0.4, -0.3, 1.2)) @ [
        0.01, 0.02, 0.03,
    ]  # fmt: skip
    assert_close(arm.inertia.first_moment, 5.0 * np.array([0.2, 0.0, 0.0]) + 1.2 * motor)
    # The forearm and the flange have none of their own.
    assert_close(forearm.inertia.mass, 0.9 + 0.1)


@pytest.mark.parametrize('name', ['oblique', 'fixed_links', 'tree'])
def test_quaternions_are_read_as_rpy_is(name):
    text, expected = in_quaternions(hand_written(name).text), hand_written(name).python
    assert 'rpy' not in text
    dynamics = RobotDynamics(parse_urdf(text), backend='python')
    for q, v, _, _ in hand_written(name).states(3):
        assert_close(dynamics.mass_matrix(q), expected.mass_matrix(q))
        assert_close(dynamics.coriolis_matrix(q, v), expected.coriolis_matrix(q, v))
        assert_close(dynamics.gravity_torque(q), expected.gravity_torque(q))
    pytest.importorskip('pinocchio')
    assert PinocchioReference(text, dynamics.model).compare(dynamics).agrees


@pytest.mark.parametrize(
    'rpy', ['0.3 1.5707963267948966 -0.2', '3 -1.5707963267948966 1', '0 0 0']
)
def test_a_quaternion_keeps_its_digits_where_the_axes_of_roll_and_yaw_are_one(rpy):
    text = robot('a-b', links='ab', extra=f'<origin rpy="{rpy}"/>')
    one, other = (parse_urdf(each).joints[0].placement for each in (text, in_quaternions(text)))
    assert_close(other.rotation, one.rotation)


@pytest.mark.parametrize(
    ('extra', 'version', 'words'),
    [
        ('<origin quat_xyzw="0 0 0 1"/>', '1.0', 'quat_xyzw .*1.1'),
        ('<origin quat_xyzw="0 0 0 1" rpy="0 0 0"/>', '1.1', 'a-b.* quat_xyzw .*rpy'),
        ('<origin quat_xyzw="0 0 0 0"/>', '1.1', 'a-b.* quat_xyzw .*0 0 0 0'),
        ('<origin quat_xyzw="0 0 1"/>', '1.1', 'a-b.* quat_xyzw .*0 0 1'),
        ('<origin quat_wxyz="1 0 0 0"/>', '1.1', "a-b.* 'quat_wxyz'"),
        ('<axis xyz="0 0 1" rpy="0 0 1"/>', '1.1', "a-b.* 'rpy'"),
    ],
)
def test_an_orientation_that_would_be_lost_is_refused_by_name(extra, version, words):
    text = robot('a-b', links='ab', extra=extra).replace('<robot', f'<robot version="{version}"')
    with pytest.raises(UrdfError, match=words):
        parse_urdf(text)


def test_limits_damping_and_friction_are_read():
    swing = hand_written('pendulum').model.joints[0]
    assert swing.limits == Limits(lower=-3.1, upper=3.1, velocity=8.0, effort=20.0)
    assert (swing.damping, swing.friction) == (0.3, 0.05)
    # Exporters write the largest double.
    text = URDF.replace('upper="3.1"', 'upper="1.79769e+308"').replace('"1.7"', '" +17e-1 "')
    assert parse_urdf(text).joints[0].limits.upper == 1.79769e308
    spin = hand_written('wheel').model.joints[0]
    assert (spin.limits.lower, spin.limits.upper) == (-np.inf, np.inf)
    assert (spin.limits.velocity, spin.limits.effort) == (50.0, 3.0)
    assert parse_urdf(robot('a-b', links='ab')).joints[0].limits == Limits()


def test_axis_is_normalised_and_x_by_default():
    assert parse_urdf(robot('a-b', links='ab')).joints[0].axis == (1.0, 0.0, 0.0)
    for axis in ('0 3 4', '0 3e-90 4e-90', '0 3e99 4e99'):
        text = robot('a-b', links='ab', extra=f'<axis xyz="{axis}"/>')
        assert_close(parse_urdf(text).joints[0].axis, [0.0, 0.6, 0.8])


def test_a_mimic_joint_reads_the_coordinate_that_it_mimics():
    model = hand_written('mimic').model
    assert model.joint_names == ('wrist', 'finger')
    coordinates = {
        joint.name: (joint.mimicked, joint.coordinate.multiplier, joint.coordinate.offset)
        for joint in model.joints
    }
    assert coordinates['finger'] == (None, 1.0, 0.0)
    assert coordinates['knuckle'] == ('finger', -1.5, 0.2)
    assert coordinates['fingertip'] == ('finger', 0.5 * -1.5, 0.5 * 0.2 - 0.1)
    assert coordinates['opposing'] == ('finger', 0.07, 0.0)


def test_moving_bodies_without_mass_are_findings():
    for name, link in (('massless_link', 'cross'), ('massless_tip', 'needle')):
        (finding,) = hand_written(name).model.findings
        assert (finding.link, finding.code) == (link, 'massless_body')
    with pytest.raises(InertiaError, match='needle'):
        parse_urdf(hand_written('massless_tip').text, strict=True)


def test_a_mimic_joint_of_a_missing_joint_is_independent_and_a_finding():
    text = robot('a-b', links='ab', extra='<mimic joint="gone" multiplier="2"/>')
    model = parse_urdf(text)
    assert model.joint_names == ('a-b',)
    (finding,) = model.findings
    assert (finding.link, finding.value) == ('b', "mimic joint='gone'")


# Refused before a tree is looked for.

URDF = hand_written('pendulum').text

# What is replaced by what in a good URDF, and what the message names.
BAD_EDITS = {
    'no type': ('type="revolute"', '', ["'swing'"]),
    'unknown type': ('type="revolute"', 'type="ball"', ["joint 'swing'", "'ball'"]),
    'zero axis': ('0 1 0', '0 -0 0.0', ["'swing'", 'axis', '0 -0 0']),
    'vanishing axis': ('0 1 0', '0 1e-320 0', ["'swing'", 'axis']),
    'axis of two': ('0 1 0', '0 1', ["'swing'", 'axis xyz', "'0 1'"]),
    'axis of words': ('0 1 0', 'x y z', ["'swing'", 'axis xyz']),
    'axis without xyz': ('axis xyz="0 1 0"', 'axis', ["'swing'", '<axis>', "'xyz'"]),
    'infinite axis': ('0 1 0', '0 inf 0', ["'swing'", 'axis xyz']),
    'negative mass': ('"1.7"', '"-1.7"', ["link 'rod'", '-1.7 kg']),
    'mass of NaN': ('"1.7"', '"nan"', ["link 'rod'", 'mass value']),
    'huge mass': ('"1.7"', '"1e300"', ["link 'rod'", 'mass value']),
    'decimal comma': ('"1.7"', '"1,7"', ["link 'rod'"]),
    'underscore': ('"1.7"', '"1_7"', ["link 'rod'"]),
    'other script': ('"1.7"', '"٣"', ["link 'rod'"]),
    'empty mass': ('"1.7"', '""', ["link 'rod'", 'mass value']),
    'mass without value': ('<mass value="1.7"/>', '<mass/>', ["link 'rod'", "'value'"]),
    'no mass': ('<mass value="1.7"/>', '', ["link 'rod'", 'no <mass']),
    'two masses': ('<mass', '<mass value="1"/><mass', ["link 'rod'", '2 <mass>']),
    'inertia in words': ('iyz="0"', 'iyz="o"', ["link 'rod'", 'inertia iyz']),
    'no izz': ('izz="0.02"', '', ["link 'rod'", '<inertia>', "'izz'"]),
    'infinite origin': ('0.1 0.2 1.0', '0.1 inf 1', ["'swing'", 'origin xyz']),
    'limit in words': ('upper="3.1"', 'upper="pi"', ["'swing'", 'limit upper', "'pi'"]),
    'no parent': ('<parent link="base"/>', '', ["joint 'swing'", 'no <parent']),
    'parent without link': ('parent link="base"', 'parent', ["'swing'", '<parent>', "'link'"]),
    'nameless link': ('<link name="base"/>', '<link/>', ['<link> has no name']),
    'nameless joint': ('joint name="swing"', 'joint', ['<joint> has no name']),
    'cut off': ('</robot>', '', ['XML']),
}


@pytest.mark.parametrize('case', BAD_EDITS)
def test_bad_element_is_named(case):
    old, new, parts = BAD_EDITS[case]
    assert old in URDF
    with pytest.raises(UrdfError) as caught:
        parse_urdf(URDF.replace(old, new, 1))
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(('kind', 'way_out'), [('floating', 'fixed'), ('planar', 'prismatic')])
def test_joints_without_one_coordinate_are_refused_with_a_way_out(kind, way_out):
    with pytest.raises(TopologyError, match=f"joint 'swing' is {kind}: .*{way_out}"):
        parse_urdf(URDF.replace('revolute', kind))


@pytest.mark.parametrize(
    ('text', 'part'),
    [
        (' \n', 'empty'),
        ('/home/robot/arm.urdf', 'arm.urdf. looks like a file'),
        ('<robot>.urdf', 'XML: [^;]*$'),
        ('\0', 'XML'),
        ('<robot name="\ud800"/>', 'XML'),
        ('<sdf/>', '<sdf>'),
        ('<robot name="nobody"/>', 'no <link>'),
        (b'<robot/>', 'bytes'),
    ],
)
def test_what_is_no_robot_is_refused(text, part):
    with pytest.raises(UrdfError, match=part):
        parse_urdf(text)


BOMB = (
    '<!DOCTYPE robot [<!ENTITY a0 "ha">'
    + ''.join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    + ']><robot name="&a11;"><link name="base"/></robot>'
)
QUADRATIC = (
    f'<!DOCTYPE robot [<!ENTITY a "{"x" * 10**5}">]>'
    f'<robot name="{"&a;" * 10**4}"><link name="base"/></robot>'
)


# For a parser that hangs: refusing takes a millisecond, expanding minutes and gigabytes.
@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    'text',
    [
        BOMB,
        QUADRATIC,
        '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>',
        '<!DOCTYPE robot [<!ENTITY x SYSTEM "http://192.0.2.1/x">]><robot name="&x;"/>',
        '<!DOCTYPE robot SYSTEM "http://192.0.2.1/robot.dtd"><robot name="x"/>',
        '<!DOCTYPE robot [<!ENTITY % x SYSTEM "http://192.0.2.1/x">%x;]><robot name="x"/>',
    ],
    ids=['bomb', 'quadratic', 'file', 'network', 'external DTD', 'parameter entity'],
)
def test_entities_are_refused_at_once(text):
    message = 'refused.*<!DOCTYPE'
    with pytest.raises(UrdfError, match=message):
        parse_urdf(text)


def test_what_dynamics_does_not_need_is_ignored():
    """Visuals, materials, transmissions, sensors, even broken ones, and namespaces."""
    clutter = (
        '<visual><geometry><mesh/></geometry><material/></visual><collision name="x"/></link>'
        '<material/><transmission name="t"/><sensor/><gazebo reference="nothing"/>'
    )
    text = URDF.replace('</link>', clutter, 1).replace(
        '<robot name="pendulum">', '<robot xmlns:xacro="http://ros.org/wiki/xacro" version="1.1">'
    )
    assert parse_urdf(text).joints == hand_written('pendulum').model.joints


# Every URDF of example-robot-data.


@needs_examples
@pytest.mark.parametrize('robot', EXAMPLES, ids=str)
def test_parsing_prints_nothing(robot, capfd):
    if robot.name in REFUSED_EXAMPLES:
        with pytest.raises(UrdfError, match=REFUSED_EXAMPLES[robot.name]):
            parse_urdf(robot.text)
    else:
        assert (parse_urdf(robot.text).size > 0) == (robot.name not in MOTIONLESS_EXAMPLES)
    assert capfd.readouterr() == ('', '')


@pytest.mark.parametrize('robot', MOVING_EXAMPLES, ids=str)
def test_findings_are_complete_and_strict_turns_them_into_an_error(robot):
    findings = robot.model.findings
    for finding in findings:
        assert all((finding.link, finding.problem, finding.value, finding.advice))
        assert f'name="{finding.link}"' in robot.text
    if findings:
        with pytest.raises(InertiaError) as caught:
            parse_urdf(robot.text, strict=True)
        assert all(str(finding) in str(caught.value) for finding in findings)
