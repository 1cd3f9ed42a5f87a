"""What the header says: sizes of inputs, order of bodies, joints that have no entry."""

import hashlib
import re

import pytest
from mechanics.robots import hand_written
from three_joints import URDF

from robot_dynamics_ros.core import parse_urdf
from robot_dynamics_ros.core.c_export import export_c

pytestmark = pytest.mark.contract

LINK = """<link name="l{i}"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
JOINT = """<joint name="j{i}" type="continuous"><parent link="l{parent}"/><child link="l{i}"/>
<origin xyz="0 0 0.1"/><axis xyz="0 1 0"/></joint>"""


def chain(joints):
    """A chain of that many joints."""
    links = ''.join(LINK.format(i=i) for i in range(joints + 1))
    between = ''.join(JOINT.format(i=i, parent=i - 1) for i in range(1, joints + 1))
    return parse_urdf(f'<robot name="chain">{links}{between}</robot>')


def header(model, **options):
    """Its lines as they are, and its comments as one text."""
    files = export_c(model, name='x', **options)
    text = files['include/x_dynamics/x_dynamics.h']
    return text, ' '.join(re.sub(r'^ \* ?', ' ', text, flags=re.M).split())


@pytest.mark.parametrize('joints', [1, 3, 6, 10])
def test_every_input_but_those_of_the_joints_has_a_size(joints):
    """Also where it has as many entries as there are joints."""
    text, _ = header(
        chain(joints), quantities=['inverse_dynamics', 'external_torque', 'forward_dynamics'],
        frame='l1', payload_frame='l1',
    )  # fmt: skip
    sizes = dict(re.findall(r'^#define X_(\w*)_SIZE (\d+)$', text, re.M))
    assert sizes == {'GRAVITY': '3', 'WRENCH': '6', 'PAYLOAD': '10'}


def test_the_bodies_of_the_regressor_are_named_in_order():
    _, text = header(parse_urdf(URDF), quantities=['regressor'])
    assert '"turn", "slide", "wrist"' in text


def test_mimic_joints_are_named_with_what_they_follow():
    model = hand_written('mimic').model
    _, text = header(model, quantities=['gravity_torque', 'regressor'])
    followers = [joint for joint in model.joints if joint.mimicked is not None]
    assert followers
    for joint in followers:
        place = joint.coordinate
        assert (
            f'"{joint.name}" = {place.multiplier:g} "{joint.mimicked}" + {place.offset:g}' in text
        )
    bodies = ', '.join(f'"{joint.name}"' for joint in model.joints)
    assert f'that carry them: {bodies}.' in text
    assert 'Mimic joints' not in header(parse_urdf(URDF))[1]


def test_a_reduced_robot_has_the_hash_of_the_whole_one():
    reduced = parse_urdf(URDF).reduced(['turn'], others=0.1)
    _, text = header(reduced, urdf=URDF)
    assert f'SHA-256 of the URDF: {hashlib.sha256(URDF.encode()).hexdigest()} ' in text
    assert 'export; the SHA-256' in text


def test_no_limit_is_said_with_its_sign():
    _, text = header(parse_urdf(URDF))
    assert re.search(r'\bDBL_MAX\b.*lower -DBL_MAX', text)
