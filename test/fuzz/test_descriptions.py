"""Any text is a robot, or refused by a named error."""

from contextlib import suppress
from xml.etree.ElementTree import fromstring, tostring

from hypothesis import given
from hypothesis import strategies as st
from mechanics.robots import hand_written
from property_settings import tried
from three_joints import URDF

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.errors import RobotDynamicsError
from robot_dynamics_ros.inspection import CODES, validate_robot

VALUES = ('', ' ', '0', '-1', '1e400', 'nan', 'inf', '1 2', '1 2 3', '0 0 0', 'a b c', 'base')
VALUES += ('hand', 'turn', 'wrist', 'floating', 'planar', 'fixed', 'prismatic', '1e308', '\u0661')
MIMICS = hand_written('mimic').text
PIECES = ('<', '>', '"', '&amp;', '<!DOCTYPE x [<!ENTITY a "b">]>', '&a;', '</link>', '<link/>')


@st.composite
def torn(draw):
    """The text with pieces cut out, doubled or put in."""
    text = URDF
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 60)))
        middle = draw(st.sampled_from([*PIECES, text[start:end] * 2, '']))
        text = text[:start] + middle + text[end:]
    return text


@st.composite
def misdescribed(draw):
    """Well-formed, with attributes and elements that are wrong."""
    root = fromstring(draw(st.sampled_from([URDF, MIMICS])))
    for _ in range(draw(st.integers(1, 3))):
        element = draw(st.sampled_from(list(root.iter())))
        change = draw(st.sampled_from(['attribute', 'attribute', 'remove', 'double']))
        if change == 'attribute' and element.attrib:
            name = draw(st.sampled_from(sorted(element.attrib)))
            element.set(name, draw(st.sampled_from(VALUES) | st.text(max_size=5)))
            continue
        if len(element):
            child = draw(st.sampled_from(list(element)))
            element.remove(child) if change == 'remove' else element.append(child)
    return tostring(root, encoding='unicode')


INPUTS = torn() | misdescribed() | st.text(max_size=200)


@tried
@given(INPUTS)
def test_any_text_is_a_robot_that_can_be_validated_or_refused(text):
    with suppress(RobotDynamicsError):
        model = parse_urdf(text)
        assert len(set(model.joint_names)) == model.size
        assert all(map(str, model.findings))
        assert {finding.code for finding in validate_robot(model, text).findings} <= CODES.keys()
