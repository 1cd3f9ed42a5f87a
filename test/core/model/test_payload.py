"""A payload is a fixed link with that inertial, and leaves no trace when it is taken off."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree
from xml.etree.ElementTree import SubElement

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN, hand_written

from robot_dynamics_ros.core import (
    ParameterError,
    Payload,
    UnknownNameError,
    parse_urdf,
)
from robot_dynamics_ros.core.spatial import Inertia

pytestmark = pytest.mark.contract

MASS, COM = 1.7, (0.03, -0.08, 0.15)
INERTIA = ((0.011, 0.001, -0.002), (0.001, 0.014, 0.0005), (-0.002, 0.0005, 0.009))


def with_fixed_link(text, frame):
    robot = ElementTree.fromstring(text)
    inertial = SubElement(SubElement(robot, 'link', name='added tool'), 'inertial')
    SubElement(inertial, 'mass', value=repr(MASS))
    SubElement(inertial, 'origin', xyz=' '.join(map(repr, COM)))
    entries = {f'i{a}{b}': repr(INERTIA['xyz'.index(a)]['xyz'.index(b)])
               for a, b in ('xx', 'xy', 'xz', 'yy', 'yz', 'zz')}  # fmt: skip
    SubElement(inertial, 'inertia', entries)
    joint = SubElement(robot, 'joint', name='added joint', type='fixed')
    SubElement(joint, 'parent', link=frame)
    SubElement(joint, 'child', link='added tool')
    return parse_urdf(ElementTree.tostring(robot, encoding='unicode'))


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_is_a_fixed_link_of_that_inertial(robot):
    for frame in robot.model.frames:
        if frame.body < 0:
            continue
        expected = FloatDynamics(with_fixed_link(robot.text, frame.name))
        loaded = FloatDynamics(robot.model.with_payload(frame.name, MASS, COM, INERTIA))
        for q, v, a, _ in robot.states(2):
            assert_close(loaded.inverse_dynamics(q, v, a), expected.inverse_dynamics(q, v, a))
            assert_close(loaded.mass_matrix(q), expected.mass_matrix(q))


def test_an_added_and_removed_payload_changes_nothing():
    model = hand_written('tree').model
    frame = model.frames[-1].name
    tool = model.with_payload(frame, MASS, COM, INERTIA, name='tool')
    part = tool.with_payload(frame, 0.3, (0.0, 0.1, 0.0), name='part')
    other = model.with_payload(frame, 0.3, (0.0, 0.1, 0.0), name='part')
    assert part.without_payload('part') == tool
    assert part.without_payload('tool') == other
    assert other.with_payload(frame, MASS, COM, INERTIA, name='tool') == part
    assert part.without_payload('tool').without_payload('part') is model


def test_armature_and_payload_do_not_disturb_each_other():
    model = hand_written('tree').model
    frame, joint = model.frames[-1].name, model.joint_names[0]
    one = model.with_armature({joint: 0.2}).with_payload(frame, MASS)
    other = model.with_payload(frame, MASS).with_armature({joint: 0.2})
    assert one == other
    assert other.without_payload() == model.with_armature({joint: 0.2})


FLAT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 3.0))


@pytest.mark.parametrize(
    ('mass', 'com', 'inertia', 'words'),
    [
        (-1.0, COM, INERTIA, 'mass is -1.0 kg'),
        (float('nan'), COM, INERTIA, 'mass is nan kg'),
        ('heavy', COM, INERTIA, 'mass is heavy kg'),
        ('1.5', COM, INERTIA, 'mass is 1.5 kg'),
        (None, COM, INERTIA, 'mass is None kg'),
        pytest.param(10**400, COM, INERTIA, 'mass is 10*', id='huge mass'),
        (1.0, None, INERTIA, 'com is None, three'),
        (1.0, np.ma.zeros(3), INERTIA, 'three finite numbers'),
        (1.0, '123', INERTIA, 'com is 123'),
        (1.0, COM, 0.5, 'inertia is 0.5, 3 x 3'),
        (1.0, (0.0, 0.0), INERTIA, 'three finite numbers'),
        (1.0, (0.0, 0.0, float('inf')), INERTIA, 'three finite numbers'),
        (1.0, COM, ((1.0,), (1.0,), (1.0,)), '3 x 3 finite numbers'),
        (1.0, COM, ((1.0, 0.5, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), 'symmetric'),
        (1.0, COM, FLAT, 'triangle inequality'),
        (0.0, COM, INERTIA, 'mass'),
    ],
)
def test_refused(mass, com, inertia, words):
    model = hand_written('tree').model
    with pytest.raises(ParameterError, match=words):
        model.with_payload(model.frames[-1].name, mass, com, inertia)
    with pytest.raises(ParameterError, match=words):
        Payload('payload', model.frames[-1].name, mass, com, inertia)


def test_names_that_do_not_exist():
    model = hand_written('tree').model
    with pytest.raises(UnknownNameError, match="unknown frame 'nose'"):
        model.with_payload('nose', 1.0)
    with pytest.raises(UnknownNameError, match=r"'payload'.*none"):
        model.without_payload()


def test_names_that_are_none():
    model = hand_written('tree').model
    with pytest.raises(ParameterError, match=r"\['hand'\]"):
        model.with_payload(['hand'], 1.0)
    for name in (5, None):
        with pytest.raises(ParameterError, match=f'payload is {name}'):
            model.with_payload(model.frames[-1].name, 1.0, name=name)


def test_a_payload_that_no_joint_would_feel():
    model = hand_written('tree').model
    with pytest.raises(ParameterError, match=r'fixed.*base'):
        model.with_payload(model.frames[0].name, 1.0)


def test_payloads_of_numpy_arrays():
    payload = Payload('tool', 'hand', np.float64(MASS), np.array(COM), np.array(INERTIA))
    assert payload == Payload('tool', 'hand', MASS, COM, INERTIA)


def test_the_mass_of_a_payload_is_not_compared_with_none():
    """A description without masses gives nothing to compare with."""
    model = hand_written('pendulum').model
    bare = replace(model, links=tuple(replace(link, inertia=Inertia()) for link in model.links))
    assert not bare.doubt_about(Payload('p', model.frames[-1].name, 9.0, COM, INERTIA))
