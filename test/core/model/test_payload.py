"""A payload is a fixed link with that inertial, and leaves no trace when it is taken off."""

import numpy as np
import pytest
from mechanics.closeness import assert_close
from mechanics.float_dynamics import FloatDynamics
from mechanics.robots import HAND_WRITTEN, LOAD, LOADED, hand_written, with_fixed_link

from robot_dynamics_ros.core import ParameterError, UnknownNameError, parse_urdf

pytestmark = pytest.mark.contract

COM, INERTIA = LOAD['com'], LOAD['inertia']


@pytest.mark.parametrize('robot', HAND_WRITTEN, ids=str)
def test_is_a_fixed_link_of_that_inertial(robot):
    for frame in robot.model.frames:
        if frame.body < 0:
            continue
        text = with_fixed_link(robot.text, 'payload', frame.name, LOADED)
        expected = FloatDynamics(parse_urdf(text))
        loaded = FloatDynamics(robot.model.with_payload(frame.name, **LOAD))
        for q, v, a, _ in robot.states(2):
            assert_close(loaded.inverse_dynamics(q, v, a), expected.inverse_dynamics(q, v, a))
            assert_close(loaded.mass_matrix(q), expected.mass_matrix(q))


def test_an_added_and_removed_payload_changes_nothing():
    model = hand_written('tree').model
    frame = model.frames[-1].name
    tool = model.with_payload(frame, **LOAD, name='tool')
    part = tool.with_payload(frame, 0.3, (0.0, 0.1, 0.0), name='part')
    other = model.with_payload(frame, 0.3, (0.0, 0.1, 0.0), name='part')
    assert part.without_payload('part') == tool
    assert part.without_payload('tool') == other
    assert other.with_payload(frame, **LOAD, name='tool') == part
    assert part.without_payload('tool').without_payload('part') is model


FLAT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 3.0))


@pytest.mark.parametrize(
    ('mass', 'com', 'inertia', 'named'),
    [
        (-1.0, COM, INERTIA, 'mass'),
        (float('nan'), COM, INERTIA, 'mass'),
        ('1.5', COM, INERTIA, 'mass'),
        (1.0, None, INERTIA, 'com'),
        (1.0, np.ma.zeros(3), INERTIA, 'com'),
        (1.0, (0.0, 0.0), INERTIA, 'com'),
        (1.0, COM, 0.5, 'inertia'),
        (1.0, COM, ((1.0, 0.5, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), 'symmetric'),
        (1.0, COM, FLAT, 'triangle inequality'),
        (0.0, COM, INERTIA, 'mass'),
    ],
)
def test_refused(mass, com, inertia, named):
    model = hand_written('tree').model
    with pytest.raises(ParameterError, match=named):
        model.with_payload(model.frames[-1].name, mass, com, inertia)


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
    one = model.with_armature(armature).with_payload(frame, 1.7)
    assert one == model.with_payload(frame, 1.7).with_armature(armature)
    assert one.without_payload().with_armature(dict.fromkeys(armature, 0.0)) == model
    for value in (-1.0, float('inf'), '0.1', None, True):
        with pytest.raises(ParameterError, match=model.joint_names[0]):
            model.with_armature({model.joint_names[0]: value})
    with pytest.raises(ParameterError, match='a mapping'):
        model.with_armature(0.1)
