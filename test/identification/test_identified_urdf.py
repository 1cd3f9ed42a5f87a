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
from robot_dynamics_ros.identification.result_files import changed_bodies, identified_urdf

# What may change: inertials, friction, and the comment in the place of an inertial.
CHANGED = re.compile(
    r'\s*<inertial.*?</inertial\s*>|\s*<!-- inertial: part of.*?-->|\s*<dynamics[^>]*>', re.DOTALL
)
# Rounding of the moments of a body [-], of the largest of its kind.
ROUNDING = 1e-14


def values_of(model):
    """Bodies and friction of the joints, by name."""
    bodies = {joint.name: joint.inertia for joint in model.joints}
    return bodies, {joint.name: (joint.damping, joint.friction) for joint in model.joints}


def real_body(random, size=1.0):
    """A body of some points: each has a mass, so that its moments are those of a real body."""
    masses, points = size * random.uniform(0.1, 2.0, 6), random.uniform(-0.3, 0.3, (6, 3))
    first, second = masses @ points, (points.T * masses) @ points
    return Inertia(float(masses.sum()), tuple(first.tolist()), tuple(map(tuple, second.tolist())))


def assert_close(found, expected):
    for group in (slice(0, 1), slice(1, 4), slice(4, 10)):
        one, other = (np.array(parameters_of(body)[group]) for body in (found, expected))
        assert np.abs(one - other).max() <= ROUNDING * np.abs(parameters_of(expected)).max()


def written(text, seed=7):
    """The text with other bodies and other friction of every joint, which its model has."""
    random, names = np.random.default_rng(seed), [one.name for one in parse_urdf(text).joints]
    bodies = {name: real_body(random) for name in names}
    friction = map(tuple, random.uniform(0.1, 3.0, (len(names), 2)).tolist())
    frictions = dict(zip(names, friction, strict=True))
    result = identified_urdf(text, bodies, frictions)
    found = values_of(parse_urdf(result))
    assert found[1] == frictions
    for name in names:
        assert_close(found[0][name], bodies[name])
    return result


def without_numbers(text):
    """The document without what may change, in its canonical form."""
    kept = CHANGED.sub('', re.sub(r'^\ufeff?<\?xml.*?\?>', '', text))
    return canonicalize(kept, strip_text=True, with_comments=True)


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_the_model_of_the_text_has_the_parameters_and_the_rest_stays(robot):
    same = identified_urdf(robot.text, *values_of(robot.model))
    assert canonicalize(same) == canonicalize(robot.text)
    text = written(robot.text)
    assert without_numbers(text) == without_numbers(robot.text)
    # What the text says is a fixed point: written again, it stays.
    assert identified_urdf(text, *values_of(parse_urdf(text))) == text
    # An identified body has no rotation where the URDF has a quaternion.
    written(in_quaternions(robot.text))


AWKWARD = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- Gr\u00f6\u00dfe: <inertial><mass value="9"/></inertial> of the catalogue -->
<robot name='\u6a5f\u68b0' note="a > b">
\t<link name="base"></link>
\t<link  name = 'l&amp;1' >
\t\t<visual name="&lt;inertial>" />
\t\t<inertial note='>'><mass value="1e0" ></mass>
\t\t\t<inertia izz=".01" ixx="0.01" iyy="1e-2" ixy="0" ixz="0" iyz="0" />
\t\t</inertial >
\t</link><?note <link name="x"/>?><![CDATA[ <link> ]]>
\t<joint name="j 1" type="continuous"><parent link="base"/><child link="l&amp;1"/>\
<dynamics note='ö damping="1"' friction='0.50' spring="3" /></joint>
\t<link name="bare"><!-- nothing --></link>
\t<joint name="j2" type="continuous">
\t\t<parent link="l&amp;1"/><child link="bare"/>
\t\t<axis xyz="0 0 1"/>
\t</joint>
\t<gazebo reference="bare"><link name="bare"><inertial><mass value="3"/></inertial></link></gazebo>
\t<ros2_control><joint name="j2"><dynamics damping="8"/></joint></ros2_control>
</robot>
<!-- \U0001f916 -->"""
SHORT = (
    '<robot name="r"><link name="base"/><link name="tip"/><joint name="j" type="continuous">'
    '<parent link="base"/><child link="tip"/></joint></robot>'
)


@pytest.mark.parametrize(
    'text', [AWKWARD, '\ufeff' + AWKWARD.replace('\n', '\r\n'), SHORT, SHORT.replace('><', '>\n<')]
)
def test_comments_names_and_order_stay(text):
    """Links with an inertial, and without one."""
    assert without_numbers(written(text)) == without_numbers(text)


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


@given(seed=st.integers(0, 2**32), size=st.floats(1e-6, 1e6), arm=st.floats(0.0, 1e2))
def test_bodies_of_any_size(seed, size, arm):
    """Far from the origin the moments about the centre are small beside those about the joint."""
    robot = hand_written('pendulum')
    body = Transform(IDENTITY, (arm, 0.0, -arm)) @ real_body(np.random.default_rng(seed), size)
    text = identified_urdf(robot.text, {robot.model.joint_names[0]: body}, {})
    assert_close(parse_urdf(text).joints[0].inertia, body)


def test_what_a_urdf_cannot_hold_is_refused_and_a_payload_is_not_written():
    robot = hand_written('pendulum')
    (joint,) = robot.model.joints
    for mass in (-0.3, 0.0):
        body = Inertia(mass, (0.0, 0.1, 0.0), joint.inertia.second_moment)
        with pytest.raises(ParameterError, match=f'mass is {mass:g} kg'):
            identified_urdf(robot.text, {joint.name: body}, {})
    with pytest.raises(UrdfError, match='DTD'):
        identified_urdf('<!DOCTYPE robot [<!ENTITY x "1">]>' + robot.text, {}, {})
    loaded = robot.model.with_payload(robot.model.frames[-1].name, 0.2, (0.0, 0.1, 0.0))
    assert not changed_bodies(robot.model, loaded, loaded)
