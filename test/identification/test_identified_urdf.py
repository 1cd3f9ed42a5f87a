"""A URDF with identified numbers: its model has them, and its text is otherwise the same."""

import re
from xml.etree.ElementTree import canonicalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanics.robots import HAND_WRITTEN, hand_written, in_quaternions

from robot_dynamics_ros.core import ParameterError, UrdfError, parse_urdf
from robot_dynamics_ros.core.model.inertial_parameters import parameters_of
from robot_dynamics_ros.core.spatial import IDENTITY, Inertia, Transform
from robot_dynamics_ros.identification.identified_urdf import (
    changed_bodies,
    identified_urdf,
)

# What may change: inertials, friction, and the comment in the place of an inertial.
CHANGED = re.compile(
    r'\s*<inertial.*?</inertial\s*>|\s*<!-- inertial: part of.*?-->|\s*<dynamics[^>]*>', re.DOTALL
)
# Rounding of the moments of a body [-], of the largest of its kind.
ROUNDING = 1e-14


def bodies_of(model):
    return {joint.name: joint.inertia for joint in model.joints}


def frictions_of(model):
    return {joint.name: (joint.damping, joint.friction) for joint in model.joints}


def real_body(random, size=1.0):
    """A body of some points: each has a mass, so that its moments are those of a real body."""
    masses, points = size * random.uniform(0.1, 2.0, 6), random.uniform(-0.3, 0.3, (6, 3))
    first, second = masses @ points, (points.T * masses) @ points
    return Inertia(float(masses.sum()), tuple(first.tolist()), tuple(map(tuple, second.tolist())))


def changed_robot(model, seed=7):
    """Other bodies and other friction of every joint."""
    random = np.random.default_rng(seed)
    bodies = {joint.name: real_body(random) for joint in model.joints}
    friction = map(tuple, random.uniform(0.1, 3.0, (len(model.joints), 2)).tolist())
    return bodies, dict(zip(bodies, friction, strict=True))


def assert_close(found, expected):
    for group in (slice(0, 1), slice(1, 4), slice(4, 10)):
        one, other = (np.array(parameters_of(body)[group]) for body in (found, expected))
        assert np.abs(one - other).max() <= ROUNDING * np.abs(parameters_of(expected)).max()


def assert_holds(text, bodies, frictions):
    for joint in parse_urdf(text).joints:
        assert_close(joint.inertia, bodies[joint.name])
        assert (joint.damping, joint.friction) == frictions[joint.name]


def without_numbers(text):
    """The document without what may change, in its canonical form."""
    kept = CHANGED.sub('', re.sub(r'^\ufeff?<\?xml.*?\?>', '', text))
    return canonicalize(kept, strip_text=True, with_comments=True)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_the_model_of_the_text_has_the_parameters_and_the_rest_stays(robot):
    model = robot.model
    same = identified_urdf(robot.text, bodies_of(model), frictions_of(model))
    assert canonicalize(same) == canonicalize(robot.text)
    bodies, frictions = changed_robot(model)
    text = identified_urdf(robot.text, bodies, frictions)
    assert_holds(text, bodies, frictions)
    assert without_numbers(text) == without_numbers(robot.text)
    # What the text says is a fixed point: written again, it stays.
    again = parse_urdf(text)
    assert identified_urdf(text, bodies_of(again), frictions_of(again)) == text


AWKWARD = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- Gr\u00f6\u00dfe: <inertial><mass value="9"/></inertial> of the catalogue -->
<robot name='\u6a5f\u68b0' note="a > b">
\t<link name="base"></link>
\t<link  name = 'l&amp;1' >
\t\t<visual name="&lt;inertial>" />
\t\t{inertial}
\t</link><?note <link name="x"/>?><![CDATA[ <link> ]]>
\t<joint name="j 1" type="continuous"><parent link="base"/><child link="l&amp;1"/>\
<dynamics note='ö damping="1"' friction={friction} spring="3"{damping} /></joint>
\t<link name="bare">{bare}<!-- nothing --></link>
\t<joint name="j2" type="continuous">
\t\t<parent link="l&amp;1"/><child link="bare"/>
\t\t<axis xyz="0 0 1"/>{dynamics}
\t</joint>
\t<gazebo reference="bare"><link name="bare"><inertial><mass value="3"/></inertial></link></gazebo>
\t<ros2_control><joint name="j2"><dynamics damping="8"/></joint></ros2_control>
</robot>
<!-- \U0001f916 -->"""
BEFORE = """<inertial note='>'><mass value="1e0" ></mass>
\t\t\t<inertia izz=".01" ixx="0.01" iyy="1e-2" ixy="0" ixz="0" iyz="0" />
\t\t</inertial >"""


@pytest.mark.parametrize('newline', ['\n', '\r\n'])
@pytest.mark.parametrize('first', ['', '\ufeff'])
def test_comments_names_and_order_stay(newline, first):
    frame = first + AWKWARD.replace('\n', newline)
    text = frame.format(inertial=BEFORE, friction="'0.50'", damping='', bare='', dynamics='')
    bodies, frictions = changed_robot(parse_urdf(text))
    result = identified_urdf(text, bodies, frictions)
    assert_holds(result, bodies, frictions)
    assert without_numbers(result) == without_numbers(text)


def test_a_body_of_several_links_is_given_to_the_first():
    """The links that are fixed to it keep nothing, and say where it is."""
    robot = hand_written('fixed_links')
    body = real_body(np.random.default_rng(3))
    text = identified_urdf(robot.text, {'shoulder': body}, {})
    links = {link.name: link for link in parse_urdf(text).links}
    assert_close(links['arm'].inertia, body)
    assert links['motor'].inertia == Inertia()
    assert text.count("<!-- inertial: part of that of 'arm' -->") == 1
    # Another body, and what is fixed to the base.
    for name in ('tool', 'tip', 'floor', 'plinth'):
        assert links[name].inertia == next(x for x in robot.model.links if x.name == name).inertia


@pytest.mark.parametrize(
    'link',
    ['<link name="tip"/>', '<link name="tip"></link>', '<link name="tip"><!-- - --></link>'],
)
@pytest.mark.parametrize('indent', ['', '\n', '\n\t', '\r\n    '])
def test_a_link_without_an_inertial_gets_one(link, indent):
    links = '<parent link="base"/><child link="tip"/>'
    joint = f'<joint name="j" type="continuous">{indent}{links}</joint>'
    text = f'<robot name="r">{indent}<link name="base"/>{indent}{link}{indent}{joint}</robot>'
    bodies, frictions = changed_robot(parse_urdf(text))
    result = identified_urdf(text, bodies, frictions)
    assert_holds(result, bodies, frictions)
    assert ('<!-- - -->' in link) == ('<!-- - -->' in result)


@given(seed=st.integers(0, 2**32), size=st.floats(1e-6, 1e6), arm=st.floats(0.0, 1e2))
def test_bodies_of_any_size(seed, size, arm):
    """Far from the origin the moments about the centre are small beside those about the joint."""
    robot = hand_written('pendulum')
    body = Transform(IDENTITY, (arm, 0.0, -arm)) @ real_body(np.random.default_rng(seed), size)
    text = identified_urdf(robot.text, {robot.model.joint_names[0]: body}, {})
    assert_close(parse_urdf(text).joints[0].inertia, body)


def test_identified_bodies_have_no_rotation_where_the_urdf_has_a_quaternion():
    robot = hand_written('oblique')
    changed = changed_robot(robot.model)
    assert_holds(identified_urdf(in_quaternions(robot.text), *changed), *changed)


def test_a_payload_is_not_written():
    model = hand_written('pendulum').model
    loaded = model.with_payload(model.frames[-1].name, 0.2, (0.0, 0.1, 0.0))
    assert not changed_bodies(model, loaded, loaded)


def test_what_a_urdf_cannot_hold_is_refused():
    robot = hand_written('pendulum')
    (joint,) = robot.model.joints
    for mass in (-0.3, 0.0):
        body = Inertia(mass, (0.0, 0.1, 0.0), joint.inertia.second_moment)
        with pytest.raises(ParameterError, match=f'mass is {mass:g} kg'):
            identified_urdf(robot.text, {joint.name: body}, {})
    with pytest.raises(UrdfError, match='DTD'):
        identified_urdf('<!DOCTYPE robot [<!ENTITY x "1">]>' + robot.text, {}, {})
