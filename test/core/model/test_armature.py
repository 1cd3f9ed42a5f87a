"""Rotors: given, taken back, and refused; `mechanics.kinetics_laws` says what they do."""

import pytest
from mechanics.robots import hand_written

from robot_dynamics_ros.core import ParameterError, UnknownNameError


def test_the_change_is_undone_exactly():
    model = hand_written('tree').model
    armature = {joint.name: 0.1 * (i + 1) for i, joint in enumerate(model.joints)}
    assert model.with_armature(armature).with_armature(dict.fromkeys(armature, 0.0)) == model


def test_refused():
    model = hand_written('tree').model
    name = model.joint_names[0]
    with pytest.raises(UnknownNameError, match="unknown joint 'nose'"):
        model.with_armature({'nose': 1.0})
    with pytest.raises(ParameterError, match=f"armature.*'{name}'.* -1"):
        model.with_armature({name: -1.0})
    with pytest.raises(ParameterError, match='is inf'):
        model.with_armature({name: float('inf')})
    for value in ('0.1', None, [0.1], True):
        with pytest.raises(ParameterError, match=f"armature.*'{name}'.*number"):
            model.with_armature({name: value})
    for armature in (0.1, None, [0.1], name):
        with pytest.raises(ParameterError, match=r'armature is .*, a mapping'):
            model.with_armature(armature)
