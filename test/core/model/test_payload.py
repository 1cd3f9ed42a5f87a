"""A payload is a fixed link with that inertial, and leaves no trace when it is taken off."""

from __future__ import annotations

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


FLAT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 3.0))


@pytest.mark.parametrize(
    ('mass', 'com', 'inertia', 'words'),
    [
        (-1.0, COM, INERTIA, 'mass is -1.0'),
        (float('nan'), COM, INERTIA, 'mass is nan'),
        ('1.5', COM, INERTIA, 'mass is 1.5'),
        (1.0, None, INERTIA, 'com is None'),
        (1.0, np.ma.zeros(3), INERTIA, 'com'),
        (1.0, (0.0, 0.0), INERTIA, 'com'),
        (1.0, COM, 0.5, 'inertia is 0.5'),
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


def test_names_are_checked():
    model = hand_written('tree').model
    for call, error, name in (
        (lambda: model.with_payload('nose', 1.0), UnknownNameError, "'nose'"),
        (lambda: model.without_payload(), UnknownNameError, "'payload'"),
        (lambda: model.with_payload(['hand'], 1.0), ParameterError, 'hand'),
        (lambda: model.with_payload(model.frames[-1].name, 1.0, name=5), ParameterError, '5'),
        # No joint would feel it.
        (lambda: model.with_payload(model.frames[0].name, 1.0), ParameterError, 'fixed'),
        (lambda: model.with_armature({'nose': 1.0}), UnknownNameError, "'nose'"),
    ):
        with pytest.raises(error, match=name):
            call()


def test_rotors_are_undone_exactly_whatever_is_carried():
    """`mechanics.kinetics_laws` says what they do."""
    model = hand_written('tree').model
    frame, armature = model.frames[-1].name, {joint.name: 0.2 for joint in model.joints}
    one = model.with_armature(armature).with_payload(frame, MASS)
    assert one == model.with_payload(frame, MASS).with_armature(armature)
    assert one.without_payload().with_armature(dict.fromkeys(armature, 0.0)) == model
    for value in (-1.0, float('inf'), '0.1', None, True):
        with pytest.raises(ParameterError, match=model.joint_names[0]):
            model.with_armature({model.joint_names[0]: value})
    with pytest.raises(ParameterError, match='a mapping'):
        model.with_armature(0.1)


def test_payloads_of_numpy_arrays():
    payload = Payload('tool', 'hand', np.float64(MASS), np.array(COM), np.array(INERTIA))
    assert payload == Payload('tool', 'hand', MASS, COM, INERTIA)
