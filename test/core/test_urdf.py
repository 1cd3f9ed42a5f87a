"""From the text of a URDF to the model: what is read, and what is refused by its name."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.examples import (
    EXAMPLES,
    MOTIONLESS_EXAMPLES,
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


MIMICRY = robot('a-b', 'b-c', links='abc', extra='<mimic joint="a-b"/>')
NO_TREES = {
    'two roots': (robot('a-b', 'b-c'), 'a, d'),
    'no root': (robot('a-b', 'b-c', 'c-a', links='abc'), 'loop'),
    'a loop': (robot('b-c', 'c-d', 'd-b'), 'b, c, d'),
    'a loop of one': (robot('a-b', 'c-c', links='abc'), 'loop: c'),
    'two parents': (robot('a-b', 'a-c', 'c-b', links='abc'), "'b'"),
    'no parent': (robot('a-b', 'x-c', links='abc'), "'x-c'.*'x'"),
    'no child': (robot('a-b', 'b-x', links='ab'), "'b-x'.*'x'"),
    'two links': (robot('a-b', 'a-c', links='abcb'), r'link.*\bb\b'),
    'two joints': (robot('a-b', 'a-c', links='abc').replace('"a-c"', '"a-b"'), 'joint.*a-b'),
    'its own mimic': (robot('a-b', links='ab', extra='<mimic joint="a-b"/>'), "'a-b' mimics"),
    'a loop of mimics': (MIMICRY.replace('c joint="a-b"', 'c joint="b-c"', 1), "'a-b' mimics"),
}


@pytest.mark.parametrize(('text', 'named'), NO_TREES.values(), ids=NO_TREES)
def test_what_is_no_tree_is_refused(text, named):
    with pytest.raises(TopologyError, match=named):
        parse_urdf(text)


def test_parents_come_before_children_and_siblings_in_the_order_of_the_text():
    model = hand_written('tree').model
    assert model.joint_names == (
        'waist', 'left_slide', 'left_wrist', 'left_finger', 'right_shoulder', 'leg',
    )  # fmt: skip
    assert [joint.parent for joint in model.joints] == [-1, 0, 1, 1, 0, -1]


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
    with pytest.raises(UrdfError, match=r'quat_xyzw .*1\.1'):
        parse_urdf(text.replace(' version="1.1"', ''))


@pytest.mark.parametrize(
    'rpy', ['0.3 1.5707963267948966 -0.2', '3 -1.5707963267948966 1', '0 0 0']
)
def test_a_quaternion_keeps_its_digits_where_the_axes_of_roll_and_yaw_are_one(rpy):
    text = robot('a-b', links='ab', extra=f'<origin rpy="{rpy}"/>')
    one, other = (parse_urdf(each).joints[0].placement for each in (text, in_quaternions(text)))
    assert_close(other.rotation, one.rotation)


def test_limits_damping_and_friction_are_read():
    swing = hand_written('pendulum').model.joints[0]
    assert swing.limits == Limits(lower=-3.1, upper=3.1, velocity=8.0, effort=20.0)
    assert (swing.damping, swing.friction) == (0.3, 0.05)
    # Exporters write the largest double.
    text = URDF.replace('upper="3.1"', 'upper="1.79769e+308"').replace('"1.7"', '" +17e-1 "')
    assert parse_urdf(text).joints[0].limits.upper == 1.79769e308
    spin = parse_urdf(URDF.replace('revolute', 'continuous')).joints[0]
    assert spin.limits == Limits(lower=-np.inf, upper=np.inf, velocity=8.0, effort=20.0)
    assert parse_urdf(robot('a-b', links='ab')).joints[0].limits == Limits()


def test_axis_is_normalised_and_x_by_default():
    assert parse_urdf(robot('a-b', links='ab')).joints[0].axis == (1.0, 0.0, 0.0)
    for axis in ('0 3 4', '0 3e-90 4e-90', '0 3e99 4e99'):
        text = robot('a-b', links='ab', extra=f'<axis xyz="{axis}"/>')
        assert_close(parse_urdf(text).joints[0].axis, [0.0, 0.6, 0.8])


def test_a_mimic_joint_of_a_missing_joint_is_independent():
    text = robot('a-b', links='ab', extra='<mimic joint="gone" multiplier="2"/>')
    assert parse_urdf(text).joint_names == ('a-b',)


def test_moving_bodies_without_mass_are_findings():
    (finding,) = hand_written('massless_tip').model.findings
    assert (finding.link, finding.code) == ('needle', 'massless_body')
    with pytest.raises(InertiaError, match='needle'):
        parse_urdf(hand_written('massless_tip').text, strict=True)


# Refused before a tree is looked for.

URDF = hand_written('pendulum').text
ORIGIN, AXIS = '<origin xyz="0.1 0.2 1.0"/>', '<axis xyz="0 1 0"/>'
# What is replaced by what in a good URDF of version 1.1, and what the message names.
BAD_EDITS = {
    'no type': ('type="revolute"', '', "'swing'"),
    'unknown type': ('type="revolute"', 'type="ball"', "'swing'.*'ball'"),
    'zero axis': ('0 1 0', '0 -0 0.0', "'swing'.*axis.*0 -0 0"),
    'vanishing axis': ('0 1 0', '0 1e-320 0', "'swing'.*axis"),
    'axis of words': ('0 1 0', 'x y z', "'swing'.*axis xyz"),
    'axis without xyz': ('axis xyz="0 1 0"', 'axis', "'swing'.*<axis>.*'xyz'"),
    'a turned axis': (AXIS, '<axis xyz="0 1 0" rpy="0 0 1"/>', "'swing'.*'rpy'"),
    'two turns': (ORIGIN, '<origin quat_xyzw="0 0 0 1" rpy="0 0 0"/>', 'swing.*quat_xyzw .*rpy'),
    'no turn': (ORIGIN, '<origin quat_xyzw="0 0 0 0"/>', 'swing.*quat_xyzw .*0 0 0 0'),
    'half a turn': (ORIGIN, '<origin quat_xyzw="0 0 1"/>', 'swing.*quat_xyzw .*0 0 1'),
    'another order': (ORIGIN, '<origin quat_wxyz="1 0 0 0"/>', "swing.*'quat_wxyz'"),
    'negative mass': ('"1.7"', '"-1.7"', "'rod'.*-1.7"),
    'mass of NaN': ('"1.7"', '"nan"', "'rod'.*mass value"),
    'decimal comma': ('"1.7"', '"1,7"', "'rod'"),
    'other script': ('"1.7"', '"٣"', "'rod'"),
    'mass without value': ('<mass value="1.7"/>', '<mass/>', "'rod'.*'value'"),
    'no mass': ('<mass value="1.7"/>', '', "'rod'.*<mass"),
    'two masses': ('<mass', '<mass value="1"/><mass', "'rod'.*<mass>"),
    'inertia in words': ('iyz="0"', 'iyz="o"', "'rod'.*inertia iyz"),
    'no izz': ('izz="0.02"', '', "'rod'.*<inertia>.*'izz'"),
    'infinite origin': ('0.1 0.2 1.0', '0.1 inf 1', "'swing'.*origin xyz"),
    'limit in words': ('upper="3.1"', 'upper="pi"', "'swing'.*limit upper.*'pi'"),
    'no parent': ('<parent link="base"/>', '', "'swing'.*<parent"),
    'a misspelt axis': ('<axis', '<Axis', "'swing'.*'Axis'.*'axis'"),
    'a misspelt effort': ('effort=', 'efort=', "'swing'.*'efort'.*'effort'"),
    'a misspelt ratio': (AXIS, AXIS + '<mimic joint="x" multiplyer="-1"/>', "'multiplyer'"),
    'a misspelt joint': ('</robot>', '<jont/></robot>', "'jont'.*'joint'"),
    'two products': ('izz=', 'iyx="1" izz=', "'rod'.*'iyx'"),
    'dashes in a comment': ('</robot>', '<!-- a\n -- b --></robot>', 'line [0-9]+.* comment'),
    'nameless link': ('<link name="base"/>', '<link/>', '<link>.*name'),
    'nameless joint': ('joint name="swing"', 'joint', '<joint>.*name'),
    'cut off': ('</robot>', '', 'XML'),
}


@pytest.mark.parametrize(('old', 'new', 'named'), BAD_EDITS.values(), ids=BAD_EDITS)
def test_bad_element_is_named(old, new, named):
    text = URDF.replace('<robot', '<robot version="1.1"')
    assert old in text
    with pytest.raises(UrdfError, match=named):
        parse_urdf(text.replace(old, new, 1))


# What urdfdom and Pinocchio take, or drop without a word: one robot, whatever is written.
IN_FRONT = '\n \ufeff<?xml version="1.0" encoding="latin-1"?><robot'
PLUGIN = '<gazebo><sensor:camera/><plugin filename="lib${ARCH}.so" topic="${x}"/></gazebo>'
ODD_EDITS = {
    'blanks before the declaration': ('<robot', IN_FRONT),
    'a default namespace': ('<robot', '<robot xmlns="http://drake.mit.edu"'),
    'a prefix without namespace': ('</robot>', PLUGIN + '</robot>'),
    'a material of xacro': (
        '<inertial>',
        '<visual><material name="${mat}"/></visual><inertial>',
    ),
    'a value for xacro': ('</robot>', '<xacro:property name="x" value="1"/></robot>'),
    'no name': ('<robot name="pendulum">', '<robot>'),
    'a full inertia': ('izz=', 'iyx="0.0" izx="0" izy="0" izz='),
    'no products of inertia': ('iyz="0"', ''),
    'a line break behind a number': ('"1.7"', '"1.7&#10;"'),
    'an axis without a turn': (AXIS, '<axis xyz="0 1 0" rpy="0 0 0"/>'),
}


@pytest.mark.parametrize(('old', 'new'), ODD_EDITS.values(), ids=ODD_EDITS)
def test_what_is_odd_and_means_one_thing_is_read_and_agrees_with_pinocchio(old, new):
    assert old in URDF
    text = URDF[URDF.index('<robot') :].replace(old, new, 1)
    model = parse_urdf(text)
    assert model.joints == hand_written('pendulum').model.joints
    dynamics = RobotDynamics(model, backend='python')
    pytest.importorskip('pinocchio')
    assert PinocchioReference(text, model).compare(dynamics).agrees


@pytest.mark.parametrize(('kind', 'way_out'), [('floating', 'fixed'), ('planar', 'prismatic')])
def test_joints_without_one_coordinate_are_refused_with_a_way_out(kind, way_out):
    with pytest.raises(TopologyError, match=f"joint 'swing' is {kind}: .*{way_out}"):
        parse_urdf(URDF.replace('revolute', kind))


@pytest.mark.parametrize(
    ('text', 'part'),
    [
        (' \n', 'empty'),
        ('/home/robot/arm.urdf', 'arm.urdf. looks like a file'),
        ('<robot>.urdf', 'XML'),
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


# For a parser that hangs: refusing takes a millisecond, expanding minutes and gigabytes.
@pytest.mark.timeout(5)
@pytest.mark.parametrize(
    'text',
    [
        BOMB,
        '<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>',
        '<!DOCTYPE robot SYSTEM "http://192.0.2.1/robot.dtd"><robot name="x"/>',
        '<!DOCTYPE robot [<!ENTITY % x SYSTEM "http://192.0.2.1/x">%x;]><robot name="x"/>',
    ],
    ids=['bomb', 'file', 'external DTD', 'parameter entity'],
)
def test_entities_are_refused_at_once(text):
    with pytest.raises(UrdfError, match='<!DOCTYPE'):
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
